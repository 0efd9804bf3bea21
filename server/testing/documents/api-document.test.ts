import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { roles, scopes } from "@/domain/permissions";
import { errorTable } from "@/server/platform/errors";
import { rateLimitNames } from "@/server/platform/rate-limits";
import { root } from "@/server/testing/architecture/source-tree";

const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");

/** The first cells of the table below a heading, their code spans or their text. */
function firstCells(file: string, heading: string): string[] {
  const section = new RegExp(`^#+ ${heading}\\n(.*?)(?=^#|(?![^]))`, "ms").exec(read(file))?.[1] ?? "";
  return [...section.matchAll(/^\| ([^|]+) \|/gm)].slice(1).map(([, cell]) => cell ?? "");
}
const listCodes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");

describe("the pages about the API", () => {
  test("lists every scope", () => {
    expect(firstCells("docs/api.md", "Scopes").flatMap(listCodes).sort()).toEqual([...scopes].sort());
  });

  test("names every role", () => {
    for (const role of roles) expect(read("docs/api.md")).toContain(`\`${role}\``);
  });

  test("lists every rate limit", () => {
    expect(firstCells("docs/limits.md", "Rate limits").flatMap(listCodes).sort()).toEqual([...rateLimitNames].sort());
  });

  test("lists every error status that a caller may receive", () => {
    const statuses = Object.values(errorTable).map(({ status }) => String(status));
    // 408 is not listed: it closes the connection of a sender that is too slow. Nobody receives 499.
    expect(firstCells("docs/errors.md", "Errors").flatMap((cell) => cell.split(", "))).toEqual(
      [...new Set(statuses)].filter((status) => status !== "408" && status !== "499").sort(),
    );
  });
});
