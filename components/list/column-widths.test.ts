import { describe, expect, test } from "vitest";
import { columnStyles, computeColumnWidths } from "./column-widths";
import type { DataTableColumn } from "./data-table-types";

interface Row {
  name: string;
  note: string;
}
const column = (id: string, rest: Partial<DataTableColumn<Row>> = {}): DataTableColumn<Row> => ({
  id,
  header: id,
  cell: () => null,
  ...rest,
});
const name = column("name", { minWidth: 100, text: (row) => row.name });
const note = column("note", { minWidth: 100, text: (row) => row.note });
const size = column("size", { width: 80 });

/** A width of the list at this width of its container. */
const at = (width: string | undefined, container: number): number => {
  const pattern =
    /^calc\((\d+)px(?: \+ min\(max\(0px, 100cqw - (\d+)px\), (\d+)px\) \* ([\d.]+))? \+ max\(0px, 100cqw - (\d+)px\) \* ([\d.]+)\)$/;
  const [, least, ...rest] = pattern.exec(width ?? "") ?? [];
  if (least === undefined) return Number.parseInt(width ?? "", 10);
  const [firstMin, naming, firstShare, min, share] = rest.map((each) => Number(each ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const first = Math.min(Math.max(0, container - firstMin), naming) * firstShare;
  return Number(least) + first + Math.max(0, container - min) * share;
};

describe("the widths of a list's columns", () => {
  test("fill the container exactly, and a fixed column keeps its width", () => {
    const rows = [{ name: "x".repeat(30), note: "x".repeat(44) }];
    const { widths } = computeColumnWidths([name, size, note], rows, 44);
    expect(widths[1]).toBe("80px");
    const sum = widths.reduce((total, width) => total + at(width, 1_200), 44);
    expect(sum).toBeCloseTo(1_200, 0);
  });

  test("give free room to the column whose content is cut, not to one whose content fits", () => {
    const rows = [{ name: "arm-01", note: "The file is cut off: it ends before its index" }];
    const { widths } = computeColumnWidths([name, note], rows, 0);
    expect(at(widths[0], 600)).toBe(100);
    expect(at(widths[1], 600)).toBe(500);
  });

  test("show the column that names the row whole before others get room", () => {
    const named = column("name", { minWidth: 100, required: true, text: (row) => row.name });
    const rows = [{ name: "x".repeat(20), note: "The file is cut off: it ends before its index" }];
    const { widths } = computeColumnWidths([named, note], rows, 0);
    expect(widths.map((width) => at(width, 230))).toEqual([130, 100]);
    expect(widths.map((width) => at(width, 260))).toEqual([160, 100]);
    expect(widths.map((width) => at(width, 600))).toEqual([160, 440]);
  });

  test("share free room equally where all content fits", () => {
    const { widths } = computeColumnWidths([name, note], [{ name: "a", note: "b" }], 0);
    expect(widths.map((width) => at(width, 400))).toEqual([200, 200]);
  });

  test("are never smaller than the columns' minimum, below which the list scrolls", () => {
    const { min, widths } = computeColumnWidths([name, size, note], [], 56);
    expect(min).toBe(336);
    expect(widths.map((width) => at(width, 200))).toEqual([100, 80, 100]);
  });

  test("fill a narrow list without its roomy columns", () => {
    const { min, minClose, styles } = columnStyles([name, { ...size, roomy: true }, note], [], 0);
    expect([min, minClose]).toEqual([280, 200]);
    expect(styles.map((style) => at(style["--width"], 480))).toEqual([200, 80, 200]);
    expect(at(styles[0]?.["--width-close"], 480)).toBe(240);
    expect(styles[1]?.["--width-close"]).toBeUndefined();
  });
});
