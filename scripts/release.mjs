// `npm run release -- minor|patch|major`: gives what is committed a version. Writes it into package.json and its lock file,
// moves what CHANGELOG.md has under Unreleased below it, adds a line to docs/operations/versions.md, and makes a commit and
// a tag of it. Pushes nothing.
import { execFileSync } from "node:child_process";
import fs from "node:fs";

const changelog = "CHANGELOG.md";
const versions = "docs/operations/versions.md";

/** @param {string} message @returns {never} */
function refuse(message) {
  console.error(message);
  process.exit(1);
}

const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
const read = (file) => fs.readFileSync(file, "utf8");

/** The text of a file with something replaced. Refuses when that is not there. */
function replaced(file, pattern, by) {
  const text = read(file);
  const changed = text.replace(pattern, by);
  if (changed === text) refuse(`${file} has not the form that a release changes: ${pattern} is not in it.`);
  return [file, changed];
}

/** The version after another one. */
function raise(version, part) {
  const [major, minor, patch] = version.split(".").map(Number);
  if (part === "major") return `${major + 1}.0.0`;
  return part === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** The names of the migrations in order, each with the oldest one that a Muster must know to run on its result, if any. */
const listMigrations = () =>
  fs
    .readdirSync("prisma/migrations", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({ name, needs: /^-- needs: (\w+)$/m.exec(read(`prisma/migrations/${name}/migration.sql`))?.[1] }));

/** The released versions with their last migrations, the latest first. */
const listReleases = () =>
  [...read(versions).matchAll(/^\| (\d+\.\d+\.\d+) \| [^|]* \| `(\w+)` \|/gm)].map(([, version, last]) => ({
    version,
    last,
  }));

/** The oldest version that runs on a database of what is released now; every one between does too. */
function findRollback(migrations, releases) {
  let oldest = "–";
  for (const { version, last } of releases) {
    const runs = migrations.every(({ name, needs }) => name <= last || needs === undefined || needs <= last);
    if (!runs) break;
    oldest = version;
  }
  return oldest;
}

const part = process.argv[2];
if (!["major", "minor", "patch"].includes(part)) refuse("usage: npm run release -- minor|patch|major");
if (git("status", "--porcelain") !== "")
  refuse("There are changes that are not committed. A release is of what is committed.");
const { version: last } = JSON.parse(read("package.json"));
const version = raise(last, part);
const tag = `v${version}`;
if (git("tag", "--list", tag) !== "") refuse(`There is a tag ${tag} already.`);
const unreleased = /^## \[Unreleased\]\n(.*?)(?=^## |(?![^]))/ms;
if (!unreleased.exec(read(changelog))?.[1].trim()) refuse(`${changelog} has nothing under Unreleased.`);

const date = new Date().toISOString().slice(0, 10);
const migrations = listMigrations();
const rollback = findRollback(migrations, listReleases());
const lastMigration = migrations.at(-1)?.name;
const changes = [
  replaced("package.json", /^( {2}"version": )"[^"]+"/m, `$1"${version}"`),
  replaced("package-lock.json", /("name": "[^"]+",\s+"version": )"[^"]+"/g, `$1"${version}"`),
  replaced(changelog, /^## \[Unreleased\]\n/m, `## [Unreleased]\n\n## [${version}] - ${date}\n`),
  replaced(versions, /^\|---.*\n/m, `$&| ${version} | ${date} | \`${lastMigration}\` | ${rollback} |\n`),
];
for (const [file, text] of changes) fs.writeFileSync(file, text);
git("add", ...changes.map(([file]) => file));
git("commit", "--quiet", "--message", `Release ${version}`);
git("tag", "--annotate", tag, "--message", `Muster ${version}`);
console.log(`${last} → ${version}, last migration ${lastMigration}, may roll back to ${rollback}.`);
console.log(`Publish it with: git push --follow-tags`);
