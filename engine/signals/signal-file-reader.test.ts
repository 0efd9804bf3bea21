import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { concatBytes } from "@/engine/bytes";
import { memorySource } from "@/engine/formats/byte-source";
import type { ColumnBatch } from "@/engine/signals/signal-column";
import { SignalFileReader } from "@/engine/signals/signal-file-reader";
import type { SignalType } from "@/engine/signals/signal-types";
import { SignalsWriter } from "@/engine/signals/signals-writer";

const start = 1_760_000_000_000_000_000n;
const rows = 5_000;
const batch = 100;
/** Jittered by up to 900 µs, with two messages of one time now and then. */
const timeAt = (row: number): bigint =>
  start + BigInt(row - (row % 50 === 1 ? 1 : 0)) * 1_000_000n + BigInt((row * 7_919) % 900);

const fields: Record<string, { type: SignalType; value: (row: number) => number }> = {
  x: { type: "float64", value: (row) => (row % 91 === 3 ? NaN : row === 40 ? -Infinity : Math.sin(row) * 1e9) },
  short: { type: "float32", value: (row) => Math.fround(row / 3) },
  count: { type: "uint32", value: (row) => 4_294_967_295 - row * 3 },
  turn: { type: "int32", value: (row) => (row % 2 === 0 ? -2_147_483_648 : 2_147_483_647 - row) },
  tiny: { type: "int8", value: (row) => (row % 200) - 100 },
  on: { type: "bool", value: (row) => (row % 3 === 0 ? 1 : 0) },
  level: { type: "float64", value: () => 0.01 },
  zero: { type: "float32", value: (row) => (row % 700 === 650 ? -0 : 0) },
  late: { type: "int16", value: (row) => (row < 3_210 ? -5 : row) },
  missed: { type: "float64", value: (row) => (row === 4_321 ? NaN : 7) },
  off: { type: "bool", value: () => 0 },
};

async function write(
  options: { openBytes?: number; pageRows?: number; gzip?: boolean } = {},
): Promise<SignalFileReader> {
  const parts: Uint8Array[] = [];
  const { gzip, ...rest } = options;
  const writer = new SignalsWriter({
    compression: gzip ? { codec: 2, compress: (bytes) => gzipSync(bytes) } : { codec: 0, compress: (bytes) => bytes },
    open: () => (bytes) => void parts.push(bytes.slice()),
    ...rest,
  });
  const topic = writer.topic("/t");
  for (const [path, { type }] of Object.entries(fields)) topic.addColumn({ path, type });
  const sparse = topic.addColumn({ path: "sparse", type: "float64" });
  for (let at = 0; at < rows; at += batch) {
    const times = BigInt64Array.from({ length: batch }, (_, i) => timeAt(at + i));
    const columns: ColumnBatch[] = Object.values(fields).map(({ value }) => ({
      values: Float64Array.from({ length: batch }, (_, i) => value(at + i)),
      first: 0,
      missing: null,
    }));
    const missing = Uint8Array.from({ length: batch }, (_, i) => (at + i === 2_222 ? 1 : 0));
    columns[sparse] = { values: new Float64Array(batch), first: 0, missing };
    topic.take(times, batch, columns);
  }
  writer.finish();
  const gunzip = (bytes: Uint8Array): Uint8Array => gunzipSync(bytes);
  return SignalFileReader.open(memorySource(concatBytes(parts)), { zstd: gunzip, gzip: gunzip });
}

describe("a file of signals", () => {
  it.each([{}, { pageRows: 64 }, { pageRows: 300, openBytes: 30_000 }, { gzip: true, pageRows: 128 }])(
    "is read column by column as it was written: %o",
    async (options) => {
      const reader = await write(options);
      expect(reader.rows).toBe(rows);
      const times = await reader.readTimes(start);
      expect(Array.from(times!)).toEqual(Array.from({ length: rows }, (_, row) => Number(timeAt(row) - start)));
      for (const [path, { type, value }] of Object.entries(fields)) {
        const column = await reader.readColumn(path, type);
        expect(Array.from(column!), path).toEqual(Array.from({ length: rows }, (_, row) => value(row)));
      }
    },
  );

  it.each([{ pageRows: 64 }, { pageRows: 300, openBytes: 30_000 }])(
    "gives the pages of a window, and no others: %o",
    async (options) => {
      const reader = await write(options);
      for (const [from, to] of [
        [0, 10],
        [700, 701],
        [1_234, 3_456],
        [4_990, 9_000],
      ] as const) {
        const [begin, end] = [start + BigInt(from) * 1_000_000n, start + BigInt(to) * 1_000_000n];
        const span = await reader.findRows(begin, end);
        const inside = Array.from({ length: rows }, (_, row) => row).filter(
          (row) => timeAt(row) >= begin && timeAt(row) <= end,
        );
        expect(span.first).toBeLessThanOrEqual(inside[0]!);
        expect(span.end).toBeGreaterThan(inside.at(-1)!);
        expect(span.end - span.first).toBeLessThanOrEqual(inside.length + 2 * options.pageRows);
        const times = await reader.readTimes(begin, span);
        expect(times![0]).toBe(Number(timeAt(span.first) - begin));
        expect(times!.at(-1)).toBe(Number(timeAt(span.end - 1) - begin));
        const column = await reader.readColumn("x", "float64", span);
        expect(Array.from(column!)).toEqual(
          Array.from({ length: span.end - span.first }, (_, at) => fields["x"]!.value(span.first + at)),
        );
      }
      expect(await reader.findRows(0n, 1n)).toEqual({ first: 0, end: 0 });
    },
  );

  it("has no column of what some row lacks, of other types, and of other names", async () => {
    const reader = await write({ pageRows: 64 });
    expect(await reader.readColumn("sparse", "float64")).toBeNull();
    expect(await reader.readColumn("x", "int64")).toBeNull();
    expect(await reader.readColumn("y", "float64")).toBeNull();
  });
});
