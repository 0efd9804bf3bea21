import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { product, readText, root } from "@/server/testing/architecture/source-tree";

/** Everything that pages load later goes through what tries again, and fails alone. */

const pages = product.filter((file) => /^(app|components)\//.test(file));
const loaders = "lazyPart|lazyDialog|loadPart|loadLaterScript|onServer: dynamic";
const later = /(?<!typeof )\bimport\(\s*"([^"]+)"/g;
const guarded = new RegExp(String.raw`\b(${loaders})\(\s*(?:async )?\(\) =>\s*\(?(?:await )?import\(\s*"([^"]+)"`, "g");

const parts = pages.flatMap((file) => {
  const text = readText(file);
  const found = [...text.matchAll(guarded)].map(([, by = "", of = ""]) => ({ file, by, of }));
  const all = [...text.matchAll(later)].map(([, of = ""]) => of);
  return [{ file, found, all }];
});

function lint(source: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-lint-"));
  try {
    fs.writeFileSync(path.join(folder, "part.tsx"), source);
    const oxlint = path.join(root, "node_modules/oxlint/bin/oxlint");
    const args = [oxlint, "-c", path.join(root, ".oxlintrc.json"), "--deny-warnings", folder];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    return status === 0 ? "" : stdout;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

describe("what pages load later", () => {
  test("is loaded by lazyPart, lazyDialog, loadPart or, in threads, loadLaterScript, and by nothing else", () => {
    const bare = parts.filter(({ found, all }) => found.length !== all.length).map(({ file }) => file);
    expect(bare).toEqual([]);
  });

  test("is most of what is large: the test sees it", () => {
    const count = (kind: string) => parts.flatMap(({ found }) => found).filter(({ by }) => by === kind).length;
    expect(count("lazyPart")).toBeGreaterThan(30);
    expect(count("lazyDialog")).toBeGreaterThan(20);
    expect(count("loadPart")).toBeGreaterThan(4);
    expect(count("loadLaterScript")).toBeGreaterThan(2);
  });

  test("is on the server the same part", () => {
    for (const { found } of parts) {
      for (const { by, of, file } of found.filter(({ by }) => by === "onServer: dynamic")) {
        expect({ by, file, isPart: found.some((other) => other.by === "lazyPart" && other.of === of) }).toEqual({
          by,
          file,
          isPart: true,
        });
      }
    }
  });

  test.each([
    { name: "lazy of React", source: `import { lazy } from "react";\nexport const Part = lazy;\n` },
    { name: "next/dynamic", source: `import dynamic from "next/dynamic";\nexport const Part = dynamic;\n` },
  ])("is not loaded by $name: the linter refuses it", ({ source }) => {
    expect(lint(source)).toContain("no-restricted-imports");
  });

  test("may use the rest of React", () => {
    expect(lint(`import { Suspense } from "react";\nexport const Part = Suspense;\n`)).toBe("");
  });
});
