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

/** A log of loads, from values and the microseconds of their stamps. */
const loads = (startedAt: bigint, ...samples: [micros: bigint, load: number][]): UlogBuilder => {
  const builder = new UlogBuilder(startedAt).format("cpu:uint64_t timestamp;float load;").subscribe(0, "cpu");
  for (const [micros, load] of samples) builder.data(0, uint64(micros), float(load));
  return builder;
};
const listLoads = (sink: Collected): [time: bigint, load: number][] =>
  sink.messages.map(({ time }, n) => [time, (sink.decoded(n) as { load: number }).load]);
const createdNs = BigInt(created) * 1_000_000n;

describe("a log begins at the start that it states", () => {
  test("and what was published before is what held then, in its order", async () => {
    const bytes = loads(112_500_000n, [0n, 7], [90_000_000n, 8], [112_600_000n, 1], [122_400_000n, 2])
      .add("L", "6", uint64(3n), "booted")
      .build();
    const { sink, warnings } = await convert(bytes, created);
    expect(warnings).toEqual([]);
    expect(sink.messages.map(({ time }) => Number(time - createdNs) / 1e9)).toEqual([0, 0, 0.1, 9.9, 0]);
    expect([0, 1, 2, 3].map((n) => (sink.decoded(n) as { load: number }).load)).toEqual([7, 8, 1, 2]);
    // Its stamp is in it as it was written.
    expect(sink.decoded(1)).toMatchObject({ timestamp: 90_000_000n });
  });

  test("which after 2000 is a time of day, whatever its uploader said", async () => {
    const start = BigInt(Date.UTC(2026, 0, 1)) * 1_000n;
    const bytes = loads(start, [0n, 7], [start, 1], [start + 5_000_000n, 2]).build();
    for (const startedAt of [null, created]) {
      const { sink, warnings } = await convert(bytes, startedAt);
      expect(warnings).toEqual([]);
      expect(listLoads(sink)).toEqual([
        [start * 1_000n, 7],
        [start * 1_000n, 1],
        [(start + 5_000_000n) * 1_000n, 2],
      ]);
    }
  });

  test("unless that lies after everything in it", async () => {
    const { sink } = await convert(loads(2n ** 62n, [5_000_000n, 1], [6_000_000n, 2]).build(), created);
    expect(listLoads(sink)).toEqual([
      [createdNs, 1],
      [createdNs + 1_000_000_000n, 2],
    ]);
  });
});

test("a value of before the last start of a vehicle, with any stamp, is of when it was written", async () => {
  const bytes = loads(20_000_000n, [20_100_000n, 1], [20_200_000n, 2])
    .format("mission:uint64_t timestamp;uint32_t count;")
    .subscribe(1, "mission")
    .data(1, uint64(1_194_000_000n), int32(9))
    .data(0, uint64(26_000_000n), float(3))
    .build();
  const { sink } = await convert(bytes, created);
  expect(sink.messages.map(({ time }) => Number(time - createdNs) / 1e9)).toEqual([0.1, 0.2, 0.2, 6]);
  expect(sink.decoded(2)).toEqual({ timestamp: 1_194_000_000n, count: 9 });
});

describe("parameters that change while a log is written", () => {
  test("are fields of a topic, with their values from the start on", async () => {
    const bytes = makeLog()
      .entry("P", "int32_t SYS_AUTOSTART", int32(4001))
      .data(0, at(1_000n), float(16), Buffer.of(4))
      .entry("P", "float MPC_XY_P", float(1.25))
      .entry("P", "int32_t SYS_AUTOSTART", int32(4001))
      .data(0, at(2_000n), float(15), Buffer.of(4))
      .entry("P", "int32_t NEW_ONE", int32(-3))
      .entry("P", "float MPC_XY_P", float(0.5))
      .build();
    const { sink, warnings } = await convert(bytes, created);
    expect(warnings).toEqual([]);
    expect(sink.topics).toEqual(["parameters", "battery_status", "battery_status/1", "esc_status"]);
    const changes = sink.messages.flatMap(({ channel, time }, n) =>
      channel === 0 ? [[Number(time - createdNs) / 1_000, sink.decoded(n)]] : [],
    );
    const gain = Math.fround(0.95);
    expect(changes).toEqual([
      [0, { MPC_XY_P: gain, NEW_ONE: Number.NaN }],
      [1_000, { MPC_XY_P: 1.25, NEW_ONE: Number.NaN }],
      [2_000, { MPC_XY_P: 1.25, NEW_ONE: -3 }],
      [2_000, { MPC_XY_P: 0.5, NEW_ONE: -3 }],
    ]);
    // As they were at the start.
    expect(sink.metadata["parameters"]).toEqual({ SYS_AUTOSTART: "4001", MPC_XY_P: "0.95", NEW_ONE: "-3" });
  });

  test("are none where they are only written again, and at most 500", async () => {
    const same = makeLog().data(0, at(1n), float(1), Buffer.of(1)).entry("P", "float MPC_XY_P", float(0.95)).build();
    expect((await convert(same, created)).sink.topics).not.toContain("parameters");
    const builder = makeLog().data(0, at(1n), float(1), Buffer.of(1));
    for (let n = 0; n < 600; n++) builder.entry("P", `int32_t ${n}.P-${n}`, int32(n));
    const { sink, warnings } = await convert(builder.build(), created);
    expect(warnings).toEqual(["More parameters change than can be followed; 100 were left out."]);
    expect(sink.decoded(sink.messages.length - 1)).toMatchObject({ p_0_P_0: 0, p_499_P_499: 499 });
  });
});

describe("a log with damage in the middle", () => {
  const sync = Buffer.from([0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12]);
  const count = 60;
  /** A log of many messages, and where each begins. */
  const makeMany = (): { bytes: Buffer; places: number[] } => {
    const builder = makeLog();
    const places: number[] = [];
    for (let n = 0; n < count; n++) {
      places.push(builder.size);
      if (n % 10 === 3) builder.add("L", "4", at(BigInt(n)), `event ${n}`);
      else if (n % 25 === 7) builder.add("S", sync);
      else builder.data(n % 2, at(BigInt(n)), float(n), Buffer.of(4));
    }
    return { bytes: builder.build(), places };
  };
  const list = (sink: Collected): string[] =>
    sink.messages.map(({ time, data }) => `${time} ${Buffer.from(data).toString("hex")}`);

  test("is read on behind it, whatever message's head was overwritten", async () => {
    const { bytes, places } = makeMany();
    const whole = list((await convert(bytes, created)).sink);
    let seed = 11;
    const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) >> 16;
    for (const [n, place] of places.slice(0, -3).entries()) {
      const damaged = Buffer.from(bytes);
      for (let byte = 0; byte < 8; byte++) damaged[place + byte] = random();
      const { sink, warnings, truncated } = await convert(damaged, created);
      const kept = list(sink);
      expect(kept.length, `message ${n}`).toBeGreaterThanOrEqual(whole.length - 2);
      expect(
        kept.filter((message) => !whole.includes(message)),
        `message ${n}`,
      ).toEqual([]);
      expect(truncated).toBe(false);
      expect(warnings, `message ${n}`).toEqual([
        expect.stringMatching(/^The log is damaged in one place: \d+ bytes were skipped\.$/),
      ]);
    }
  });

  test.each([
    ["a length that leads beyond the end", (place: number, bytes: Buffer) => bytes.writeUInt16LE(65_535, place)],
    ["a length that leads into another message", (place: number, bytes: Buffer) => bytes.writeUInt16LE(40, place)],
    ["a cluster of zeros", (place: number, bytes: Buffer) => bytes.fill(0, place, place + 200)],
  ])("says how much was skipped: %s", async (_what, damage) => {
    const { bytes, places } = makeMany();
    const whole = list((await convert(bytes, created)).sink);
    damage(places[30]!, bytes);
    const { sink, warnings } = await convert(bytes, created);
    const kept = list(sink);
    const lost = whole.length - kept.length;
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(15);
    expect(kept.at(-1)).toBe(whole.at(-1));
    expect(warnings).toEqual([
      expect.stringMatching(/^The log is damaged in one place: \d{2,3} bytes were skipped\.$/),
    ]);
  });

  test("is read on over megabytes of other bytes, and counted to its end", async () => {
    const { bytes } = makeMany();
    const after = new UlogBuilder(boot)
      .data(0, at(500n), float(5), Buffer.of(5))
      .data(1, at(501n), float(6), Buffer.of(6));
    const noise = Buffer.alloc(3_000_000, "noise that is no message. ");
    const tail = after.build().subarray(16);
    const between = await convert(Buffer.concat([bytes, noise, tail]), created);
    expect(between.sink.messages).toHaveLength((await convert(bytes, created)).messageCount + 2);
    expect(between.warnings).toEqual(["The log is damaged in one place: 3,000,000 bytes were skipped."]);
    expect(between.truncated).toBe(false);
    const atEnd = await convert(Buffer.concat([bytes, noise]), created);
    expect(atEnd.warnings).toEqual(["The log is damaged in one place: 3,000,000 bytes were skipped."]);
    expect(atEnd.truncated).toBe(true);
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
