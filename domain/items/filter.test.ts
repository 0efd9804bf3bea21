import { describe, expect, test } from "vitest";
import { filterConditions, parseFilter, type Filter } from "@/domain/items/filter";
import { completeFilter } from "@/domain/items/filter-completion";
import { FilterError, filterValue } from "@/domain/items/filter-tokens";

const refusal = (source: string): FilterError => {
  try {
    parseFilter(source);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  throw new Error(`${source} is a filter`);
};

describe("a filter", () => {
  test.each([
    ["status = lost", "lost"],
    ["status > completed", ">"],
    ["owner = me", "owner"],
    ["key = a key = b", "key"],
    ["metadata.width >= 1280 AND (label = robot OR kex ~ front)", "kex"],
    ["key = a)", ")"],
    ['key = a AND key = "front', '"front'],
    ["key = ?! a", "!"],
    ["status IN (completed, gone)", "gone"],
  ])("%s is refused under the very word %s", (source, word) => {
    const { from, to } = refusal(source);
    expect(source.slice(from, to)).toBe(word);
    expect(from).toBe(source.lastIndexOf(word));
  });

  test.each([
    ["status = submitted", ["completed"]],
    ['status != "Being read"', ["pending"]],
    [
      "status IN (untouched, ready, 'in work', rework, accepted)",
      ["unattempted", "ready_for_annotation", "in_progress", "rework_required", "customer_approved"],
    ],
    ["status = rework*", ["rework*"]],
    ["result = submitted", ["submitted"]],
  ])("%s names a state in the words of people too", (source, expected) => {
    const filter = parseFilter(source);
    expect(filter?.type === "is" && filter.values.map(({ text }) => text)).toEqual(expected);
  });

  test.each([
    [
      "status = done",
      '"done" is not a status. Statuses: unattempted, pending, ready_for_annotation, in_progress, completed, rework_required, customer_approved',
    ],
    ["media = sound", '"sound" is not a kind of media. Kinds: image, video, points, recording'],
    ["result IN (open)", '"open" is not a status of results. Statuses: submitted, accepted, rejected'],
  ])("%s is refused with the values that there are", (source, reason) => expect(refusal(source).reason).toBe(reason));

  test.each(["status", "status =", "key = a AND", "(key = a", "status IN (completed"])(
    "%s is refused at its end",
    (source) => expect(refusal(source)).toMatchObject({ from: source.length, to: source.length }),
  );

  const texts = (source: string): string[] =>
    filterConditions(parseFilter(source)).map(({ from, to }) => source.slice(from, to));

  test.each([
    ["", []],
    ["key = a", ["key = a"]],
    [
      "key = a AND (key = b OR key = c) and NOT label NOT IN (x, 'y z')",
      ["key = a", "(key = b OR key = c)", "NOT label NOT IN (x, 'y z')"],
    ],
    ["(key = a AND key = b)", ["key = a", "key = b"]],
    ["key = a OR key = b AND key = c", ["key = a OR key = b AND key = c"]],
  ])("%s has the conditions %j", (source, expected) => expect(texts(source)).toEqual(expected));

  test.each(["front", "a b", 'say "hi"', "and", "C:\\x", "(a)", "a,b", "ünïcode/*"])(
    "holds the value %s as it was written",
    (value) => {
      const { values } = parseFilter(`key = ${filterValue(value)}`) as Extract<Filter, { type: "is" }>;
      expect(values.map(({ text }) => text)).toEqual([value]);
    },
  );
});

describe("completing a filter", () => {
  const at = (marked: string) => {
    const caret = marked.indexOf("|");
    const source = marked.replace("|", "");
    const found = completeFilter(source, caret);
    return found && [found.expected, found.field, found.text, source.slice(found.from, found.to), found.depth];
  };

  test.each([
    ["|", ["term", null, "", "", 0]],
    ["sta|", ["term", null, "sta", "sta", 0]],
    ["metadata.wi|dth = 5", ["term", null, "metadata.wi", "metadata.width", 0]],
    ["NOT (NOT |", ["term", null, "", "", 1]],
    ["status |", ["operator", "status", "", "", 0]],
    ["label no|", ["operator", "label", "no", "no", 0]],
    ["label not |", ["not in", "label", "", "", 0]],
    ["status=|", ["value", "status", "", "", 0]],
    ["status = comp|", ["value", "status", "comp", "comp", 0]],
    ['label = "traffic l|', ["value", "label", "traffic l", '"traffic l', 0]],
    ['label = "traffic l|" AND key = a', ["value", "label", "traffic l", '"traffic l"', 0]],
    ["status IN |", ["list", "status", "", "", 0]],
    ["status IN (completed, |)", ["list value", "status", "", "", 0]],
    ["status IN (completed |", ["comma", "status", "", "", 0]],
    ["(status = completed |", ["joiner", null, "", "", 1]],
    ["(status = completed) an|", ["joiner", null, "an", "an", 0]],
    ["status = completed AND |", ["term", null, "", "", 0]],
  ])("%s", (marked, expected) => expect(at(marked)).toEqual(expected));

  test.each(["status completed |", "= |", "key = a) |", "nothing = |", "key = a ? key |", "key = ! a|"])(
    "%s offers nothing, because it cannot go on",
    (marked) => expect(at(marked)).toBe(null),
  );
});
