import { describe, expect, test } from "vitest";
import { bothFilters, chosenDay, chosenValues, filterOfValues, toggleDay, toggleValue } from "./grid/filter-parts";
import { readFirstItems } from "./grid/first-query";
import { layOut, moveTo } from "./grid/grid-layout";
import { mergeRows, listPages } from "./grid/page-rows";
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
