import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { concatBytes } from "@/engine/bytes";
import { findColumnRanges, footerSize } from "@/engine/signals/signal-file-columns";
import { SignalsWriter } from "@/engine/signals/signals-writer";

const rows = 40_000;
const names = ["a", "b.c", "d"];

/** Several row groups of three columns. */
function write(): Uint8Array {
  const parts: Uint8Array[] = [];
  const writer = new SignalsWriter({
    compression: { codec: 0, compress: (bytes) => bytes },
    open: () => (bytes) => void parts.push(bytes.slice()),
    openBytes: 300_000,
  });
  const topic = writer.topic("/t");
  for (const path of names) topic.addColumn({ path, type: "float64" });
  for (let at = 0; at < rows; at += 100) {
    const times = BigInt64Array.from({ length: 100 }, (_, i) => BigInt(at + i));
    const columns = names.map((_, column) => ({
      values: Float64Array.from({ length: 100 }, (__, i) => Math.sin((at + i) * (column + 1))),
      first: 0,
      missing: null,
    }));
    topic.take(times, 100, columns);
  }
  writer.finish();
  return concatBytes(parts);
}

describe("the columns of a file of signals", () => {
  const file = write();
  const from = file.length - footerSize(file.subarray(-8));
  const footer = { from, bytes: file.subarray(from) };

  it("lie in ranges that hold all that is needed to read them", async () => {
    const ranges = findColumnRanges(footer, new Set(["b.c", "absent"]));
    expect(ranges.length).toBeGreaterThan(1);
    const sparse = new Uint8Array(file.length);
    for (const each of [...ranges, { from, to: file.length }]) sparse.set(file.subarray(each.from, each.to), each.from);
    const read = await parquetReadObjects({ file: sparse.buffer, columns: ["b.c"] });
    expect(read.map((row) => row["b.c"])).toEqual(Array.from({ length: rows }, (_, row) => Math.sin(row * 2)));
    const bytes = ranges.reduce((sum, each) => sum + each.to - each.from, 0);
    expect(bytes).toBeLessThan(file.length / 2);
  });

  it("are one range where they follow each other, and none for no column", () => {
    expect(findColumnRanges(footer, new Set(["log_time", ...names]))).toEqual([{ from: 4, to: expect.any(Number) }]);
    expect(findColumnRanges(footer, new Set())).toEqual([]);
  });
});
