import { describe, expect, it } from "vitest";
import { csvName, resultCsv } from "./result-csv";

const column = (name: string, type: string) => ({ name, type });

describe("a result as CSV", () => {
  it("has a line of names, then one for each row, quoted where it has to be", () => {
    const csv = resultCsv({
      columns: [column("device_name", "VARCHAR"), column("a, b", "DOUBLE"), column("on", "BOOLEAN")],
      rows: [
        ['Robot "1", left', 1.5, true],
        ["two\nlines", null, false],
      ],
    });
    expect(csv).toBe('device_name,"a, b",on\r\n"Robot ""1"", left",1.5,true\r\n"two\nlines",,false\r\n');
  });

  it("has exact integers, and numbers as they are", () => {
    const columns = [column("big", "BIGINT"), column("d", "DECIMAL(18,3)"), column("f", "DOUBLE")];
    const rows = [
      ["-9223372036854775808", "-0.125", -1e-7],
      ["9223372036854775807", "12345678901234.567", "-Infinity"],
    ];
    expect(resultCsv({ columns, rows })).toBe(
      "big,d,f\r\n-9223372036854775808,-0.125,-1e-7\r\n9223372036854775807,12345678901234.567,-Infinity\r\n",
    );
  });

  it.each(["=1+1", "+1", "-1", "@SUM(1)", "\t=1"])("keeps %j from running as a formula", (text) => {
    const csv = resultCsv({ columns: [column(text, "VARCHAR")], rows: [[text]] });
    expect(csv).toBe(`'${text}\r\n'${text}\r\n`);
  });

  it("writes lists as JSON, and an empty cell alone so that its row is not skipped", () => {
    expect(resultCsv({ columns: [column("l", "INTEGER[]")], rows: [[[1, 2]], [null]] })).toBe('l\r\n"[1,2]"\r\n""\r\n');
  });

  it("has a name that says when there are more rows", () => {
    const now = new Date("2026-01-31T23:59:00Z");
    expect(csvName({ row_count: 3, truncated: false }, now)).toBe("query-2026-01-31.csv");
    expect(csvName({ row_count: 10_000, truncated: true }, now)).toBe("query-2026-01-31-first-10000-rows.csv");
  });
});
