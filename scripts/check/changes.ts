import { execFileSync } from "node:child_process";

/** Files by their paths in the repository; a renamed one is in both lists, under its new and its old name. */
export interface Changes {
  /** Changed, added, or not yet added to git. */
  present: string[];
  gone: string[];
}

/** Runs git and returns what it lists, separated by zero bytes. Throws with what it reports. */
function git(root: string, ...args: string[]): string[] {
  const options = { cwd: root, encoding: "utf8" as const, stdio: "pipe" as const, maxBuffer: 1 << 28 };
  return execFileSync("git", args, options).split("\0").filter(Boolean);
}

/**
 * What differs from the last commit or, with `since`, from where the branch left that one, including what is not
 * committed. Throws when git knows no such commit.
 */
export function listChanges(root: string, since?: string): Changes {
  const base = since === undefined ? "HEAD" : (git(root, "merge-base", since, "HEAD")[0] ?? "").trim();
  const compared = git(root, "diff", "--name-status", "--no-renames", "--relative", "-z", base, "--");
  const untracked = git(root, "ls-files", "--others", "--exclude-standard", "-z");
  const present = new Set(untracked);
  const gone: string[] = [];
  for (let at = 0; at + 1 < compared.length; at += 2) {
    const file = compared[at + 1] ?? "";
    if (compared[at] !== "D") present.add(file);
    else if (!present.has(file)) gone.push(file);
  }
  return { present: [...present].sort(), gone: gone.sort() };
}
