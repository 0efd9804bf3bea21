import { describe, expect, it } from "vitest";
import { readRefusal } from "./error-place";

const marked = (sql: string, message: string) => {
  const { place } = readRefusal(message, sql);
  return place && sql.slice(place.from, place.to);
};

describe("where a query is wrong", () => {
  it("is the word above DuckDB's mark, and the quoted line is no part of the text", () => {
    const sql = 'select\n  nothing\nfrom "/m"';
    const message = 'Binder Error: Referenced column "nothing" not found!\n\nLINE 2:   nothing\n          ^';
    expect(readRefusal(message, sql).text).toBe('Binder Error: Referenced column "nothing" not found!');
    expect(marked(sql, message)).toBe("nothing");
    expect(marked('select "b.c" from x', 'No.\n\nLINE 1: select "b.c" from x\n               ^')).toBe('"b.c"');
  });

  it("is found in a long line, of which a part is quoted", () => {
    const sql = `select ${"1, ".repeat(50)}nothing, ${"2, ".repeat(50)}3`;
    const message = "No.\n\nLINE 1: ...1, 1, nothing, 2, 2, ...\n                 ^";
    expect(marked(sql, message)).toBe("nothing");
  });

  it("is the last character where something is missing at the end", () => {
    expect(marked("select (", "At end.\n\nLINE 1: select (\n                ^")).toBe("(");
  });

  it("is nowhere without a mark, and where the query was changed since", () => {
    expect(readRefusal("The query took longer than 30 seconds.", "select 1")).toEqual({
      text: "The query took longer than 30 seconds.",
      place: null,
    });
    expect(marked("select 1", "No.\n\nLINE 1: select 2\n               ^")).toBeNull();
    expect(marked("select 1", "No.\n\nLINE 7: select 1\n               ^")).toBeNull();
  });
});
