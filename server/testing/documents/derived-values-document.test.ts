import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { fieldKey, timeFunctions } from "@/engine/signals/expression";
import { Clock, type Samples } from "@/engine/signals/expression-clock";
import { evaluateExpression } from "@/engine/signals/expression-evaluator";
import { elementwise } from "@/engine/signals/expression-functions";
import { parseExpression } from "@/engine/signals/expression-parser";
import { TimeSlicer } from "@/engine/time-slicer";
import { root } from "@/server/testing/architecture/source-tree";

/** Computes the examples of docs/recordings.md. */

const document = fs.readFileSync(path.join(root, "docs/recordings.md"), "utf8");
const [section = ""] = /^## Derived values\n.*?(?=^## )/ms.exec(document) ?? [];

/** The rows of the table with this first heading, without the heads; code without its marks. */
function readTable(heading: string): string[][] {
  const [table = ""] = new RegExp(`^\\| ${heading} \\|.*\\n(?:\\|.*\\n)+`, "m").exec(section) ?? [];
  const rows = table.trim().split("\n").slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replace(/^`|`$/g, "")),
  );
}

const inputs = new Map<string, Samples>();
const fields = readTable("seconds").map(([name = "", ...cells]) => {
  const [, topic = "", field = ""] = /^(\/\w+)\.(.+)$/.exec(name) ?? [];
  const times = Float64Array.from(cells, (_, at) => at * 1e9);
  const values = Float64Array.from(cells, (cell) => (cell === "NaN" ? NaN : Number(JSON.parse(cell))));
  inputs.set(fieldKey({ topic, field }), { clock: new Clock(times, 5e9), values });
  return { topic, field: { path: field, kind: "number" } };
});
const topics = [...new Set(fields.map(({ topic }) => topic))].map((name) => ({
  name,
  fields: fields.filter(({ topic }) => topic === name).map(({ field }) => field),
}));

describe("the examples of derived values", () => {
  const examples = readTable("expression");

  test.each(examples.map(([expression = "", ...cells]) => [expression, cells] as const))("%s", async (text, cells) => {
    const { clock, values } = await evaluateExpression(parseExpression(text, topics), inputs, new TimeSlicer());
    for (const [at, cell] of cells.entries()) {
      const value = values[clock.times.indexOf(at * 1e9)];
      if (cell === "–") expect(value).toBeNaN();
      else expect(value).toBeCloseTo(Number(cell), 9);
    }
  });

  test("there are some, and every function is described", () => {
    expect(examples.length).toBeGreaterThan(10);
    const described = readTable("functions")
      .map(([names = ""]) => names)
      .join(" ");
    for (const name of [...Object.keys(elementwise), ...Object.keys(timeFunctions)])
      expect(described).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
