import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { conditionSchema } from "@/domain/conditions/condition-schema";
import { fieldModes, operators } from "@/domain/conditions/operators";
import { conditionTypes } from "@/domain/conditions/registry";
import { actionsSchema, actionTypes } from "@/domain/rules/actions";
import { CreateRule } from "@/domain/rules/schema";
import { scopeSchema } from "@/domain/rules/scope";
import { triggers, type Tracks } from "@/engine/rules/recording.fixture";
import { root } from "@/server/testing/architecture/source-tree";

/** Runs the examples of docs/rules.md and compares its lists with the code. */

const document = fs.readFileSync(path.join(root, "docs/rules.md"), "utf8");

interface Example {
  kind: string;
  json: unknown;
  /** The text between the example and the next one. */
  after: string;
  line: number;
}

const examples: Example[] = [...document.matchAll(/^```json (\w+)\n(.*?)^```\n(.*?)(?=^```|$(?![^]))/gms)].map(
  ({ 1: kind = "", 2: json = "", 3: after = "", index }) => ({
    kind,
    json: JSON.parse(json),
    after,
    line: document.slice(0, index).split("\n").length,
  }),
);

const splitCells = (row: string): string[] =>
  row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

const noMessage = "–";
const anyMessage = "•";

function toMessage(cell: string, field: string | undefined): unknown {
  if (cell === anyMessage) return {};
  const value: unknown = cell === "NaN" ? NaN : JSON.parse(cell);
  return field === undefined ? value : { [field]: value };
}

/** The messages of a table: a column is an instant in seconds, a row a topic, or a field of one. */
function parseTracks(text: string): Tracks {
  const [head = "", , ...rows] = text.split("\n").filter((line) => line.startsWith("|"));
  const times = splitCells(head).slice(1).map(Number);
  return Object.fromEntries(
    rows.map((row) => {
      const [name = "", ...cells] = splitCells(row);
      const [topic = "", field] = [...name.matchAll(/`([^`]+)`/g)].map(([, each]) => each ?? "");
      const messages = cells.flatMap((cell, at) =>
        cell === noMessage ? [] : [[times[at] ?? NaN, toMessage(cell, field)] as const],
      );
      return [topic, messages];
    }),
  );
}

/** The table after an example and the triggers stated below it, in seconds; null where there are none. */
function parseExpected(after: string): { tracks: Tracks; triggers: number[] } | null {
  const [, table, list] = /^\n((?:\|.*\n)+)\nTriggers: (.+)\.\n/.exec(after) ?? [];
  if (table === undefined || list === undefined) return null;
  const times = list === "none" ? [] : list.split(", ").map((each) => Number(each.replace(/ s$/, "")));
  return { tracks: parseTracks(table), triggers: times };
}

const ofKind = (kind: string) => examples.filter((example) => example.kind === kind);

describe("the rules reference", () => {
  test("has no JSON that is not an example of a known kind", () => {
    const fences = document.match(/^```\w.*$/gm) ?? [];
    expect(fences).toHaveLength(examples.length);
    expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(["rule", "condition", "actions", "scope"]));
  });

  test.each(ofKind("condition"))("states the triggers of the condition in line $line", ({ json, after }) => {
    const condition = conditionSchema.parse(json);
    expect(condition).toEqual(json);
    const stated = parseExpected(after);
    expect(stated && triggers(condition, stated.tracks)).toEqual(stated?.triggers);
  });

  test("has rules, actions and scopes that the API accepts as they are", () => {
    for (const { json } of ofKind("rule")) expect(CreateRule.parse(json)).toEqual(json);
    for (const { json } of ofKind("actions")) expect(actionsSchema.parse(json)).toEqual(json);
    for (const { json } of ofKind("scope")) expect(scopeSchema.parse(json)).toEqual(json);
  });

  test("has an example of every condition type and of every action", () => {
    const types = ofKind("condition").map(({ json }) => conditionSchema.parse(json).type);
    expect(new Set(types)).toEqual(new Set(conditionTypes));
    const actions = ofKind("actions").flatMap(({ json }) => actionsSchema.parse(json).map(({ type }) => type));
    expect(new Set(actions)).toEqual(new Set(actionTypes));
  });

  test.each([...operators, ...fieldModes])("names %s", (word) => {
    expect(document).toContain(`\`${word}\``);
  });
});
