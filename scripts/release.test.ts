import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = path.resolve("scripts/release.mjs");
const form = fs.readFileSync("docs/operations/versions.md", "utf8");
const changelog = fs.readFileSync("CHANGELOG.md", "utf8");
const date = new Date().toISOString().slice(0, 10);

let root: string;
const at = (file: string) => path.join(root, file);
const read = (file: string) => fs.readFileSync(at(file), "utf8");
const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(at(file)), { recursive: true });
  fs.writeFileSync(at(file), text);
}
const migrate = (name: string, sql = "select 1;\n") => write(`prisma/migrations/${name}/migration.sql`, sql);
function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", "Change something");
}

function release(part: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, part], { cwd: root, encoding: "utf8" });
  return { status, stdout, stderr };
}
const lines = (file: string) => read(file).split("\n");

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "muster-release-"));
  git("init", "--quiet");
  for (const [name, value] of [
    ["user.name", "a"],
    ["user.email", "a@example.com"],
    ["commit.gpgsign", "false"],
    ["tag.gpgsign", "false"],
  ] as const)
    git("config", name, value);
  write("package.json", '{\n  "name": "muster",\n  "version": "0.1.0",\n  "engines": { "node": ">=20" }\n}\n');
  write(
    "package-lock.json",
    JSON.stringify(
      {
        name: "muster",
        version: "0.1.0",
        packages: { "": { name: "muster", version: "0.1.0" }, "node_modules/a": { version: "0.1.0" } },
      },
      null,
      2,
    ),
  );
  write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-11-21\n\nThe first.\n");
  // The page of the product, whatever it lists by now.
  write("docs/operations/versions.md", form.replace(/^\| \d.*\n/gm, ""));
  migrate("0001_first");
  migrate("0002_second");
  commit();
});
afterEach(() => fs.rmSync(root, { recursive: true }));

test("a release is a version, a part of the changelog, a line of the versions, a commit and a tag", () => {
  expect(release("minor")).toMatchObject({ status: 0, stderr: "" });
  expect(read("package.json")).toContain('"version": "0.2.0",\n  "engines": { "node": ">=20" }');
  expect(JSON.parse(read("package-lock.json"))).toEqual({
    name: "muster",
    version: "0.2.0",
    packages: { "": { name: "muster", version: "0.2.0" }, "node_modules/a": { version: "0.1.0" } },
  });
  expect(read("CHANGELOG.md")).toBe(
    `# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - ${date}\n\n- New.\n\n## [0.1.0] - 2026-11-21\n\nThe first.\n`,
  );
  expect(lines("docs/operations/versions.md")).toContain(`| 0.2.0 | ${date} | \`0002_second\` | – |`);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("log", "-1", "--format=%s")).toBe("Release 0.2.0");
  expect(git("describe")).toBe("v0.2.0");
});

test("the versions that may run on a database end where a migration needs a later one", () => {
  const next = (name: string, part: string, sql?: string) => {
    migrate(name, sql);
    write("CHANGELOG.md", read("CHANGELOG.md").replace("[Unreleased]\n", "[Unreleased]\n\n- More.\n"));
    commit();
    expect(release(part)).toMatchObject({ status: 0, stderr: "" });
  };
  next("0003_third", "minor");
  next("0004_fourth", "patch");
  next("0005_fifth", "minor", "-- needs: 0004_fourth\nselect 1;\n");
  next("0006_sixth", "major");
  next("0007_seventh", "patch", "-- needs: 0007_seventh\nselect 1;\n");
  const rows = lines("docs/operations/versions.md").filter((line) => /^\| \d/.test(line));
  expect(rows.map((row) => row.split(" | ").map((cell) => cell.replace(/[| `]/g, "")))).toEqual([
    ["1.0.1", date, "0007_seventh", "–"],
    ["1.0.0", date, "0006_sixth", "0.2.1"],
    ["0.3.0", date, "0005_fifth", "0.2.1"],
    ["0.2.1", date, "0004_fourth", "0.2.0"],
    ["0.2.0", date, "0003_third", "–"],
  ]);
});

test("nothing is released that is not committed, has no changes to name, or is named already", () => {
  const head = git("rev-parse", "HEAD");
  const expectRefused = (part: string, reason: string) => {
    expect(release(part)).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) as string });
    expect([git("rev-parse", "HEAD"), git("tag", "--list", "v0.2.0")]).toEqual([head, ""]);
  };
  expectRefused("huge", "usage");
  write("left", "");
  expectRefused("minor", "not committed");
  fs.rmSync(at("left"));
  git("tag", "v1.0.0");
  expectRefused("major", "a tag v1.0.0 already");
  write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-11-21\n");
  git("commit", "--quiet", "--all", "--amend", "--message", "Forget what changed");
  const again = git("rev-parse", "HEAD");
  expect(release("minor").stderr).toContain("nothing under Unreleased");
  expect(git("rev-parse", "HEAD")).toBe(again);
});

test("the product has the form that a release changes", () => {
  expect(changelog).toMatch(/^## \[Unreleased\]\n/m);
  expect(form.match(/^\|---.*\n/gm)).toHaveLength(1);
  const lock = fs.readFileSync("package-lock.json", "utf8");
  expect(lock.match(/("name": "[^"]+",\s+"version": )"[^"]+"/g)).toHaveLength(2);
});
