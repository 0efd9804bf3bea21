import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "@/server/testing/architecture/source-tree";

/** The files, folders and headings that the documents name exist. */

const below = (folder: string): string[] =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => file.endsWith(".md"));
const documents = [...fs.readdirSync(root).filter((file) => file.endsWith(".md")), ...below("docs")];

const withoutCode = (text: string): string => text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "");

/** How GitHub names the anchor of a heading. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, "")
    .replaceAll(" ", "-");
const listAnchors = (file: string): string[] =>
  [
    ...fs
      .readFileSync(path.join(root, file), "utf8")
      .replace(/^```.*?^```/gms, "")
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading]) => toAnchor(heading ?? ""));

/** Whether a link of `file` points to a file of the repository, and to a heading there if it names one. */
function isResolvable(file: string, link: string): boolean {
  const [target = "", anchor] = link.split("#");
  const at = target === "" ? file : path.posix.join(path.posix.dirname(file), target);
  if (!fs.existsSync(path.join(root, at))) return false;
  return anchor === undefined || listAnchors(at).includes(anchor);
}

/** Code spans that look like a path of the repository and name one file or folder. */
const areas =
  /^(?:app|bench|cli|components|docs|domain|e2e|engine|faults|prisma|public|scripts|server)\/[\w./()[\]-]*$/;

test("the changelog says in at most 120 lines what users see of the latest version, and of what is unreleased", () => {
  const text = fs.readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
  expect(text).toMatch(/^## \[Unreleased\]\n/m);
  const [unreleased = "", latest = ""] = text.split(/^## .*\n/m).slice(1);
  // Right after a release, nothing is unreleased.
  expect(`${unreleased}${latest}`).toMatch(/^### (Added|Changed|Fixed)$/m);
  for (const part of [unreleased, latest]) expect(part.trim().split("\n").length).toBeLessThanOrEqual(120);
});

describe.each(documents)("%s", (file) => {
  const text = fs.readFileSync(path.join(root, file), "utf8");

  test("has no broken links", () => {
    const links = [
      ...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g),
      ...withoutCode(text).matchAll(/(?:src|href)="([^"]+)"/g),
    ].map(([, link]) => link ?? "");
    expect(links.filter((link) => !/^[a-z]+:/.test(link) && !isResolvable(file, link))).toEqual([]);
  });

  test("names files and folders that exist", () => {
    const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? "").filter((code) => areas.test(code));
    expect(named.filter((name) => !fs.existsSync(path.join(root, name)))).toEqual([]);
  });
});
