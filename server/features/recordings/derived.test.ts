import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { beforeAll, describe, expect, test } from "vitest";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { processedRecording } from "@/server/testing/processing";
import { createTrpcCaller } from "@/server/testing/requests";

const definition = `float64 speed # [m/s]
bool enabled
int64 ticks
string mode
`;
const channels: TestChannel[] = [
  {
    topic: "/wheel",
    messageEncoding: "cdr",
    schemaName: "test/msg/Wheel",
    schemaEncoding: "ros2msg",
    schema: definition,
  },
  { topic: "/limit", messageEncoding: "json", schemaName: "Limit", schemaEncoding: "jsonschema", schema: "{}" },
];
const start = 1_770_000_000_000_000_000n;
const second = 1_000_000_000n;
const writer = new MessageWriter(parse(definition, { ros2: true }));

/** A wheel at 100 Hz for a minute, silent from 20 s to 25 s; a limit at 1 Hz, whose messages after 30 s lack `low`. */
function makeMessages(): TestMessage[] {
  const wheel = Array.from({ length: 6_000 }, (_, n): TestMessage[] => {
    if (n >= 2_000 && n < 2_500) return [];
    const value = { speed: n / 100, enabled: n % 2 === 0, ticks: BigInt(n), mode: "auto" };
    return [{ topic: "/wheel", time: start + BigInt(n) * (second / 100n), data: writer.writeMessage(value) }];
  });
  const limit = Array.from({ length: 60 }, (_, n): TestMessage => {
    const value = { high: 10 * n, ...(n <= 30 && { low: n }) };
    return { topic: "/limit", time: start + BigInt(n) * second, data: Buffer.from(JSON.stringify(value)) };
  });
  return [...wheel.flat(), ...limit].toSorted((a, b) => Number(a.time - b.time));
}

let org: TestOrganization;
let uid: string;
beforeAll(async () => {
  org = await makeOrganization();
  const device = await makeDevice(org);
  uid = await processedRecording(org, device.uid, [await writeMcap(channels, makeMessages(), { compression: "zstd" })]);
});

const read = (expression: string, from?: number, to?: number, points = 10_000, of = org) =>
  createTrpcCaller(of).recordings.derived({
    uid,
    expression,
    points,
    ...(from !== undefined && { from: String(start + BigInt(Math.round(from * 1000)) * 1_000_000n) }),
    ...(to !== undefined && { to: String(start + BigInt(Math.round(to * 1000)) * 1_000_000n) }),
  });
const list = ({ points }: Awaited<ReturnType<typeof read>>) =>
  points.map(([time, , , , last]) => [Number(BigInt(time) - start) / 1e9, last]);

describe("a value computed from fields", () => {
  test("is computed from single samples, with its unit, and broken where it was not known", async () => {
    const series = await read("rate(/wheel.speed)");
    expect(series).toMatchObject({ kind: "number", field: "rate(/wheel.speed)", level: "raw", unit: "m/s/s" });
    // The first sample of each of the two parts has none before it.
    expect(series.points).toHaveLength(5_498);
    for (const [, value] of list(series)) expect(value).toBeCloseTo(1, 6);
    expect(series.breaks).toEqual([1_999]);
    expect(list(series)[1_999]?.[0]).toBe(25.01);
  });

  test("in a window it is what it is in the whole, whatever lies before", async () => {
    for (const expression of [
      "integral(/wheel.speed)",
      "mean(/wheel.speed, 2s)",
      "/wheel.speed - delay(/wheel.speed, 3s)",
      "rate(mean(/wheel.speed, 1s))",
    ]) {
      const whole = new Map(list(await read(expression)).map(([time, value]) => [time, value]));
      const part = list(await read(expression, 40, 41));
      expect(part.length, expression).toBeGreaterThan(99);
      for (const [time, value] of part)
        expect(value, `${expression} at ${time}`).toBeCloseTo(whole.get(time) ?? NaN, 9);
    }
  });

  test("combines topics by their last values, while these hold", async () => {
    const [first, ...rest] = list(await read("/limit.high - /wheel.speed", 10, 10.05));
    expect(first).toEqual([10, 90]);
    expect(rest).toEqual([1, 2, 3, 4, 5].map((n) => [10 + n / 100, expect.closeTo(90 - n / 100, 9)]));
    // The wheel is silent, and its last value holds for five of its periods only.
    expect(list(await read("/limit.high - /wheel.speed", 20.1, 24.9))).toEqual([]);
  });

  test("reads booleans and 64-bit integers, and fields that some messages lack", async () => {
    expect(list(await read("/wheel.enabled * 5 + /wheel.ticks", 1, 1.02))).toEqual([
      [1, 105],
      [1.01, 101],
      [1.02, 107],
    ]);
    expect(list(await read("/limit.low * 2", 28, 40))).toEqual([
      [28, 56],
      [29, 58],
      [30, 60],
    ]);
  });

  test("joins samples to their lowest and highest", async () => {
    const { points } = await read("/wheel.speed ^ 2", 30, 40, 10);
    expect(points).toHaveLength(10);
    for (const [, min, max, , , count] of points) {
      expect(max - min).toBeGreaterThan(50);
      expect(count).toBeGreaterThan(90);
    }
  });

  test.each([
    ["", "the expression ends at position 0."],
    ["/wheel.speed +", "the expression ends at position 14."],
    ["/wheel.mode", "of /wheel is text; expected a field of numbers at position 6."],
    ["/none.x", "expected /topic.field at position 0."],
    ["/wheel.speed.constructor", "/wheel has no field "],
    [`${"(".repeat(500)}`, "Parts lie inside each other at most 32 deep at position 33."],
  ])("%s is refused with a reason", async (expression, message) => {
    await expect(read(expression)).rejects.toThrow(message);
  });

  test("is empty in a window without messages, and in one that ends before it begins", async () => {
    expect(await read("/wheel.speed", 100, 200)).toMatchObject({ points: [], breaks: [] });
    expect(await read("/wheel.speed", 20, 10)).toMatchObject({ points: [], breaks: [] });
  });

  test("cannot be read by another organization", async () => {
    await expect(read("/wheel.speed", 0, 1, 10, await makeOrganization())).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
