import fs from "node:fs";
import path from "node:path";

/**
 * vitest keeps transformed modules on disk, with the resolved paths of what they import, and finds them by their own
 * content only: after `a.ts` becomes `a.tsx`, what imports it would be looked for at the old path.
 */

const withoutEnding = (file: string): string => file.replace(/\.[a-z]+$/, "");

/** Whether a file has another ending than before, or a second one. */
function hasMoved(before: readonly string[], after: readonly string[]): boolean {
  const old = new Set(before);
  const known = new Set(before.map(withoutEnding));
  return after.some((file) => !old.has(file) && known.has(withoutEnding(file)));
}

/** Deletes the modules that are kept in `folder` when a file has moved since the last call. */
export function forgetMoved(folder: string, files: readonly string[]): void {
  const note = path.join(folder, "files.txt");
  const before = fs.existsSync(note) ? fs.readFileSync(note, "utf8").split("\n") : undefined;
  if (before === undefined || hasMoved(before, files)) fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(note, files.join("\n"));
}
