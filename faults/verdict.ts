import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const tally = { passed: 0, failed: 0 };

/** Prints a promise and whether it was kept; `faults` lists the violations. */
export function promise(name: string, faults: readonly string[]): void {
  if (faults.length === 0) tally.passed++;
  else tally.failed++;
  console.log(`${faults.length === 0 ? "ok    " : "FAILED"} ${name}`);
  for (const fault of faults.slice(0, 5)) console.log(`         ${fault}`);
  if (faults.length > 5) console.log(`         and ${faults.length - 5} more`);
}

/** How many promises were kept and how many were broken. */
export const verdict = (): { passed: number; failed: number } => tally;

/** The median and the maximum, as text. */
export function spread(seconds: readonly number[]): string {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return `median ${at(0.5)} s, worst ${at(1)} s of ${sorted.length}`;
}

/** The lines of a product's log that are no JSON objects, besides those of npm and of the set-up before it. */
export const findUnreadable = (file: string): string[] =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/^(> |Setting up: |npm )/.test(line))
    .filter((line) => {
      try {
        return typeof JSON.parse(line) !== "object";
      } catch {
        return true;
      }
    });

/** Keeps the log of a product whose folder is removed, for the case that a promise was broken or the part failed. */
export const keepLog = (file: string): void => fs.copyFileSync(file, path.join(os.tmpdir(), "muster-faults.log"));
