// What a build makes lies beside the present one until all of it is complete, and is then put in its place by renaming: a
// build that fails or is killed leaves what runs alone. Imports only node: modules.
import fs from "node:fs";
import path from "node:path";
import { keepLastBuild } from "./last-build.mjs";

/** Where each part is made. Next's is as deep as where it goes, since its traces name files by relative paths. */
export const staging = { server: ".build/server", threads: ".build/engine", pages: ".next-build" };

/** Where the trees of packages are that are not in use: one that was just installed, and the one before. */
const newModules = ".build/modules";
const lastModules = ".build/last-modules";

const getStamp = (folder) => path.join(folder, ".stamp");
const remove = (...parts) => fs.rmSync(path.join(...parts), { recursive: true, force: true });

/** Renames a folder to another name, in place of what is there. */
function move(from, to) {
  remove(to);
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.renameSync(from, to);
}

/**
 * Replaces the programs in `dist`, which holds other things too. Parts are named by their content, and come before the
 * programs that load them, so that each program is complete at any moment.
 */
export function installServer(root) {
  const from = path.join(root, staging.server);
  const to = path.join(root, "dist");
  const names = fs.readdirSync(from).filter((name) => name !== ".stamp");
  const isProgram = (name) => /^(main|cli|[\w-]+-thread)\.mjs$/.test(name);
  const old = fs.readdirSync(to).filter((name) => /\.mjs(\.map)?$/.test(name) && !names.includes(name));
  fs.rmSync(getStamp(to), { force: true });
  for (const name of names.filter((each) => !isProgram(each)))
    fs.renameSync(path.join(from, name), path.join(to, name));
  for (const name of names.filter(isProgram)) fs.renameSync(path.join(from, name), path.join(to, name));
  fs.renameSync(getStamp(from), getStamp(to));
  for (const name of old) fs.rmSync(path.join(to, name));
  remove(from);
}

/** Replaces the threads of pages. Those of the build before are kept for pages that are open. */
export function installThreads(root) {
  const to = path.join(root, "public/engine");
  keepLastBuild(root, "public/engine", fs.existsSync(getStamp(to)));
  move(path.join(root, staging.threads), to);
}

/** Replaces the pages. Static files of the build before are kept for pages that are open. */
export function installPages(root) {
  const from = path.join(root, staging.pages);
  const to = path.join(root, ".next");
  const old = path.join(root, ".build/last-pages");
  // What Next's development server keeps is its own.
  const development = path.join(to, "dev");
  if (fs.existsSync(development)) move(development, path.join(from, "dev"));
  if (fs.existsSync(to)) move(to, old);
  fs.renameSync(from, to);
  const kept = path.join(old, "static");
  if (fs.existsSync(getStamp(old)) && fs.existsSync(kept)) keepLastBuild(root, ".next/static", true, kept);
  remove(old);
}

/** Has what Next wrote about its folder name the one that it will be in, also in the types of pages. */
export function namePages(root) {
  const made = path.join(root, staging.pages);
  const files = fs.existsSync(made) ? fs.readdirSync(made, { recursive: true, encoding: "utf8" }) : [];
  const texts = files.filter((file) => /\.(js|json)$/.test(file)).map((file) => path.join(made, file));
  for (const file of [path.join(root, "next-env.d.ts"), ...texts]) {
    if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const text = fs.readFileSync(file, "utf8");
    if (text.includes(staging.pages)) fs.writeFileSync(file, text.replaceAll(staging.pages, ".next"));
  }
}

/** Whether a tree of packages is what a lock file asks for; npm writes its .package-lock.json last. */
function isInstalled(modules, lock) {
  const file = path.join(modules, ".package-lock.json");
  const installed = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")).packages ?? {}) : {};
  const wanted = JSON.parse(fs.readFileSync(lock, "utf8")).packages ?? {};
  return Object.entries(wanted).every(([name, entry]) => {
    const found = installed[name];
    return name === "" || (found ? found.version === entry.version : entry.optional === true);
  });
}

/** Whether the packages that are in use are those of the lock file. */
export const hasPackages = (root) => isInstalled(path.join(root, "node_modules"), path.join(root, "package-lock.json"));

/**
 * Puts the packages of the lock file in place of those in use, which are kept until `forgetPackages`. `install` gets the
 * folder to install them in; it is not called where an interrupted set-up has left them.
 */
export async function replacePackages(root, install) {
  const lock = path.join(root, "package-lock.json");
  const present = path.join(root, "node_modules");
  const last = path.join(root, lastModules);
  const made = path.join(root, newModules);
  if (isInstalled(last, lock)) move(last, path.join(made, "node_modules"));
  else if (!isInstalled(path.join(made, "node_modules"), lock)) {
    remove(made);
    fs.mkdirSync(made, { recursive: true });
    for (const name of ["package.json", "package-lock.json", ".npmrc"])
      if (fs.existsSync(path.join(root, name))) fs.copyFileSync(path.join(root, name), path.join(made, name));
    await install(made);
  }
  if (fs.existsSync(present)) move(present, last);
  // A lock file without packages leaves no folder.
  if (fs.existsSync(path.join(made, "node_modules"))) fs.renameSync(path.join(made, "node_modules"), present);
}

/** Puts the packages back that were in use before `replacePackages`, and keeps the newer ones for the next set-up. */
export function restorePackages(root) {
  const last = path.join(root, lastModules);
  if (!fs.existsSync(last)) return;
  move(path.join(root, "node_modules"), path.join(root, newModules, "node_modules"));
  fs.renameSync(last, path.join(root, "node_modules"));
}

/** Removes the packages that are not in use. */
export function forgetPackages(root) {
  remove(root, lastModules);
  remove(root, newModules);
}
