import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDataView } from "@/engine/bytes";
import { makeColumns } from "@/engine/columns/column-batch";
import { planExtract } from "@/engine/columns/plan";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { getPayloadType, type PayloadType } from "@/engine/decode/payload-type";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { createSignalReader, createSignalTypes } from "@/engine/signals/signal-reader";
import {
  entangledTypes,
  hostileChannel,
  hostileTypes,
  languages,
  repeatedTypes,
  type HostileTypes,
} from "@/engine/testing/hostile-schemas";
import { countShare } from "@/server/testing/generated-cases";

/** Visits of fields that one step may make: it walks the type twice at most, by fields and by readers. */
const allowed = 110_000;

interface WatchedType {
  fields: readonly object[];
}
const isType = (value: unknown): value is WatchedType =>
  typeof value === "object" && value !== null && "fields" in value && Array.isArray(value.fields);

/** Counts every look at a field of the types, whoever takes it. */
class VisitCounter {
  visits = 0;
  private readonly seen = new Set<WatchedType>();

  constructor(payload: PayloadType) {
    if (payload.kind === "flatbuffer") for (const object of payload.type.objects) this.watch(object);
    else if ("type" in payload) this.watch(payload.type);
  }

  private watch(type: WatchedType): void {
    if (this.seen.has(type)) return;
    this.seen.add(type);
    const { fields } = type;
    const proxy = new Proxy(fields, {
      get: (target, name, receiver): unknown => {
        if (typeof name === "string" && /^\d/.test(name)) this.visits += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    Object.defineProperty(type, "fields", { get: () => ((this.visits += 1), proxy) });
    for (const below of fields.flatMap((field): unknown[] => Object.values(field)))
      if (isType(below)) this.watch(below);
  }
}

/** Runs a step, which may refuse the schema or the message; what it visited must be within the budget. */
function within<T>(counter: VisitCounter, run: () => T): T | null {
  counter.visits = 0;
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(RecordingError);
    return null;
  } finally {
    expect(counter.visits).toBeLessThanOrEqual(allowed);
  }
}

/** Payloads of zeros and of other bytes, as each encoding begins. */
function* listPayloads({ messageEncoding }: Channel): Generator<Uint8Array> {
  if (messageEncoding === "json") {
    yield Buffer.from('{"f0":{"f0":1,"f1":{"f0":"a"}},"f1":[1,2]}');
    return;
  }
  const heads =
    messageEncoding === "cdr"
      ? [
          [0, 1],
          [0, 7],
          [0, 9],
          [0, 11],
        ]
      : [[]];
  for (const head of heads) {
    for (const fill of [0, 1, 10]) {
      const data = new Uint8Array(4096).fill(fill);
      if (head.length > 0) data.set([...head, 0, 0]);
      yield data;
    }
  }
}

/** Everything that is made of a topic's schema, and reading messages with it. */
function planAndRead(channel: Channel): void {
  let payload: PayloadType;
  try {
    payload = getPayloadType(channel);
  } catch (error) {
    expect(error).toBeInstanceOf(RecordingError);
    return;
  }
  const counter = new VisitCounter(payload);
  expect(within(counter, () => listFields(channel))?.length).toBeLessThanOrEqual(500);
  const reader = within(counter, () => createFieldReader(channel));
  const signals = within(counter, () => createSignalReader(channel));
  within(counter, () => createSignalTypes(channel));
  const decoder = within(counter, () => createDecoder(channel));
  const part = within(counter, () => createDecoder(channel, { only: new Set(["f0"]) }));
  const plans = [true, false].map((generate) => reader && within(counter, () => planExtract(channel, generate)));
  for (const data of listPayloads(channel)) {
    for (const made of [reader, signals]) within(counter, () => made?.read(data));
    for (const made of [decoder, part]) within(counter, () => made?.decode(data));
    const placed = { view: toDataView(data), bytes: data, starts: Int32Array.of(0), ends: Int32Array.of(data.length) };
    for (const plan of plans) within(counter, () => plan?.extract(placed, 0, 1, makeColumns(plan.slots)));
  }
}

describe("planning a topic", () => {
  const shapes: [string, HostileTypes][] = [
    ["thirty levels of three structs", repeatedTypes(30, 3, [{ of: "number", array: null }])],
    ["thirty levels of three structs of nothing", repeatedTypes(30, 3, [])],
    ["thirty levels of three structs of texts", repeatedTypes(30, 3, [{ of: "string", array: null }])],
    ["thirty levels of three structs of lists", repeatedTypes(30, 3, [{ of: "number", array: "open" }])],
    ["fifteen levels of three structs", repeatedTypes(15, 3, [{ of: "number", array: null }])],
    ["fifteen levels of three structs of nothing", repeatedTypes(15, 3, [])],
    ["four levels of two hundred", repeatedTypes(4, 200, [])],
    ["types that lead back to the first", repeatedTypes(12, 4, [{ of: 0, array: null }])],
    ["types that all name each other", entangledTypes(30)],
    [
      "lists of lists",
      repeatedTypes(8, 1, [{ of: "number", array: 1000 }]).map((fields) =>
        fields.map((field) => ({ ...field, array: 16 })),
      ),
    ],
  ];
  for (const language of languages) {
    it.each(shapes)(`${language}: %s`, (_, types) => {
      planAndRead(hostileChannel(language, types)!);
    });
  }

  it.each(languages)(
    "%s: ends within its budget for any schema of 64 kB, and so does reading a message",
    (language) => {
      fc.assert(
        fc.property(hostileTypes, (types) => {
          const channel = hostileChannel(language, types);
          if (channel) planAndRead(channel);
        }),
        { numRuns: countShare(45), seed: 7 },
      );
    },
  );
});
