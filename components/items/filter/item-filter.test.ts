import { describe, expect, test } from "vitest";
import { filterConditions, parseFilter } from "@/domain/items/filter";
import { completeFilter } from "@/domain/items/filter-completion";
import { readFilter, withoutCondition } from "./read-filter";
import { suggest, type FetchVocabulary } from "./suggestions";

const vocabulary: FetchVocabulary = (field, prefix) =>
  Promise.resolve({
    exact: field !== "label",
    fields: field === undefined ? [{ path: "metadata.width", kinds: ["number"], count: 1_200 }] : [],
    values:
      field === "status"
        ? [{ value: "completed", count: 312, quoted: false }]
        : [
            { value: "traffic light", count: 5_000, quoted: false },
            { value: `${prefix}35`, count: 2, quoted: true },
          ],
  });

/** The first suggestions at the caret, and the filter after the first one was taken. */
async function at(marked: string, explicit = false) {
  const caret = marked.indexOf("|");
  const source = marked.replace("|", "");
  const completion = completeFilter(source, caret);
  if (!completion) throw new Error("nothing is suggested");
  const found = await suggest(completion, explicit, vocabulary);
  const [first] = found;
  const taken =
    first && `${source.slice(0, completion.from)}${first.before}|${first.after}${source.slice(completion.to)}`;
  return { labels: found.map(({ label }) => label), first, taken };
}

describe("the suggestions of the filter box", () => {
  test("name fields, those of the items' metadata with their type and count", async () => {
    expect((await at("|")).labels).toEqual([
      "status",
      "key",
      "label",
      "project",
      "annotations_count",
      "created_at",
      "device",
      "recording",
      "rule",
      "media",
      "sequence",
      "result",
      "prediction",
      "score",
      "uid",
      "metadata.width",
      "NOT",
      "(",
    ]);
    expect((await at("wid|")).first).toMatchObject({ label: "metadata.width", detail: "number, 1,200" });
    expect((await at("key = a AND st|")).taken).toBe("key = a AND status |");
  });

  test("name the operators of the field, and open the list of IN", async () => {
    expect((await at("status |")).labels).toEqual(["=", "!=", "IN", "NOT IN"]);
    expect((await at("status i|")).taken).toBe("status IN (|)");
    expect((await at("label NOT |")).taken).toBe("label NOT IN (|)");
  });

  test("name values with counts, quoted where needed, and approximate where only the newest items were read", async () => {
    expect((await at("status = comp|")).first).toMatchObject({ label: "completed", detail: "submitted, 312" });
    expect((await at("status = rew|")).first).toMatchObject({ label: "rework_required", detail: "rework, 0" });
    expect((await at("status = subm|")).first).toMatchObject({ label: "completed", detail: "submitted, 312" });
    expect((await at("status = being|")).taken).toBe("status = pending |");
    const label = await at('label = "tra|" AND key = a');
    expect([label.taken, label.first?.detail]).toEqual(['label = "traffic light" | AND key = a', "≈ 5,000"]);
    expect((await at("status IN (comp|)")).taken).toBe("status IN (completed|)");
    expect((await at("metadata.lens = 3|")).taken).toBe('metadata.lens = "335" |');
  });

  test("join conditions when asked or typed, so that Tab leaves the box after a complete one", async () => {
    expect((await at("key = a |")).labels).toEqual([]);
    expect((await at("(key = a |", true)).labels).toEqual(["AND", "OR", ")"]);
    expect((await at("key = a o|")).taken).toBe("key = a OR |");
  });
});

describe("a filter of the box", () => {
  test("that only lacks its end is incomplete, and marks its last word", () => {
    expect(readFilter("key = a AND status")).toEqual({
      filter: null,
      fault: { message: "Expected an operator", from: 12, to: 18, incomplete: true },
    });
    for (const typed of ["sta", "metadata.", "status = comp", "key = a an", "created_at > 2026-1"])
      expect(readFilter(typed).fault, typed).toMatchObject({ incomplete: true });
    for (const wrong of ["stx", "status = x", "key = a key"])
      expect(readFilter(wrong).fault, wrong).toMatchObject({ incomplete: false });
    expect(readFilter("key = a AND satus = x").fault).toMatchObject({ from: 12, to: 17, incomplete: false });
    expect(readFilter(" ")).toEqual({ filter: null, fault: null });
  });

  test.each([
    ["key = a AND (key = b OR key = c) AND NOT label = x", 0, "(key = b OR key = c) AND NOT label = x"],
    ["(key = a AND key = b)", 1, "key = a"],
    ["key = a", 0, ""],
  ])("%s loses its condition %i and stays a filter", (source, at_, expected) => {
    expect(withoutCondition(source, filterConditions(parseFilter(source)), at_)).toBe(expected);
  });
});
