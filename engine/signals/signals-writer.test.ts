import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import zstd from "@foxglove/wasm-zstd";
import { beforeAll, describe, expect, it } from "vitest";
import { concatBytes } from "@/engine/bytes";
import { SignalFeed } from "@/engine/signals/signal-feed";
import { SignalsWriter, type SignalFileInfo } from "@/engine/signals/signals-writer";
import { openBytes } from "@/engine/testing/drain";
import { mixedRecording } from "@/engine/testing/mixed-recording";
import { queryWithDuckDb, readWithHyparquet, rewriteWithParquetWasm } from "@/engine/testing/read-parquet";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";

beforeAll(() => zstd.isLoaded);

const start = 1_760_000_000_000_000_000n;
const definition = `int64 big
uint64 huge
float64 x
float32 short
bool on
uint8 IDLE=0
uint8 DRIVE=1
uint8 mode
int8 tiny
uint32 count
float64[] list
string name
float64 log_time`;
const ros2 = (topic: string, schema = definition): TestChannel => ({
  topic,
  messageEncoding: "cdr",
  schemaName: `pkg/msg${topic}`,
  schemaEncoding: "ros2msg",
  schema,
});
const writer = new MessageWriter(parse(definition, { ros2: true }));
const sample = (i: number) => ({
  big: -9_223_372_036_854_775_807n + BigInt(i),
  huge: 18_446_744_073_709_551_615n - BigInt(i),
  x: i % 7 === 3 ? NaN : i / 3,
  short: i / 2,
  on: i % 3 === 0,
  mode: i % 2,
  tiny: 50 - (i % 100),
  count: 4_294_967_295 - i,
  list: i % 2 === 0 ? [i, i + 1] : [i],
  name: "never stored",
  log_time: i,
});
const rosMessages = (count: number): TestMessage[] =>
  Array.from({ length: count }, (_, i) => ({
    topic: "/all",
    time: start + BigInt(i) * 1_000_000n + BigInt(i % 13),
    data: writer.writeMessage(sample(i)),
  }));

interface Written extends SignalFileInfo {
  bytes: Uint8Array;
}

async function write(files: Uint8Array[], openLimit?: number): Promise<Map<string, Written>> {
  const reader = await openBytes(files);
  const parts = new Map<string, Uint8Array[]>();
  const signals = new SignalsWriter({
    compression: { codec: 6, compress: (bytes) => Uint8Array.from(zstd.compress(Buffer.from(bytes), 1)) },
    open: (topic) => {
      const own: Uint8Array[] = [];
      parts.set(topic, own);
      return (bytes) => own.push(bytes.slice());
    },
    pageRows: 512,
    ...(openLimit !== undefined && { openBytes: openLimit }),
  });
  const feed = new SignalFeed(await reader.summary(), signals);
  for await (const batch of reader.messages()) for (const message of batch) feed.message(message);
  feed.finish();
  return new Map(signals.finish().map((info) => [info.topic, { ...info, bytes: concatBytes(parts.get(info.topic)!) }]));
}

const writeOne = async (channels: TestChannel[], messages: TestMessage[], limit?: number): Promise<Written> =>
  [...(await write([await writeMcap(channels, messages)], limit)).values()][0]!;

describe("a file of signals", () => {
  it.each([1, 5, 8, 2_500])("%i rows are read by three readers with every value exact", async (count) => {
    const file = await writeOne([ros2("/all")], rosMessages(count));
    expect(file.rows).toBe(count);
    expect(file.sizeBytes).toBe(file.bytes.length);
    const sql = `select * from $file order by log_time limit 200`;
    const shown = await queryWithDuckDb(file.bytes, sql);
    expect(await queryWithDuckDb(rewriteWithParquetWasm(file.bytes), sql)).toEqual(shown);
    const inJs = (await readWithHyparquet(file.bytes)).slice(0, 200);
    for (const [i, row] of shown.entries()) {
      const { name: _text, list, mode, log_time: own, ...rest } = sample(i);
      const wanted = {
        ...rest,
        mode: mode === 0 ? "IDLE" : "DRIVE",
        log_time: start + BigInt(i) * 1_000_000n + BigInt(i % 13),
        log_time_: own,
        "list[0]": list[0],
        "list[1]": list[1] ?? null,
      };
      expect(row).toMatchObject(wanted);
      expect(inJs[i]).toMatchObject(wanted);
    }
    expect(Object.keys(shown[0]!)[0]).toBe("log_time");
    expect(Object.keys(shown[0]!)).not.toContain("name");
  });

  it("types are those of the messages", async () => {
    const file = await writeOne([ros2("/all")], rosMessages(3));
    const rows = await queryWithDuckDb(file.bytes, "describe select * from $file");
    const types = Object.fromEntries(rows.map((row) => [row.column_name, row.column_type]));
    expect(types).toMatchObject({
      log_time: "BIGINT",
      big: "BIGINT",
      huge: "UBIGINT",
      x: "DOUBLE",
      short: "FLOAT",
      on: "BOOLEAN",
      mode: "VARCHAR",
      tiny: "TINYINT",
      count: "UINTEGER",
    });
    expect(file.fields).toContainEqual({ path: "huge", type: "uint64" });
  });

  it("sums and filters over many row groups agree with the messages", async () => {
    const count = 4_000;
    const file = await writeOne([ros2("/all")], rosMessages(count), 100_000);
    const [sums] = await queryWithDuckDb(
      file.bytes,
      `select count(*) as n, sum(short) as short, sum("list[1]") as second, count("list[1]") as seconds,
        count(*) filter (where isnan(x)) as broken, count(*) filter (where mode = 'DRIVE') as driving from $file`,
    );
    const all = Array.from({ length: count }, (_, i) => sample(i));
    expect(sums).toEqual({
      n: BigInt(count),
      short: all.reduce((sum, { short }) => sum + short, 0),
      second: all.reduce((sum, { list }) => sum + (list[1] ?? 0), 0),
      seconds: BigInt(count / 2),
      broken: BigInt(all.filter(({ x }) => Number.isNaN(x)).length),
      driving: BigInt(count / 2),
    });
    // NaN is larger than any number to DuckDB, so a page that holds one must not be skipped.
    const [found] = await queryWithDuckDb(
      file.bytes,
      `select count(*) filter (where true) as n from $file where x > 1e300`,
    );
    expect(found!.n).toBe(sums!.broken);
    const [one] = await queryWithDuckDb(
      file.bytes,
      `select short, big from $file where huge = 18446744073709551615 - 3001`,
    );
    expect(one).toEqual({ short: 1_500.5, big: -9_223_372_036_854_775_807n + 3_001n });
  });

  it("fields that appear later and topics of every encoding", async () => {
    const { channels, messages } = mixedRecording(40);
    const files = await write([await writeMcap(channels, messages)], 4_000);
    expect([...files.keys()].sort()).toEqual(["/cdr", "/dds", "/idl", "/json", "/proto"]);
    const [proto] = await queryWithDuckDb(
      files.get("/proto")!.bytes,
      "select count(*) as n, sum(ticks)::bigint as ticks, count(*) filter (where mode = 'DRIVE') as driving from $file",
    );
    expect(proto).toEqual({ n: 40n, ticks: 780n, driving: 20n });
    const json: TestChannel = { topic: "/json", messageEncoding: "json", schemaName: "s", schemaEncoding: "" };
    const ragged = await writeOne(
      [json],
      Array.from({ length: 1_500 }, (_, i) => ({
        topic: "/json",
        time: start + BigInt(i),
        data: Buffer.from(JSON.stringify(i < 1_000 ? { a: i } : { a: i, late: { b: true } })),
      })),
      10_000,
    );
    const [row] = await queryWithDuckDb(
      ragged.bytes,
      `select count(a) as a, count("late.b") as late, count(*) as n from $file`,
    );
    expect(row).toEqual({ a: 1_500n, late: 500n, n: 1_500n });
    expect((await readWithHyparquet(ragged.bytes)).at(-1)).toEqual({
      log_time: start + 1_499n,
      a: 1_499,
      "late.b": true,
    });
    expect(rewriteWithParquetWasm(ragged.bytes).length).toBeGreaterThan(0);
  });

  it("a recording in several files is one file a topic, with fields of two definitions in one column", async () => {
    const other = "float32 big\nfloat64 x";
    const second = new MessageWriter(parse(other, { ros2: true }));
    const parts = [
      await writeMcap([ros2("/all")], rosMessages(10)),
      await writeMcap(
        [ros2("/all", other)],
        [{ topic: "/all", time: start + 1_000_000_000n, data: second.writeMessage({ big: 2.5, x: 1 }) }],
      ),
    ];
    const file = (await write(parts)).get("/all")!;
    expect(file.fields.find(({ path }) => path === "big")!.type).toBe("float64");
    const rows = await queryWithDuckDb(file.bytes, "select big, x, huge from $file order by log_time");
    expect(rows).toHaveLength(11);
    expect(rows[10]).toEqual({ big: 2.5, x: 1, huge: null });
    expect(rows[0]!.big).toBe(-9_223_372_036_854_775_807);
  });
});
