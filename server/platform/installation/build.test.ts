import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "@/package.json";
import { noteBuild } from "@/scripts/build-note.mjs";
import { readMigrations } from "@/server/platform/database/migration-files";
import { describeBuild } from "@/server/platform/installation/build";

const last = readMigrations().at(-1)?.name;
let root: string;
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd: root,
    encoding: "utf8",
  }).trim();
const readCommit = (folder: string) => /^commit (.*)$/m.exec(describeBuild(folder))?.[1];

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "muster-commit-"));
  fs.mkdirSync(path.join(root, "dist"));
  fs.writeFileSync(path.join(root, "a"), "a");
  git("init", "-q");
  git("add", "a");
  git("commit", "-qm", "a");
});
afterAll(() => fs.rmSync(root, { recursive: true }));

test("a build names its version, commit and last migration, also after the checkout has moved on", () => {
  const commit = git("rev-parse", "--short=12", "HEAD");
  const built = path.join(root, "dist");
  noteBuild(root);
  git("commit", "-qm", "b", "--allow-empty");
  expect(describeBuild(built)).toBe(`muster ${version}\ncommit ${commit}\nlast migration ${last}`);
  noteBuild(root);
  expect(readCommit(built)).toBe(git("rev-parse", "--short=12", "HEAD"));
  fs.writeFileSync(path.join(root, "a"), "b");
  noteBuild(root);
  const changed = `${git("rev-parse", "--short=12", "HEAD")}-dirty`;
  expect(readCommit(built)).toBe(changed);
  fs.renameSync(path.join(root, ".git"), path.join(root, "git"));
  noteBuild(root);
  fs.renameSync(path.join(root, "git"), path.join(root, ".git"));
  expect(readCommit(built)).toBe(changed);
});

test("sources name the commit of git, and nothing where there is none", () => {
  expect(readCommit(root)).toBe(git("describe", "--always", "--dirty", "--abbrev=12"));
  expect(readCommit(os.tmpdir())).toBe("unknown");
});
