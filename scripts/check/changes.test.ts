import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listChanges } from "@/scripts/check/changes";

let root: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: root, stdio: "pipe" });
const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), text);
};
const commit = () => {
  git("add", "-A");
  git("commit", "-qm", "a change");
};

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "changes-"));
  git("init", "-q", "-b", "main");
  for (const file of ["a.ts", "b.ts", "folder/c.ts"])
    write(file, `export const name = "${file}, long enough to be found";\n`);
  write(".gitignore", "ignored/\n");
  commit();
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

describe("the changes", () => {
  test("are none right after a commit", () => {
    expect(listChanges(root)).toEqual({ present: [], gone: [] });
  });

  test("are what is edited, staged or new, and never what git ignores", () => {
    write("a.ts", "edited");
    write("folder/c.ts", "staged");
    git("add", "folder/c.ts");
    write("new file é.ts", "not yet added");
    write("ignored/d.ts", "ignored");
    expect(listChanges(root)).toEqual({ present: ["a.ts", "folder/c.ts", "new file é.ts"], gone: [] });
  });

  test("of a deleted and of a renamed file are its old name, too", () => {
    fs.rmSync(path.join(root, "a.ts"));
    git("mv", "folder/c.ts", "folder/d.ts");
    fs.renameSync(path.join(root, "b.ts"), path.join(root, "e.ts"));
    expect(listChanges(root)).toEqual({ present: ["e.ts", "folder/d.ts"], gone: ["a.ts", "b.ts", "folder/c.ts"] });
  });

  test("of a file that was only removed from the index are the file itself", () => {
    git("rm", "-q", "--cached", "a.ts");
    expect(listChanges(root)).toEqual({ present: ["a.ts"], gone: [] });
  });

  test("since a branch are those of its commits and what is not committed, not those of the other branch", () => {
    git("checkout", "-qb", "topic");
    write("a.ts", "committed");
    commit();
    git("checkout", "-q", "main");
    write("folder/c.ts", "elsewhere");
    commit();
    git("checkout", "-q", "topic");
    write("b.ts", "not committed");
    expect(listChanges(root).present).toEqual(["b.ts"]);
    expect(listChanges(root, "main").present).toEqual(["a.ts", "b.ts"]);
  });

  test.each(["nothing", "--help", ""])("since %j, which is no commit, are an error", (since) => {
    expect(() => listChanges(root, since)).toThrow();
  });
});
