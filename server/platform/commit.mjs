import { spawnSync } from "node:child_process";

/**
 * The commit of a checkout, with `-dirty` where files were changed since; null where git says nothing.
 * @param {string} folder in the checkout
 * @returns {string | null}
 */
export function readCommit(folder) {
  const args = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  const { status, stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
