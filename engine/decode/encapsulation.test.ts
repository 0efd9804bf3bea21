import { describe, expect, it } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { createDecoder } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { memorySource } from "@/engine/formats/byte-source";
import { createSignalReader } from "@/engine/signals/signal-reader";
import { comparePasses, makeRules } from "@/engine/testing/compare-passes";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const channel = (schemaEncoding: string, schema: string, schemaName = "pkg/msg/T") => ({
  id: 1,
  topic: "/t",
  messageEncoding: "cdr",
  schemaName,
  schemaEncoding,
  schemaData: Buffer.from(schema),
});

/** Writes XCDR2 as its specification says: values aligned to four bytes at most, relative to the end of the header. */
class Xcdr2Writer {
  private readonly bytes: number[] = [];

  constructor(private readonly little: boolean) {}

  scalar(size: 1 | 2 | 4 | 8, set: (view: DataView) => void): this {
    while (this.bytes.length % Math.min(size, 4) !== 0) this.bytes.push(0);
    const view = new DataView(new ArrayBuffer(size));
    set(view);
    this.bytes.push(...new Uint8Array(view.buffer));
    return this;
  }
  u8 = (value: number): this => this.scalar(1, (view) => view.setUint8(0, value));
  u32 = (value: number): this => this.scalar(4, (view) => view.setUint32(0, value, this.little));
  i64 = (value: bigint): this => this.scalar(8, (view) => view.setBigInt64(0, value, this.little));
  f64 = (value: number): this => this.scalar(8, (view) => view.setFloat64(0, value, this.little));
  text(value: string): this {
    this.u32(value.length + 1);
    this.bytes.push(...Buffer.from(value), 0);
    return this;
  }
  /** An object or list with its length in bytes before it. */
  delimited(write: () => void): this {
    this.u32(0);
    const from = this.bytes.length;
    write();
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, this.bytes.length - from, this.little);
    this.bytes.splice(from - 4, 4, ...new Uint8Array(length.buffer));
    return this;
  }
  finish(kind: number): Uint8Array {
    return Uint8Array.from([0, kind, 0, 0, ...this.bytes]);
  }
}

const schema = `std_msgs/Header header
bool flag
int64 count
string[] names
pkg/Part[] parts
pkg/Part[2] pair
builtin_interfaces/Time[] times
float64[] list
pkg/None none
uint8 last
===
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
===
MSG: pkg/Part
uint8 x
float64 y
===
MSG: pkg/None
`;

/** A message of `schema`; `added` bytes stand at the end of each part, as a newer writer appends members. */
function write(i: number, kind: number, added = 0): Uint8Array {
  const writer = new Xcdr2Writer((kind & 1) === 1);
  const append = (): void => {
    for (let n = 0; n < added; n++) writer.u8(255);
  };
  const time = (sec: number): void => void writer.delimited(() => writer.u32(sec).u32(7));
  const part = (x: number): void =>
    void writer.delimited(() => {
      writer.u8(x).f64(x / 2);
      append();
    });
  writer.delimited(() => {
    writer.delimited(() => {
      time(i);
      writer.text(`frame ${i}`);
    });
    writer.u8(1).i64(-(2n ** 60n) - BigInt(i));
    writer.delimited(() => writer.u32(2).text("a").text("bcd"));
    writer.delimited(() => {
      writer.u32(3);
      for (const x of [1, 2, 3]) part(x);
    });
    writer.delimited(() => {
      for (const x of [i % 200, 5]) part(x);
    });
    writer.delimited(() => {
      writer.u32(2);
      for (const sec of [8, 9]) time(sec);
    });
    writer.u32(2).f64(0.5).f64(i);
    writer.delimited(() => writer.u8(0));
    writer.u8(42);
    append();
  });
  return writer.finish(kind);
}

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "bigint" ? String(inner) : ArrayBuffer.isView(inner) ? [...(inner as Float64Array)] : inner,
    ),
  );

describe("XCDR2 of appendable types", () => {
  it.each([0x08, 0x09, 0x14, 0x15])("decodes with everything that can be delimited: kind %i", (kind) => {
    const decoder = createDecoder(channel("ros2msg", schema));
    const expected = {
      header: { stamp: { sec: 6, nanosec: 7 }, frame_id: "frame 6" },
      flag: true,
      count: String(-(2n ** 60n) - 6n),
      names: ["a", "bcd"],
      parts: [1, 2, 3].map((x) => ({ x, y: x / 2 })),
      pair: [
        { x: 6, y: 3 },
        { x: 5, y: 2.5 },
      ],
      times: [
        { sec: 8, nanosec: 7 },
        { sec: 9, nanosec: 7 },
      ],
      list: [0.5, 6],
      none: {},
      last: 42,
    };
    expect(plain(decoder.decode(write(6, kind)))).toEqual(expected);
    expect(plain(decoder.decode(write(6, kind, 9)))).toEqual(expected);
    const only = createDecoder(channel("ros2msg", schema), { only: new Set(["last", "header"]) });
    expect(plain(only.decode(write(6, kind, 3)))).toEqual({ header: expected.header, last: 42 });
  });

  it("reads as fields and signals, also in turns with plain CDR", () => {
    const own = channel("ros2msg", schema);
    const fields = createFieldReader(own);
    const signals = createSignalReader(own);
    const at = (path: string) => fields.fields.findIndex((field) => field.path === path);
    for (const i of [1, 2, 3]) {
      fields.read(write(i, 0x09, i));
      expect(fields.states[at("header.frame_id")]).toBe(`frame ${i}`);
      expect([fields.values[at("pair[0].y")], fields.values[at("list[1]")], fields.values[at("last")]]).toEqual([
        i / 2,
        i,
        42,
      ]);
      expect([fields.states[at("names[0]")], fields.states[at("names[1]")]]).toEqual(["a", "bcd"]);
      signals.read(write(i, 0x09));
      expect(signals.wide[signals.fields.findIndex(({ path }) => path === "count")]).toBe(-(2n ** 60n) - BigInt(i));
    }
    const small = createFieldReader(channel("ros2msg", "uint8 a\nuint8 b\n"));
    small.read(Uint8Array.from([0, 1, 0, 0, 1, 2]));
    expect([...small.values]).toEqual([1, 2]);
    small.read(Uint8Array.from([0, 9, 0, 0, 2, 0, 0, 0, 3, 4]));
    expect([...small.values]).toEqual([3, 4]);
    small.read(Uint8Array.from([0, 0x11, 0, 0, 5, 6]));
    expect([...small.values]).toEqual([5, 6]);
  });

  it("reads as in the reference library, which reads omgidl", () => {
    const idl = `@appendable struct PART { uint8 x; double y; };
      @appendable struct T { uint8 x; double y; string name; sequence<double> list; PART part; };`;
    const text = "uint8 x\nfloat64 y\nstring name\nfloat64[] list\nPART part\n===\nMSG: pkg/PART\nuint8 x\nfloat64 y\n";
    for (const kind of [0x08, 0x09]) {
      const writer = new Xcdr2Writer((kind & 1) === 1);
      writer.delimited(() => {
        writer.u8(3).f64(-2.5).text("name").u32(2).f64(1).f64(2);
        writer.delimited(() => writer.u8(4).f64(1e300));
      });
      const message = writer.finish(kind);
      const expected = { x: 3, y: -2.5, name: "name", list: [1, 2], part: { x: 4, y: 1e300 } };
      expect(plain(createDecoder(channel("omgidl", idl, "T")).decode(message))).toEqual(expected);
      expect(plain(createDecoder(channel("ros2msg", text)).decode(message))).toEqual(expected);
    }
  });

  it("is refused when a length reaches beyond the message, or beyond what holds it", () => {
    const decoder = createDecoder(channel("ros2msg", schema));
    const fields = createFieldReader(channel("ros2msg", schema));
    const message = write(6, 0x09);
    for (let at = 4; at < message.length; at += 4) {
      const changed = Uint8Array.from(message);
      changed.fill(0xff, at, at + 4);
      for (const read of [() => decoder.decode(changed), () => fields.read(changed)]) {
        try {
          read();
        } catch (error) {
          expect((error as Error).name).toBe("RecordingError");
        }
      }
    }
    const tooLong = Uint8Array.from(message);
    tooLong[4] = 0xff;
    tooLong[5] = 0xff;
    expect(() => decoder.decode(tooLong)).toThrow("A message declares an object longer than itself.");
    for (let length = 0; length < message.length; length++)
      expect(() => decoder.decode(message.subarray(0, length))).toThrow(/^A message /);
  });

  it("gives the same series and hits in columns and message by message", async () => {
    const kinds = [0x09, 0x08, 0x09, 0x15];
    const messages = Array.from({ length: 600 }, (_, i) => ({
      topic: "/t",
      time: BigInt(i) * 1_000_000n,
      data: write(i, kinds[i % 4]!, i % 3),
    }));
    const described = {
      topic: "/t",
      messageEncoding: "cdr",
      schemaName: "pkg/msg/T",
      schemaEncoding: "ros2msg",
      schema,
    };
    const files = [memorySource(await writeMcap([described], messages))];
    const codecs = await recordingCodecs();
    const rules = (await makeRules(files, codecs)).slice(0, 60);
    const comparison = await comparePasses(files, rules, { codecs });
    expect(comparison.differences).toEqual([]);
    expect(comparison.parts).toBeGreaterThan(20);
  });
});

describe("XCDR2 of mutable types", () => {
  const idl = `
    enum Mode { OFF, ON };
    @appendable struct Part { uint8 x; @optional double y; };
    @mutable struct Inner { @id(4) double a; double b; };
    @mutable struct T {
      uint8 x; double y; string name; sequence<double> list; sequence<string> names;
      Part part; Inner inner; sequence<Inner> inners; Mode mode; float grid[2][2];
    };`;
  const header = (writer: Xcdr2Writer, id: number, code: number) => writer.u32(code * 2 ** 28 + id);
  const inner = (writer: Xcdr2Writer, a: number) =>
    writer.delimited(() => {
      header(writer, 5, 3).f64(a + 1);
      header(writer, 4, 3).f64(a);
    });
  /** A member with its length between its id and its value. */
  const sized = (writer: Xcdr2Writer, id: number, write: () => void) => header(writer, id, 4).delimited(write);

  function message(kind: number, members: (writer: Xcdr2Writer) => void): Uint8Array {
    const writer = new Xcdr2Writer((kind & 1) === 1);
    return writer.delimited(() => members(writer)).finish(kind);
  }
  const all = (writer: Xcdr2Writer): void => {
    sized(writer, 9, () =>
      [1, 2, 3, 4].forEach((value) => writer.scalar(4, (view) => view.setFloat32(0, value, true))),
    );
    header(writer, 8, 2).u32(1);
    sized(writer, 7, () => writer.delimited(() => inner(inner(writer.u32(2), 1), 5)));
    // From code 5 on, the length of the value is the one after the id.
    inner(header(writer, 6, 5), 3);
    header(writer, 5, 5).delimited(() => writer.u8(9).u8(1).f64(0.25));
    sized(writer, 4, () => writer.delimited(() => writer.u32(2).text("a").text("bc")));
    header(writer, 3, 7).u32(2).f64(1).f64(2);
    header(writer, 2, 5).text("name");
    sized(writer, 200, () => writer.text("unknown"));
    header(writer, 1, 3).f64(-2.5);
    header(writer, 0, 0).u8(3);
  };

  it("decodes in any order, with members that the schema does not know", () => {
    const decoder = createDecoder(channel("omgidl", idl, "T"));
    for (const kind of [0x0b, 0x13]) {
      expect(plain(decoder.decode(message(kind, all)))).toEqual({
        x: 3,
        y: -2.5,
        name: "name",
        list: [1, 2],
        names: ["a", "bc"],
        part: { x: 9, y: 0.25 },
        inner: { a: 3, b: 4 },
        inners: [
          { a: 1, b: 2 },
          { a: 5, b: 6 },
        ],
        mode: 1,
        grid: [
          [1, 2],
          [3, 4],
        ],
      });
    }
  });

  it("decodes without members that a writer left out, in either byte order, and reads as fields", () => {
    const some = (writer: Xcdr2Writer): void => {
      header(writer, 5, 5).delimited(() => writer.u8(9).u8(0));
      header(writer, 1, 3).f64(7.5);
    };
    const decoder = createDecoder(channel("omgidl", idl, "T"));
    const fields = createFieldReader(channel("omgidl", idl, "T"));
    for (const kind of [0x0a, 0x0b]) {
      expect(decoder.decode(message(kind, some))).toEqual({ part: { x: 9 }, y: 7.5 });
      fields.read(message(kind, some));
      expect(fields.values[fields.fields.findIndex(({ path }) => path === "y")]).toBe(7.5);
    }
    expect(decoder.decode(message(0x0b, () => {}))).toEqual({});
  });

  it("is refused when a length reaches beyond the message, and never read beyond it", () => {
    const decoder = createDecoder(channel("omgidl", idl, "T"));
    const whole = message(0x0b, all);
    for (let length = 0; length < whole.length; length++)
      expect(() => decoder.decode(whole.subarray(0, length))).toThrow(/^A message /);
    for (let at = 4; at < whole.length; at++) {
      const changed = Uint8Array.from(whole);
      changed.fill(0xff, at, at + 4);
      try {
        decoder.decode(changed);
      } catch (error) {
        expect((error as Error).name).toBe("RecordingError");
      }
    }
  });

  it("is refused for schemas of ROS, which have no mutable types", () => {
    expect(() => createDecoder(channel("ros2msg", "uint8 x\n")).decode(Uint8Array.from([0, 0x0b, 0, 0, 1]))).toThrow(
      "A message uses a CDR encoding that cannot be read.",
    );
  });
});

describe("types nested too deeply", () => {
  const levels = (count: number): string =>
    Array.from(
      { length: count },
      (_, at) => `===\nMSG: p/L${at}\n${at + 1 < count ? `p/L${at + 1} a` : "uint8 a"}\n`,
    ).join("");

  it("are refused for that, not for containing themselves", () => {
    const deep = "types more than 32 levels deep.";
    expect(() => createDecoder(channel("ros2msg", `p/L0 a\n${levels(40)}`))).toThrow(deep);
    const idl = Array.from(
      { length: 40 },
      (_, at) => `struct L${39 - at} { ${at === 0 ? "uint8" : `L${40 - at}`} a; };`,
    );
    expect(() => createDecoder(channel("ros2idl", idl.join("\n"), "L0"))).toThrow(deep);
    expect(() => createDecoder(channel("omgidl", idl.join("\n"), "L0"))).toThrow(deep);
    expect(() => createDecoder(channel("ros2msg", `p/L0 a\n${levels(30)}`))).not.toThrow();
    expect(() => createDecoder(channel("ros2msg", "p/A a\n===\nMSG: p/A\np/A a\n"))).toThrow("contains itself");
  });
});

describe("a topic of bytes alone", () => {
  it("has an error when its messages are shorter than their schema", async () => {
    const image = {
      topic: "/image",
      messageEncoding: "cdr",
      schemaName: "p/msg/I",
      schemaEncoding: "ros2msg",
      schema: "uint8[] data\n",
    };
    const message = (length: number, held: number) => {
      const data = Buffer.alloc(8 + held);
      data[1] = 1;
      data.writeUInt32LE(length, 4);
      return data;
    };
    const codecs = await recordingCodecs();

    const read = async (lengths: [number, number][]) => {
      const messages = lengths.map(([length, held], at) => ({
        topic: "/image",
        time: BigInt(at) * 1_000_000n,
        data: message(length, held),
      }));
      const files = [memorySource(await writeMcap([image], messages))];
      expect((await comparePasses(files, [], { codecs })).differences).toEqual([]);
      const pass = await processColumns(files, [], { codecs });
      return { error: pass.topics.getReading("/image").error, warnings: pass.warnings };
    };
    const reason = "A message declares an array longer than itself.";
    expect(
      await read([
        [4, 4],
        [0, 0],
      ]),
    ).toEqual({ error: null, warnings: [] });
    expect(
      await read([
        [4, 0],
        [4, 3],
      ]),
    ).toEqual({ error: reason, warnings: [`/image could not be decoded: ${reason}`] });
    expect(
      await read([
        [4, 4],
        [4, 3],
      ]),
    ).toEqual({
      error: null,
      warnings: [`1 of 2 messages of /image could not be decoded: ${reason}`],
    });
  });
});
