import { describe, expect, test } from "vitest";
import {
  findNext,
  findPrevious,
  flattenMessage,
  listColumns,
  mergePages,
  rowsCsv,
  type MessagesPage,
} from "./message-rows";

const page = (
  at: number,
  times: readonly number[],
  value: (time: number) => unknown = (time) => ({ t: time }),
): MessagesPage => ({
  topic: "/t",
  schema: "T",
  encoding: "json",
  at: String(at),
  messages: times.map((time) => ({
    time: "",
    log_time_ns: String(time),
    publish_time_ns: String(time),
    sequence: 0,
    size_bytes: 1,
    value: value(time),
    error: null,
    head: null,
  })),
});

describe("the rows of a topic", () => {
  test("are the values of each message by path, with long lists counted", () => {
    const message = {
      a: { b: 1, "odd key": true },
      short: [1, { x: 2 }],
      long: { $list: true, length: 5_000, items: [1] },
      none: [],
      text: null,
    };
    expect(Object.fromEntries(flattenMessage(message))).toEqual({
      "a.b": 1,
      'a["odd key"]': true,
      "short[0]": 1,
      "short[1].x": 2,
      long: "5,000 items",
      none: "0 items",
      text: null,
    });
    expect(Object.fromEntries(flattenMessage(5))).toEqual({ value: 5 });
  });

  test("have each message once, in the order of time, and those of one moment all", () => {
    const rows = mergePages([page(5, [4, 5, 5, 6]), page(6, [5, 5, 6, 7]), page(4, [2, 3, 4, 5])]);
    expect(rows.map(({ ns }) => Number(ns))).toEqual([2, 3, 4, 5, 5, 6, 7]);
  });

  test("lead to those after and before them, and end", () => {
    expect(findNext(page(5, [3, 4, 5, 6]), 4)).toBe("6");
    expect(findNext(page(5, [3, 4, 5, 5]), 4)).toBe("6");
    expect(findNext(page(5, [2, 3, 4, 5]), 4)).toBeUndefined();
    expect(findNext(page(5, []), 4)).toBeUndefined();
    expect(findPrevious(page(5, [3, 4, 5, 6]), 4)).toBe("3");
    expect(findPrevious(page(5, [4, 5, 6, 7]), 4)).toBeUndefined();
  });

  test("as CSV have exact times, every column, and no formula", () => {
    const rows = mergePages([
      page(1, [1_770_000_000_000_000_001], () => ({ a: 1 })),
      page(2, [1_770_000_000_000_000_256], () => ({ b: "=1+1", c: 'say "so"' })),
    ]);
    expect(rowsCsv(rows, listColumns(rows))).toBe(
      `log_time_ns,a,b,c\r\n${rows[0]!.ns},1,,\r\n${rows[1]!.ns},,'=1+1,"say ""so"""\r\n`,
    );
  });

  test("have at most a hundred columns", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`v${at}`, at]));
    expect(listColumns(mergePages([page(1, [1], () => wide)]))).toHaveLength(100);
  });
});
