import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { makeChannel as channel } from "@/engine/testing/test-channels";

describe("json", () => {
  const json = channel("json", "", "");
  const decode = (text: string) => createDecoder(json).decode(Buffer.from(text));

  it("decodes, with integers exact at any length", () => {
    expect(decode('{"a":1.5,"b":[true,null],"id":9223372036854775809,"t":"12345678901234567"}')).toEqual({
      a: 1.5,
      b: [true, null],
      id: 9223372036854775809n,
      t: "12345678901234567",
    });
    expect(decode('{"a":1234567890123456,"b":0.12345678901234567}')).toEqual({
      a: 1234567890123456,
      b: 0.12345678901234567,
    });
    const long = 9_007_199_254_740_993n;
    expect(decode("9007199254740993")).toBe(long);
    expect(decode("[9007199254740993,-9007199254740993\n, 9007199254740993 ]")).toEqual([long, -long, long]);
    expect(decode('{"text":"x,9007199254740993","e":90071992547409930e-1}')).toEqual({
      text: "x,9007199254740993",
      e: 9_007_199_254_740_992,
    });
  });

  it("NaN and infinities are numbers, and texts and names with these words stay as they are", () => {
    expect(decode('{"a":NaN,"b":[Infinity,-Infinity, NaN],"t":41}')).toEqual({
      a: NaN,
      b: [Infinity, -Infinity, NaN],
      t: 41,
    });
    expect(decode("NaN")).toBeNaN();
    const text = String.raw`{"Infinity":NaN,"t":"NaN, \"Infinity\\","u":"\\","-Infinity":"x:-Infinity"}`;
    expect(decode(text)).toEqual({ Infinity: NaN, t: 'NaN, "Infinity\\', u: "\\", "-Infinity": "x:-Infinity" });
    expect(decode('{"id":9007199254740993,"x":NaN}')).toEqual({ id: 9007199254740993n, x: NaN });
  });

  it("what only resembles NaN and infinities is refused", () => {
    for (const word of [
      "nan",
      "NAN",
      "-NaN",
      "+Infinity",
      "--Infinity",
      "1NaN",
      "NaN1",
      "Inf",
      "infinity",
      "Infinity.5",
    ])
      expect(() => decode(`{"a":${word}}`), word).toThrow("not valid JSON");
    for (const text of ["{NaN:1}", "{Infinity :1}", "[NaN NaN]", '["NaN]', '{"a":NaN', "[undefined]"])
      expect(() => decode(text), text).toThrow("not valid JSON");
    expect(() => decode(`${'"\\"NaN'.repeat(200_000)}`)).toThrow("not valid JSON");
  });

  it("a field that is NaN is there, and its neighbours are read", () => {
    const reader = createFieldReader(json);
    reader.read(Buffer.from('{"range":NaN,"temp":41,"far":Infinity}'));
    expect(reader.fields.map(({ path }) => path)).toEqual(["range", "temp", "far"]);
    expect([...reader.values.slice(0, 3)]).toEqual([NaN, 41, Infinity]);
    reader.read(Buffer.from('{"temp":42}'));
    expect([0, 1, 2].map((slot) => reader.objects!.has(slot))).toEqual([false, true, false]);
  });

  it("broken and endlessly nested messages are refused", () => {
    expect(() => decode("{")).toThrow(RecordingError);
    expect(() => decode("[".repeat(100_000))).toThrow("nests too deeply");
    expect(decode(`"${"[".repeat(1000)}"`)).toBe("[".repeat(1000));
  });

  it("fields appear with the data and keep their slots", () => {
    const reader = createFieldReader(json);
    reader.read(Buffer.from('{"a":1,"b":{"odd key":"x"}}'));
    reader.read(Buffer.from('{"c":[1,2],"b":{"odd key":"y"},"stamp":{"sec":1,"nsec":2}}'));
    expect(reader.fields).toEqual([
      { path: "a", kind: "number" },
      { path: 'b["odd key"]', kind: "string" },
      { path: "c[0]", kind: "number" },
      { path: "c[1]", kind: "number" },
      { path: "stamp", kind: "time" },
      { path: "stamp", kind: "time", isFraction: true },
    ]);
    expect([...reader.values.slice(0, 6)]).toEqual([NaN, NaN, 1, 2, 1, 2]);
    expect(reader.states[1]).toBe("y");
  });

  it("keys that never repeat do not accumulate", () => {
    const reader = createFieldReader(json);
    for (let i = 0; i < 5000; i++) reader.read(Buffer.from(`{"id_${i}":${i}}`));
    expect(reader.fields.length).toBeLessThanOrEqual(500);
  });

  it("a JSON Schema names fields, units and times", () => {
    const schema = {
      type: "object",
      properties: {
        t: { type: "object", properties: { sec: { type: "integer" }, nsec: { type: "integer" } } },
        speed: { type: "number", description: "ground speed [m/s]" },
        ok: { type: ["boolean", "null"] },
        inner: { type: "object", properties: { name: { type: "string" } } },
      },
    };
    expect(listFields(channel("json", "jsonschema", JSON.stringify(schema)))).toEqual([
      { path: "t", kind: "time" },
      { path: "speed", kind: "number", unit: "m/s" },
      { path: "ok", kind: "boolean" },
      { path: "inner.name", kind: "string" },
    ]);
  });
});
