// Keeps the static files of the build that a new one replaces, so that pages opened before an upgrade go on.
import fs from "node:fs";
import path from "node:path";

const dayMs = 86_400_000;

/** Where the files of a folder of the build before this one are; server/transport/http/built-files.ts serves them. */
const keptFolders = { ".next/static": "dist/last-build/next-static", "public/engine": "dist/last-build/engine" };

/**
 * Moves a folder of the present build to where the last one's is served from, in place of what is there: never more than one
 * build is kept. `isComplete`: the present build came to its end; the files of another one are of no use. `from`: where
 * the folder lies by now.
 * @param {string} root of the checkout
 * @param {keyof typeof keptFolders} folder
 */
export function keepLastBuild(root, folder, isComplete, from = path.join(root, folder)) {
  if (!isComplete || !fs.existsSync(from)) return;
  const to = path.join(root, keptFolders[folder]);
  fs.rmSync(to, { recursive: true, force: true });
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.renameSync(from, to);
  // Its age is what the server goes by.
  const now = new Date();
  fs.utimesSync(to, now, now);
}

/**
 * Copies the static files of another checkout's build to where the last one's is served from, for pages that were opened
 * while that one ran.
 * @param {string} root of the checkout
 * @param {string} other checkout
 */
export function copyLastBuild(root, other) {
  for (const [folder, kept] of Object.entries(keptFolders)) {
    const from = path.join(other, folder);
    const to = path.join(root, kept);
    if (!fs.existsSync(from)) throw new Error(`${other} has no build: there is no ${folder}.`);
    fs.rmSync(to, { recursive: true, force: true });
    fs.cpSync(from, to, { recursive: true });
    const now = new Date();
    fs.utimesSync(to, now, now);
  }
}

/** Removes what was kept for longer than a day. */
export function removeOldBuilds(root, now = Date.now()) {
  for (const folder of Object.values(keptFolders)) {
    const at = path.join(root, folder);
    const stat = fs.statSync(at, { throwIfNoEntry: false });
    if (stat && now - stat.mtimeMs > dayMs) fs.rmSync(at, { recursive: true, force: true });
  }
}
