import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDataView } from "@/engine/bytes";
import { makeColumns, ROWS, STRIDE, type Columns, type Slot } from "@/engine/columns/column-batch";
import { readJsonNumber } from "@/engine/columns/json-number";
import { JsonShapes } from "@/engine/columns/json-shape";
import { createFieldReader } from "@/engine/decode/field-reader";
import { makeChannel } from "@/engine/testing/test-channels";
import { countShare } from "@/server/testing/generated-cases";

const found = { end: 0, number: 0 };
const readNumber = (text: string): number | null => {
  const bytes = Buffer.from(`[${text},`);
  return readJsonNumber(bytes, 1, bytes.length - 1, found) && found.end === bytes.length - 1 ? found.number : null;
};

describe("numbers of JSON", () => {
  it("are those of JSON.parse, to the last bit", () => {
    const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(24)).map(([digits, places]) => {
      const text = String(digits < 0n ? -digits : digits).padStart(places + 1, "0");
      const split = text.length - places;
      return `${digits < 0n ? "-" : ""}${text.slice(0, split)}${places === 0 ? ".0" : `.${text.slice(split)}`}`;
    });
    const plain = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
    const whole = fc.maxSafeInteger().map(String);
    fc.assert(
      fc.property(fc.oneof(decimal, plain, whole), (text) => {
        const expected = JSON.parse(text) as number;
        expect(readNumber(text)).toBe(/^-?\d{16,}$/.test(text) && !Number.isSafeInteger(expected) ? null : expected);
      }),
      { numRuns: countShare(5_000), seed: 11 },
    );
    for (const text of ["NaN", "Infinity", "-Infinity"]) expect(readNumber(text)).toBe(Number(text));
    for (const text of ["-0", "0", "1E3", "1e400", "9007199254740991", "0.30000000000000004", "5e-324"])
      expect(Object.is(readNumber(text), JSON.parse(text)), text).toBe(true);
  });

  it("are refused where they are none, and where a double does not hold them", () => {
    for (const text of [
      "",
      "-",
      "01",
      "1.",
      ".5",
      "1e",
      "+1",
      "0x1",
      "nan",
      "-NaN",
      "NaN1",
      "Inf",
      "Infinit",
      "1.2.3",
      "9007199254740993",
    ])
      expect(readNumber(text), text).toBeNull();
  });
});

/** Messages that shapes are learned from, one after another, and the reader that knows their fields. */
class Reading {
  readonly slots: Slot[] = [];
  readonly reader = createFieldReader(makeChannel("json", "", ""));
  readonly shapes = new JsonShapes(this.slots);
  readonly columns: Columns = {
    ...makeColumns(
      Array.from({ length: ROWS }, () => ({
        field: { path: "", kind: "string" as const },
        holds: "text" as const,
        long: false,
        always: false,
        group: -1,
        element: 0,
      })),
    ),
    nans: new Set(),
  };

  /** What a shape reads by path, beside what the reader does; the first is null where there was no shape. */
  read(text: string): [Map<string, unknown> | null, Map<string, unknown>] {
    const bytes = Buffer.from(`"}${text}"}`);
    const [from, end] = [2, bytes.length - 2];
    const { columns, slots, shapes, reader } = this;
    columns.values.fill(1e9);
    const placed = { bytes, view: toDataView(bytes), starts: Int32Array.of(from), ends: Int32Array.of(end) };
    const matched = shapes.read(placed, 0, 3, columns);
    const shaped = new Map<string, unknown>();
    for (const [slot, { field, holds }] of slots.entries()) {
      const value = columns.values[slot * STRIDE + 3]!;
      if (!Number.isNaN(value) || columns.nans!.has(slot * STRIDE + 3))
        shaped.set(field.path, holds === "text" ? columns.texts.lists[slot]![value] : value);
    }
    reader.read(bytes.subarray(from, end));
    const expected = new Map<string, unknown>();
    for (const [slot, field] of reader.fields.entries()) {
      const value = field.kind === "number" ? reader.values[slot] : reader.states[slot];
      if (value !== undefined && reader.objects!.has(slot)) expected.set(field.path, value);
      if (slot < slots.length) continue;
      const holds = field.kind === "number" ? "number" : "text";
      slots.push({ field, holds, long: false, always: false, group: -1, element: 0 });
    }
    if (!matched) shapes.learn(bytes, from, end, reader.objects!);
    return [matched ? shaped : null, expected];
  }
}

describe("shapes of JSON", () => {
  it("are learned once, and read values, absent members and those of other kinds", () => {
    const reading = new Reading();
    const message = (n: number, more = ""): string =>
      `{"a":${n}.25,"b":{"on":${n % 2 === 0}, "odd key":"t${n}","none":null},"list":[${n},"x"]${more}}`;
    expect(reading.read(message(1))[0]).toBeNull();
    for (const n of [2, 3, 444]) {
      const [shaped, expected] = reading.read(message(n));
      expect(shaped).toEqual(expected);
      expect(shaped!.get('b["odd key"]')).toBe(`t${n}`);
    }
    expect(reading.read(message(5, ',"c":1'))[0]).toBeNull();
    // The first shape goes on, with no value of the field that came later.
    for (const more of ["", ',"c":2']) {
      const [shaped, expected] = reading.read(message(6, more));
      expect(shaped).toEqual(expected);
      expect(shaped!.has("c")).toBe(more !== "");
    }
    // A number as text is decoded each time.
    const text = message(7).replace("7.25", '"7.25"');
    for (const [shaped, expected] of [reading.read(text), reading.read(text)]) {
      expect(shaped).toBeNull();
      expect(expected.get("a")).toBe(7.25);
    }
  });

  it("are not made of names that repeat, escapes, letters beyond ASCII and long integers", () => {
    for (const text of ['{"a":1,"a":"x"}', String.raw`{"a":"\n"}`, '{"a":"é"}', '{"a":9007199254740993}']) {
      const reading = new Reading();
      reading.read(text);
      expect(reading.read(text)[0], text).toBeNull();
    }
  });

  it("agree with the decoder on any messages", () => {
    const leaf = fc.constantFrom(
      "1",
      "-2.5",
      "NaN",
      "-Infinity",
      '"t"',
      '"7"',
      "true",
      "false",
      "null",
      "[1,2]",
      '{"sec":1,"nsec":2}',
      '{"x":3}',
      "[]",
    );
    const message = fc
      .array(fc.tuple(fc.constantFrom("a", "b", "sec", "nsec", "odd key"), leaf), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(", ")}}`);
    let matched = 0;
    fc.assert(
      fc.property(fc.array(message, { minLength: 2, maxLength: 6 }), (messages) => {
        const reading = new Reading();
        for (const text of [...messages, ...messages, ...messages]) {
          const [shaped, expected] = reading.read(text);
          if (shaped === null) continue;
          matched += 1;
          expect(shaped).toEqual(expected);
        }
      }),
      { numRuns: countShare(400), seed: 5 },
    );
    expect(matched).toBeGreaterThan(countShare(1_000));
  });
});
