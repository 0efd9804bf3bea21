import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDecoder } from "@/engine/decode/decode";
import type { ConversionSink, ConvertedChannel } from "@/engine/formats/conversion";
import { convertUlog } from "@/server/features/conversions/ulog";
import { double, float, int32, uint16, uint64, UlogBuilder } from "@/server/testing/ulog";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "muster-ulog-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

class Collected implements ConversionSink {
  readonly channels: ConvertedChannel[] = [];
  readonly messages: { channel: number; time: bigint; data: Uint8Array }[] = [];
  readonly metadata: Record<string, Record<string, string>> = {};
  addChannel = async (channel: ConvertedChannel) => this.channels.push(channel) - 1;
  addMessage = async (channel: number, time: bigint, data: Uint8Array) => {
    this.messages.push({ channel, time, data: data.slice() });
  };
  addMetadata = async (name: string, entries: ReadonlyMap<string, string>) => {
    this.metadata[name] = Object.fromEntries(entries);
  };

  get topics(): string[] {
    return this.channels.map(({ topic }) => topic);
  }

  decoded(at: number): unknown {
    const { channel, data } = this.messages[at]!;
    return createDecoder({ id: 0, ...this.channels[channel]! }).decode(data);
  }
}

const created = Date.UTC(2026, 4, 1);
const boot = 5_000_000n;

async function convert(bytes: Uint8Array, startedAt: number | null = null) {
  const source = path.join(folder, "source.ulg");
  writeFileSync(source, bytes);
  const sink = new Collected();
  const conversion = await convertUlog(source, sink, {
    startedAt,
    createdAt: created,
    fileBytes: bytes.length,
    isDue: () => false,
    pause: () => Promise.resolve(),
  });
  return { ...conversion, sink };
}

const at = (micros: bigint): Buffer => uint64(boot + micros);
const flags = (...appended: number[]): Buffer => {
  const body = Buffer.alloc(40);
  body[8] = appended.length > 0 ? 1 : 0;
  for (const [n, offset] of appended.entries()) body.writeBigUInt64LE(BigInt(offset), 16 + 8 * n);
  return body;
};

/** A log with two batteries and a state, and one message of each. */
const makeLog = (): UlogBuilder =>
  new UlogBuilder(boot)
    .add("B", flags())
    .format("battery_status:uint64_t timestamp;float voltage_v;uint8_t cells;uint8_t[3] _padding0;")
    .format("esc_report:uint64_t timestamp;float rpm;int8_t temperature;uint8_t[3] _padding0;")
    .format(
      "esc_status:uint64_t timestamp;uint16_t counter;uint8_t[6] _padding0;esc_report[2] esc;char[8] name;bool armed;",
    )
    .entry("I", "char[4] sys_name", "PX4\u0020")
    .entry("P", "int32_t SYS_AUTOSTART", int32(4001))
    .entry("P", "float MPC_XY_P", float(0.95))
    .subscribe(0, "battery_status")
    .subscribe(1, "battery_status", 1)
    .subscribe(2, "esc_status");

const esc = (micros: bigint): Buffer[] => [at(micros), float(1_200.5), Buffer.of(0xf6), Buffer.alloc(3)];

describe("a log of PX4", () => {
  test("has a topic for each instance, with its values exact", async () => {
    const bytes = makeLog()
      .data(0, at(1_000n), float(16.25), Buffer.of(4))
      .data(1, at(2_000n), float(12.5), Buffer.of(3))
      .data(
        2,
        at(3_000n),
        uint16(7),
        Buffer.alloc(6),
        ...esc(2_500n),
        ...esc(2_600n),
        Buffer.from("front\0\0\0"),
        Buffer.of(1),
      )
      .build();
    const { sink, ...conversion } = await convert(bytes, created);
    expect(conversion).toEqual({ format: "ulog", messageCount: 3, truncated: false, warnings: [] });
    expect(sink.topics).toEqual(["battery_status", "battery_status/1", "esc_status"]);
    expect(sink.messages.map(({ time }) => time)).toEqual(
      [1_000n, 2_000n, 3_000n].map((micros) => BigInt(created) * 1_000_000n + micros * 1_000n),
    );
    expect(sink.decoded(0)).toEqual({ timestamp: boot + 1_000n, voltage_v: 16.25, cells: 4 });
    const report = (micros: bigint) => ({ timestamp: boot + micros, rpm: 1_200.5, temperature: -10 });
    expect(sink.decoded(2)).toEqual({
      timestamp: boot + 3_000n,
      counter: 7,
      esc: [report(2_500n), report(2_600n)],
      name: "front",
      armed: true,
    });
    expect(sink.metadata).toEqual({
      information: { sys_name: "PX4 " },
      parameters: { SYS_AUTOSTART: "4001", MPC_XY_P: "0.95" },
    });
  });

  test("is placed by its receiver of satellites, or where it was created, with a warning", async () => {
    const gps = (utc: bigint) =>
      new UlogBuilder(boot)
        .format("sensor_gps:uint64_t timestamp;double latitude_deg;uint64_t time_utc_usec;")
        .subscribe(4, "sensor_gps")
        .data(4, at(0n), double(47.4), uint64(0n))
        .data(4, at(10n), double(47.4), uint64(utc))
        .build();
    const utc = BigInt(Date.UTC(2025, 0, 1)) * 1_000n;
    const known = await convert(gps(utc));
    expect(known.warnings).toEqual([]);
    expect(known.sink.messages.map(({ time }) => time)).toEqual([(utc - 10n) * 1_000n, utc * 1_000n]);
    // A receiver that has no time yet.
    const unknown = await convert(gps(300n));
    expect(unknown.warnings).toEqual(["The log has no time of day: it was placed where its recording was created."]);
    expect(unknown.sink.messages[0]!.time).toBe(BigInt(created) * 1_000_000n);
  });

  test("has its log messages as those of /rosout, and says what the logger lost", async () => {
    const bytes = makeLog()
      .add("L", "3", at(10n), "[commander] no fix")
      .add("C", "6", uint16(9), at(20n), "armed")
      .add("O", uint16(40))
      .add("O", uint16(60))
      .add("S", Buffer.alloc(8))
      .add("?", "of a later version")
      .build();
    const { sink, warnings } = await convert(bytes, created);
    expect(warnings).toEqual(["The logger lost data 2 times, for 0.1 s together."]);
    const entry = (level: number, name: string, msg: string, nanosec: number) => ({
      stamp: { sec: created / 1_000, nanosec },
      level,
      name,
      msg,
      file: "",
      function: "",
      line: 0,
    });
    expect([sink.decoded(0), sink.decoded(1)]).toEqual([
      entry(40, "", "[commander] no fix", 10_000),
      entry(20, "tag 9", "armed", 20_000),
    ]);
  });

  test("goes on in what was appended after a crash", async () => {
    const before = makeLog().data(0, at(1n), float(1), Buffer.of(1));
    const cut = before.size;
    const bytes = before
      .raw(Buffer.of(200, 0, "D".charCodeAt(0), 0, 0))
      .data(0, at(2n), float(2), Buffer.of(2))
      .build();
    flags(cut + 5).copy(bytes, 16 + 3);
    const { sink, truncated } = await convert(bytes, created);
    expect(sink.messages.map((_, n) => (sink.decoded(n) as { cells: number }).cells)).toEqual([1, 2]);
    expect(truncated).toBe(false);
  });
});

describe("a damaged or hostile log", () => {
  test("that is cut anywhere is read up to there", async () => {
    const bytes = makeLog().data(0, at(1n), float(1), Buffer.of(1)).data(0, at(2n), float(2), Buffer.of(2)).build();
    const counts = new Set<number>();
    const ends = new Set<number>();
    for (let end = 16; end <= bytes.length; end += 3 + bytes.readUInt16LE(end)) {
      ends.add(end);
      if (end === bytes.length) break;
    }
    for (let length = 16; length < bytes.length; length++) {
      const { messageCount, truncated } = await convert(bytes.subarray(0, length), created);
      expect(truncated, `${length} bytes`).toBe(!ends.has(length));
      counts.add(messageCount);
    }
    expect([...counts].sort()).toEqual([0, 1]);
    await expect(convert(bytes.subarray(0, 15))).rejects.toThrow("is no ULog file");
  });

  test.each([
    ["itself", "loop:uint64_t timestamp;loop[2] inner;"],
    ["more than a message holds", "loop:uint64_t timestamp;double[60000] values;"],
    ["a type that is not declared", "loop:uint64_t timestamp;other_thing inner;"],
    ["no time", "loop:uint32_t timestamp;float x;"],
  ])("whose format contains %s has no such topic, and a warning", async (_what, format) => {
    const bytes = new UlogBuilder(boot).format(format).subscribe(0, "loop").data(0, at(0n), at(0n)).build();
    const { sink, warnings } = await convert(bytes, created);
    expect(sink.topics).toEqual([]);
    expect(warnings).toEqual(['The log does not declare how "loop" is to be read.']);
  });

  test("with formats, topics, times and lengths that make no sense is read without them", async () => {
    const bytes = makeLog()
      .format("no colon")
      .format("evil:uint64_t timestamp;float x\nstring y;")
      .entry("P", "int32_t ", int32(1))
      .entry("I", "char[65535] long", "short")
      .data(0, at(1n), float(1))
      .data(77, at(1n))
      .data(0, uint64(2n ** 63n), float(1), Buffer.of(1))
      .add("A", 0)
      .add("D", 0)
      .add("L", "3")
      .data(0, at(9n), float(9), Buffer.of(9))
      .build();
    const { sink, warnings } = await convert(bytes, created);
    expect(sink.decoded(0)).toMatchObject({ cells: 9 });
    expect(warnings).toEqual([
      "The log declares formats that cannot be read.",
      "Messages that are shorter than their format were left out.",
      "Messages of topics that the log does not declare were left out.",
      "Messages with impossible times were left out.",
    ]);
  });

  test("of a newer kind is refused", async () => {
    const body = flags();
    body[9] = 4;
    const bytes = new UlogBuilder(boot).add("B", body).build();
    await expect(convert(bytes)).rejects.toThrow("is a ULog file of a newer kind");
  });

  test("of any bytes ends", async () => {
    const bytes = makeLog().data(0, at(1n), float(1), Buffer.of(1)).add("L", "3", at(1n), "x").build();
    let seed = 3;
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
    const counts = new Set<number>();
    for (let round = 0; round < 400; round++) {
      const damaged = Buffer.from(bytes);
      for (let n = 0; n < 1 + (round % 8); n++) damaged[16 + random(bytes.length - 16)] = random(256);
      try {
        counts.add((await convert(damaged, created)).messageCount);
      } catch (error) {
        expect(error).toMatchObject({ name: "NotConvertible" });
      }
    }
    expect(counts).toContain(2);
    expect(counts).toContain(0);
  });
});
