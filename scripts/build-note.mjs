// Notes in dist/build.json what the build was made of, which `muster --version` prints.
import fs from "node:fs";
import path from "node:path";
import { readCommit } from "../server/platform/commit.mjs";

/**
 * Writes the note, unless it says so already: what is built does not change with a commit of documents alone. Keeps what it
 * says where git says nothing to this user, and where this user may not write.
 * @param {string} root of the checkout
 */
export function noteBuild(root) {
  const file = path.join(root, "dist/build.json");
  const commit = readCommit(root) ?? (process.env.MUSTER_COMMIT || null);
  const note = `${JSON.stringify({ commit })}\n`;
  if (fs.existsSync(file) && (commit === null || fs.readFileSync(file, "utf8") === note)) return;
  try {
    // Renamed into place: a process that starts meanwhile reads all of it.
    const made = `${file}.${process.pid}`;
    fs.writeFileSync(made, note);
    fs.renameSync(made, file);
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(error.code)) throw error;
  }
}
