import { describe, expect, test } from "vitest";
import { splitArrivals } from "./fresh-rows";

const findRows = (...uids: string[]) => uids.map((uid) => ({ uid }));
const shown = (...uids: string[]) => ({ list: "all", keys: new Set(uids) });
const none: ReadonlySet<string> = new Set();
const listUids = (rows: { uid: string }[] | undefined) => rows?.map(({ uid }) => uid);

describe("rows of a live list", () => {
  test("that arrive above those on screen wait", () => {
    const split = splitArrivals(shown("b", "a"), "all", findRows("d", "c", "b", "a"), none);
    expect(listUids(split.rows)).toEqual(["b", "a"]);
    expect(split.waiting).toBe(2);
  });

  test("that come below the last one on screen, by paging, are shown immediately and stay shown", () => {
    const split = splitArrivals(shown("c", "b"), "all", findRows("d", "c", "b", "a"), none);
    expect(listUids(split.rows)).toEqual(["c", "b", "a"]);
    expect(split.waiting).toBe(1);
    expect(split.next).toEqual(shown("c", "b", "a"));
  });

  test("that this person has created are shown immediately, between others that wait", () => {
    const split = splitArrivals(shown("a"), "all", findRows("c", "own", "a"), new Set(["own"]));
    expect(listUids(split.rows)).toEqual(["own", "a"]);
    expect(split.waiting).toBe(1);
  });

  test("that were removed disappear immediately", () => {
    const split = splitArrivals(shown("c", "b", "a"), "all", findRows("c", "a"), none);
    expect(listUids(split.rows)).toEqual(["c", "a"]);
    expect(split.waiting).toBe(0);
  });

  test("of other filters are shown as soon as they are loaded", () => {
    expect(splitArrivals(shown("b", "a"), null, findRows("c", "b", "a"), none)).toEqual({
      rows: findRows("c", "b", "a"),
      waiting: 0,
    });
    const split = splitArrivals(shown("b", "a"), "online", findRows("c", "b"), none);
    expect(listUids(split.rows)).toEqual(["c", "b"]);
    expect(split.next).toEqual({ list: "online", keys: new Set(["c", "b"]) });
  });

  test("are all shown in a list that was empty", () => {
    const split = splitArrivals(shown(), "all", findRows("b", "a"), none);
    expect(listUids(split.rows)).toEqual(["b", "a"]);
    expect(split.waiting).toBe(0);
  });

  test("are unknown while the first page loads", () => {
    expect(splitArrivals(shown("a"), "all", undefined, none)).toEqual({ rows: undefined, waiting: 0 });
  });
});
