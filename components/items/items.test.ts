import { describe, expect, test } from "vitest";
import {
  bothFilters,
  chosenDay,
  chosenRange,
  chosenValues,
  filterOfValues,
  numberText,
  parseNumber,
  rangedFields,
  setRange,
  toggleDay,
  toggleValue,
} from "./grid/filter-parts";
import { readFirstItems } from "./grid/first-query";
import { layOut, moveTo } from "./grid/grid-layout";
import { mergeRows, listPages } from "./grid/page-rows";
import { binsBetween, listBins, rangeOfBins } from "./grid/range-bins";
import type { ItemCell } from "./item-source";

const value = (text: string, quoted = false) => ({ value: text, quoted });

describe("a facet", () => {
  test("names a value, then several, and takes them back, beside what the filter has already", () => {
    const one = toggleValue("key ~ front", "status", value("completed"));
    expect(one).toBe("key ~ front AND status = completed");
    const two = toggleValue(one, "status", value("pending"));
    expect(two).toBe("key ~ front AND status IN (completed, pending)");
    expect(chosenValues(two, "status")).toEqual(["completed", "pending"]);
    expect(toggleValue(toggleValue(two, "status", value("pending")), "status", value("completed"))).toBe("key ~ front");
  });

  test("keeps an alternative together, and quotes what needs it", () => {
    const either = "status = pending OR key ~ a";
    expect(toggleValue(either, "label", value("traffic light"))).toBe(
      '(status = pending OR key ~ a) AND label = "traffic light"',
    );
    expect(toggleValue("", "metadata.lane", value("2", true))).toBe('metadata.lane = "2"');
    expect(toggleValue("status = (", "label", value("car"))).toBe("label = car");
  });

  test("limits to a day and takes that back", () => {
    const day = toggleDay("label = car", "2026-02-28");
    expect(day).toBe("label = car AND created_at >= 2026-02-28 AND created_at < 2026-03-01");
    expect(chosenDay(day)).toBe("2026-02-28");
    expect(toggleDay(day, "2026-02-28")).toBe("label = car");
    expect(chosenDay("created_at >= 2026-02-28")).toBeNull();
  });
});

describe("a range of numbers", () => {
  const field = "metadata.speed";

  test("stands beside what the filter has, and takes the place of the range before", () => {
    const one = setRange("key ~ a OR key ~ b", field, { from: 1.5, to: null });
    expect(one).toBe("(key ~ a OR key ~ b) AND metadata.speed >= 1.5");
    const two = setRange(one, field, { from: -4, to: 0.0000001 });
    expect(two).toBe("(key ~ a OR key ~ b) AND metadata.speed >= -4 AND metadata.speed <= 0.0000001");
    expect(chosenRange(two, field)).toEqual({ from: -4, to: 0.0000001 });
    expect(rangedFields(two)).toEqual([field]);
    expect(setRange(two, field, { from: null, to: null })).toBe("(key ~ a OR key ~ b)");
  });

  test("is what has to hold in any case, and of numbers", () => {
    for (const source of ["metadata.speed >= 1 OR key ~ a", 'metadata.speed >= "1"', "metadata.speed > 1", "speed ("]) {
      expect([chosenRange(source, field), rangedFields(source)]).toEqual([{ from: null, to: null }, []]);
    }
    expect(rangedFields("annotations_count >= 1")).toEqual([]);
  });

  test.each([
    [" 1.5 ", 1.5],
    ["−3", -3],
    ["", null],
    ["1e5", null],
    ["1,5", null],
  ])("%j means %j", (text, number) => expect(parseNumber(text)).toBe(number));

  test.each([
    [1e-7, "0.0000001"],
    [-12.25, "-12.25"],
    [1e14, "100000000000000"],
  ])("%j is written as %j", (number, text) => expect(numberText(number)).toBe(text));

  const tenths = listBins({ min: 0.05, max: 0.5, step: 0.1, whole: false, bins: [{ from: 0, count: 3 }] });
  const fives = listBins({
    min: -3,
    max: 11,
    step: 5,
    whole: true,
    bins: [
      { from: -5, count: 1 },
      { from: 10, count: 2 },
    ],
  });

  test("is split into bins, also empty ones", () => {
    expect(tenths.map(({ from, to, count }) => [from, to, count])).toEqual([
      [0, 0.1, 3],
      [0.1, 0.2, 0],
      [0.2, 0.3, 0],
      [0.3, 0.4, 0],
      [0.4, 0.5, 0],
      [0.5, 0.6, 0],
    ]);
    expect(fives.map(({ from, to, count }) => [from, to, count])).toEqual([
      [-5, -1, 1],
      [0, 4, 0],
      [5, 9, 0],
      [10, 14, 2],
    ]);
  });

  test("of bins leads back to these bins, and is open at the outermost", () => {
    for (const bins of [tenths, fives]) {
      for (const [first, last] of [
        [0, bins.length - 1],
        [1, 1],
        [0, 2],
        [2, bins.length - 1],
      ] as const) {
        expect(binsBetween(bins, rangeOfBins(bins, first, last))).toEqual([first, last]);
      }
    }
    expect(rangeOfBins(fives, 1, 2)).toEqual({ from: 0, to: 9 });
    expect(rangeOfBins(fives, 0, 3)).toEqual({ from: null, to: null });
    expect(binsBetween(fives, { from: 7, to: 7 })).toEqual([2, 2]);
    expect(binsBetween(tenths, { from: 0.1, to: 0.1 })).toEqual([1, 1]);
    expect(binsBetween(fives, { from: 50, to: null })).toEqual([4, 3]);
  });
});

test("a filter of a slice and one's own hold together", () => {
  expect(bothFilters("a = 1 OR b = 2", " ")).toBe("a = 1 OR b = 2");
  expect(bothFilters("status = pending", "key ~ x OR key ~ y")).toBe("(status = pending) AND (key ~ x OR key ~ y)");
  expect(filterOfValues("key", ["a b.png"])).toBe('key = "a b.png"');
  expect(filterOfValues("key", ["a.png", "b.png"])).toBe('key IN ("a.png", "b.png")');
});

describe("the layout", () => {
  const usual = { width: 1_000, size: 160, count: 100, table: false, narrow: false };

  test("fits cells beside each other, three on a phone, one row an item in a table", () => {
    expect(layOut(usual)).toMatchObject({ columns: 6, rows: 17 });
    expect(layOut({ ...usual, width: 360, narrow: true })).toMatchObject({ columns: 3, rows: 34 });
    expect(layOut({ ...usual, table: true })).toMatchObject({ columns: 1, rows: 100 });
  });

  test("leads from an item to another by keys, never out of the grid", () => {
    const grid = { columns: 6, count: 100, rowsOnScreen: 4 };
    expect(moveTo("ArrowRight", 5, grid)).toBe(6);
    expect(moveTo("ArrowUp", 3, grid)).toBe(0);
    expect(moveTo("PageDown", 10, grid)).toBe(34);
    expect(moveTo("End", 10, grid)).toBe(99);
    expect(moveTo("Home", 99, grid)).toBe(0);
    expect(moveTo("q", 10, grid)).toBeNull();
  });
});

describe("a page", () => {
  const row = (uid: string, key = uid): ItemCell => ({
    uid,
    key,
    status: "unattempted",
    media_type: "image/png",
    annotations_count: 0,
    tint: null,
    has_thumbnail: true,
    label: null,
    label_color: null,
    width: null,
    height: null,
    extent: null,
  });

  test("that is loaded again keeps every item in its place and marks those that are gone", () => {
    expect(mergeRows([row("a"), row("b"), row("c")], [row("c"), row("a", "renamed"), row("d")])).toEqual([
      row("a", "renamed"),
      { ...row("b"), gone: true },
      row("c"),
      row("d"),
    ]);
  });

  test("is found by the places of its items", () => {
    expect(listPages(190, 410, 200, 500)).toEqual([0, 1, 2]);
    expect(listPages(0, 5_000, 200, 2)).toEqual([0, 1]);
  });
});

describe("what a page shows before its items are counted", () => {
  const of = (query: string) =>
    readFirstItems({ dataset: "d", filter: "label = car" }, Object.fromEntries(new URLSearchParams(query)));

  test("is the beginning of what its address names", () => {
    expect(of("")).toEqual({ dataset: "d", filter: "label = car", ordering: "-created_at" });
    expect(of("tab=items&ordering=key&filter_query_string=key+~+a")).toEqual({
      dataset: "d",
      filter: "(label = car) AND (key ~ a)",
      ordering: "key",
    });
    expect(of("ordering=unknown")?.ordering).toBe("-created_at");
  });

  test("is nothing where it begins elsewhere or has no pictures", () => {
    for (const query of ["at=01a2", "view=table", "tab=health"]) expect(of(query)).toBeNull();
  });
});
