import { parse } from "@foxglove/rosmsg";
import { MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import { describe, expect, it } from "vitest";
import { toDataView } from "@/engine/bytes";
import { makeColumns, STRIDE, type Columns, type Placed } from "@/engine/columns/column-batch";
import { planExtract, type ColumnPlan } from "@/engine/columns/plan";
import { createFieldReader } from "@/engine/decode/field-reader";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { Random } from "@/engine/testing/recording-cases";
import { EVERYTHING, ros1Channel, ros2Channel } from "@/engine/testing/test-channels";

const message = (i: number): unknown => {
  const part = { x: i % 256, y: i * 0.5, z: `Größe ${i % 7}` };
  return {
    flag: i % 2 === 0,
    a: -1,
    b: i % 256,
    name: i % 3 === 0 ? "a name of some length, 名前" : "",
    c: -i,
    d: i,
    e: -i * 1000,
    f: 4_000_000_000,
    g: -9_007_199_254_740_993n,
    h: 18_446_744_073_709_551_615n,
    i: 0.25,
    j: i === 3 ? NaN : Math.sin(i),
    part,
    parts: Array.from({ length: i % 3 }, () => part),
    pair: [part, part],
    bytes: Uint8Array.from({ length: i % 4 }, (_, n) => n),
    doubles: Array.from({ length: i % 5 }, (_, n) => i + n),
    floats: [1, 2, i],
    longs: i % 2 === 0 ? [1n, -1n] : [],
    flags: i % 6 === 0 ? Array.from({ length: 20 }, () => true) : [true, false],
    names: [`x${i % 2}`, `y${i}`],
  };
};

const place = (payloads: readonly Uint8Array[]): Placed => {
  const bytes = new Uint8Array(Buffer.concat(payloads));
  const ends = Int32Array.from(
    payloads.map((_, at) => payloads.slice(0, at + 1).reduce((sum, one) => sum + one.length, 0)),
  );
  const starts = Int32Array.from(payloads.map((one, at) => ends[at]! - one.length));
  return { bytes, view: toDataView(bytes), starts, ends };
};

function planned(channel: Channel, generate: boolean): ColumnPlan {
  const plan = planExtract(channel, generate);
  if (plan === null) throw new Error("there is no plan");
  return plan;
}

/** What a slot of a row means, undefined where it has no value. */
function valueAt({ slots }: ColumnPlan, columns: Columns, slot: number, row: number): unknown {
  const { holds, group, element } = slots[slot]!;
  const isUsed = group < 0 || element < columns.groups[2 * group]!;
  const value = isUsed ? columns.values[slot * STRIDE + row]! : NaN;
  if (holds === "number" || holds === "time") return value;
  if (Number.isNaN(value)) return undefined;
  return holds === "boolean" ? value !== 0 : columns.texts.lists[slot]![value];
}

/** The first row, whatever of it was read, and the lengths of lists. */
const describeRow = (plan: ColumnPlan, columns: Columns): string =>
  [...plan.slots.map((_, slot) => String(valueAt(plan, columns, slot, 0))), ...columns.groups].join("\n");

const cdr = ros2Channel(EVERYTHING);
const ros1 = ros1Channel(EVERYTHING);
const cdrWriter = new CdrWriter(parse(EVERYTHING, { ros2: true }));
const ros1Writer = new Ros1Writer(parse(EVERYTHING));
const kinds: [string, Channel, (i: number) => Uint8Array][] = [
  ["CDR", cdr, (i) => cdrWriter.writeMessage(message(i))],
  ["ROS 1", ros1, (i) => ros1Writer.writeMessage(message(i))],
];

describe("reading messages into columns", () => {
  it.each(kinds)("%s: the values are those of the reader of single messages", (_name, channel, write) => {
    const payloads = Array.from({ length: 40 }, (_, i) => write(i));
    const reader = createFieldReader(channel);
    for (const generate of [true, false]) {
      const plan = planned(channel, generate);
      const columns = makeColumns(plan.slots);
      expect(plan.extract(place(payloads), 0, payloads.length, columns)).toBe(payloads.length);
      for (const [row, payload] of payloads.entries()) {
        reader.read(payload);
        const expected = plan.slots.map(
          ({ holds }, slot) => (holds === "number" || holds === "time" ? reader.values : reader.states)[slot],
        );
        expect(plan.slots.map((_, slot) => valueAt(plan, columns, slot, row))).toEqual(expected);
      }
    }
  });

  it.each(kinds)("%s: random bytes are read alike with and without generated code", (_name, channel, write) => {
    const random = new Random(7);
    const [generated, interpreted] = [planned(channel, true), planned(channel, false)];
    const reader = createFieldReader(channel);
    let [read, refused] = [0, 0];
    for (let round = 0; round < 150; round++) {
      const payload = new Uint8Array(write(round));
      for (let n = random.below(4); n > 0; n--) payload[random.below(payload.length)] = random.below(256);
      if (channel === cdr) payload[1] = random.pick([0, 1, 1, 1, 2, 6, 7]);
      const placed = place([random.chance(0.2) ? payload.subarray(0, random.below(payload.length)) : payload]);
      const [a, b] = [makeColumns(generated.slots), makeColumns(interpreted.slots)];
      const end = generated.extract(placed, 0, 1, a);
      expect(interpreted.extract(placed, 0, 1, b)).toBe(end);
      expect(describeRow(interpreted, b)).toBe(describeRow(generated, a));
      if (end === 0) refused += 1;
      else {
        read += 1;
        // What fits the layout can be read as a message too.
        expect(() => reader.read(placed.bytes)).not.toThrow();
      }
    }
    expect(read).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(20);
  });

  it.each(kinds)(
    "%s: lists of texts that repeat are read as any others, damaged ones between them",
    (_name, channel, write) => {
      const random = new Random(11);
      const payloads = Array.from({ length: 200 }, () => {
        // The names of few messages, one after another.
        const payload = new Uint8Array(write(random.below(2)));
        if (random.chance(0.3)) payload[payload.length - 1 - random.below(20)] = random.below(256);
        if (channel === cdr && random.chance(0.2)) payload[1] = random.pick([0, 6, 7]);
        return random.chance(0.2) ? payload.subarray(0, payload.length - random.below(12)) : payload;
      });
      const placed = place(payloads);
      const [generated, interpreted] = [planned(channel, true), planned(channel, false)];
      const [a, b] = [makeColumns(generated.slots), makeColumns(interpreted.slots)];
      let read = 0;
      for (let at = 0; at < payloads.length; at++) {
        const end = generated.extract(placed, at, at + 1, a);
        expect(interpreted.extract(placed, at, at + 1, b)).toBe(end);
        if (end === at) continue;
        read += 1;
        expect(describeRow(generated, a)).toBe(describeRow(interpreted, b));
      }
      expect(read).toBeGreaterThan(80);
      expect(read).toBeLessThan(190);
    },
  );

  it("stops at the first message that does not match the schema", () => {
    const plan = planned(cdr, true);
    const payloads = [0, 1, 2].map((i) => cdrWriter.writeMessage(message(i)));
    payloads[1] = payloads[1]!.subarray(0, 20);
    expect(plan.extract(place(payloads), 0, 3, makeColumns(plan.slots))).toBe(1);
  });

  it("no text of a schema gets into the code", () => {
    const hostile = ros2Channel('float64 x\nfloat64 y"];globalThis.owned=1;//\n');
    expect(() => planExtract(hostile, true)).toThrow(RecordingError);
    expect(globalThis).not.toHaveProperty("owned");
  });
});
