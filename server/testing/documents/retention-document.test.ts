import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { defaultRetention } from "@/server/platform/operator-retention";
import { root } from "@/server/testing/architecture/source-tree";

const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const document = read("docs/operations/retention.md");

test("every table of the schema has one rule that says when its rows are deleted", () => {
  const tables = fs
    .readdirSync(path.join(root, "prisma/schema"))
    .flatMap((file) => [...read(`prisma/schema/${file}`).matchAll(/@@map\("(\w+)"\)/g)].map(([, table]) => table));
  const section = /^## Every table\n(.*?)^## /ms.exec(document)?.[1] ?? "";
  const listed = [...section.matchAll(/^\| (`.*?) \| \S.*\|$/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, table]) => table),
  );
  expect(tables.length).toBeGreaterThan(60);
  expect(listed.sort()).toEqual(tables.sort());
});

test("the operator's kinds are documented with their defaults", () => {
  const rows = [...document.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, kind = "", days]) => [kind, Number(days)]);
  expect(Object.fromEntries(rows)).toEqual(defaultRetention);
});
