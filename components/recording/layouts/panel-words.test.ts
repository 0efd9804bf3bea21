import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { panelTypeIds } from "./panel-types";

const words = "components/product/panel-texts.ts";
const read = (file: string): string => readFileSync(file, "utf8");

/** The file that an import names; null for those of packages and other folders. */
function resolve(from: string, name: string): string | null {
  const base = name.startsWith("@/components/")
    ? name.slice(2)
    : name.startsWith(".")
      ? path.join(path.dirname(from), name)
      : null;
  if (base === null) return null;
  return [`${base}.tsx`, `${base}.ts`].find(existsSync) ?? null;
}

/** A file of components with all that it imports, also what is loaded later. */
function listFiles(first: string): string[] {
  const found = new Set([first]);
  for (const file of found)
    for (const [, name = ""] of read(file).matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
      const next = resolve(file, name);
      if (next) found.add(next);
    }
  return [...found];
}

/** What no file may say in words of its own. */
const said = [
  /No messages of \$|First message of \$/,
  /\bno data \$/,
  /\} old\b/,
  /% dropped/,
  /files of this recording are gone/,
  /needs WebGL;/,
  /Video needs https; /,
  /Cannot be shown: \$/,
];

test.each(panelTypeIds)("a panel of the type %s has the words that all panels share, and none of its own", (type) => {
  const registry = read("components/recording/layouts/panel-types.ts");
  const record = new RegExp(`"@/(components/recording/\\w+/${type}-type)"`).exec(registry)?.[1];
  const files = listFiles(`${record}.tsx`);
  expect(files).toContain(words);
  expect(files).toContain("components/product/panel-error.tsx");
  const own = files.filter((file) => ![words, "components/product/unshown-message.tsx"].includes(file));
  for (const pattern of said) expect(own.filter((file) => pattern.test(read(file)))).toEqual([]);
});

test("these words are those that are said", () => {
  const source = `${read(words)}${read("components/product/unshown-message.tsx")}`;
  for (const pattern of said) expect(source).toMatch(pattern);
});
