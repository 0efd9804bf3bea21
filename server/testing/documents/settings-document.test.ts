import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseEnv, settingNames } from "@/server/platform/env";
import { root } from "@/server/testing/architecture/source-tree";

const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");

/** Set by the launcher or by npm, never by an operator. */
const internal = ["NODE_ENV", "ROLE", "INIT_CWD"];
const settings = settingNames.filter((name) => !internal.includes(name)).sort();

const examples = new Map(
  [...read(".env.example").matchAll(/^# ([A-Z0-9_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
    name,
    value.replace(/^'(.*)'$/, "$1"),
  ]),
);

const listCodes = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");

/** The settings table of the deployment page: names and stated defaults. */
const rows = (/^## Settings\n(.*?)^## /ms.exec(read("docs/deployment.md"))?.[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => {
    const [, names, defaults] = line.split("|");
    return { names: listCodes(names), defaults: listCodes(defaults) };
  });

describe("the documented settings", () => {
  test("are complete in the deployment page and in .env.example", () => {
    expect(rows.flatMap(({ names }) => names).sort()).toEqual(settings);
    expect([...examples.keys()].sort()).toEqual(settings);
  });

  test("have the defaults that the deployment page states", () => {
    const defaults = parseEnv({}) as unknown as Record<string, unknown>;
    const stated = rows
      .filter(({ names, defaults: values }) => names.length === values.length && !names.includes("PUBLIC_URL"))
      .flatMap(({ names, defaults: values }) => names.map((name, at) => [name, values[at]] as const));
    expect(stated.length).toBeGreaterThanOrEqual(7);
    for (const [name, value] of stated) {
      expect([name, (parseEnv({ [name]: value }) as unknown as Record<string, unknown>)[name]]).toEqual([
        name,
        defaults[name],
      ]);
    }
  });

  test("can be set as .env.example sets them", () => {
    expect(() => parseEnv(Object.fromEntries(examples))).not.toThrow();
  });
});
