import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses } from "@/engine/testing/compare-passes";
import { ros2Channel } from "@/engine/testing/test-channels";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

/** Writes CDR, with as many bytes for a wide character as said. */
class Writer {
  private readonly bytes: number[] = [];

  constructor(private readonly width: number) {}

  private put(value: number, size: number): void {
    for (let at = 0; at < size; at++) this.bytes.push((value >>> (8 * at)) & 255);
  }

  private align(size: number): void {
    while (this.bytes.length % size !== 0) this.bytes.push(0);
  }

  uint8(value: number): this {
    this.put(value, 1);
    return this;
  }

  uint32(value: number): this {
    this.align(4);
    this.put(value, 4);
    return this;
  }

  double(value: number): this {
    this.align(8);
    this.bytes.push(...new Uint8Array(Float64Array.of(value).buffer));
    return this;
  }

  text(text: string): this {
    const characters = this.width === 2 ? text.split("") : [...text];
    this.uint32(characters.length);
    for (const each of characters) this.put(each.codePointAt(0)!, this.width);
    return this;
  }

  get data(): Buffer {
    return Buffer.from([0, 1, 0, 0, ...this.bytes]);
  }
}

const definition = `float64 speed
pkg/Part part
wstring label
uint8 level
wstring[] names
float64 last
=====
MSG: pkg/Part
uint8 id
wstring<=8 code
uint8 end`;
const channel = ros2Channel(definition);
const write = (width: number, code: string, label: string, names: string[]): Buffer => {
  const writer = new Writer(width).double(1.5).uint8(7).text(code).uint8(8).text(label).uint8(9).uint32(names.length);
  for (const name of names) writer.text(name);
  return writer.double(2.5).data;
};

describe("texts of wide characters", () => {
  it("are read from writers of two and of four bytes for a character, with all that follows them", () => {
    for (const width of [4, 2]) {
      const decoder = createDecoder(channel);
      for (const [code, label, names] of [
        ["ab", "Größe 名前 🤖", ["x", ""]],
        ["", "", []],
        ["A", "B", ["one", "two", "three"]],
      ] as const) {
        expect(decoder.decode(write(width, code, label, [...names]))).toEqual({
          speed: 1.5,
          part: { id: 7, code, end: 8 },
          label,
          level: 9,
          names,
          last: 2.5,
        });
        expect(decoder.unread).toBeNull();
      }
    }
  });

  it("are read whatever they say and whoever writes", () => {
    const texts = fc.tuple(fc.string({ unit: "grapheme", maxLength: 8 }), fc.array(fc.string({ maxLength: 5 })));
    fc.assert(
      fc.property(texts, fc.constantFrom(2, 4), ([label, names], width) => {
        // With a text that only one width fits.
        const decoded = createDecoder(channel).decode(write(width, "wide", label, names));
        expect(decoded).toMatchObject({ label, names, last: 2.5 });
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  it("of neither width end the message there, with a reason", () => {
    const decoder = createDecoder(channel);
    expect(decoder.decode(write(1, "ab", "text", ["x"]))).toEqual({ speed: 1.5, part: { id: 7 } });
    expect(decoder.unread).toContain('"part.code" of "pkg/Type" and what follows it');
    const first = createDecoder(ros2Channel("wstring a\nfloat64 b"));
    expect(first.decode(new Writer(1).text("abc").double(1).data)).toEqual({});
    const cut = write(4, "ab", "text", ["x"]);
    expect(decoder.decode(cut.subarray(0, 30))).toEqual({ speed: 1.5, part: { id: 7 } });
    expect(() => decoder.decode(cut.subarray(0, 6))).toThrow();
  });

  it("are fields, as those around them are", () => {
    const paths = ["speed", "part.id", "part.code", "part.end", "label", "level", "last"];
    expect(listFields(channel).map(({ path }) => path)).toEqual(paths);
    const reader = createFieldReader(channel);
    reader.read(write(2, "ab", "up", ["left"]));
    const at = (path: string) => reader.fields.findIndex((field) => field.path === path);
    expect([reader.values[at("level")], reader.states[at("label")], reader.states[at("names[0]")]]).toEqual([
      9,
      "up",
      "left",
    ]);
  });

  it("make a warning where a part of messages is not read, in both ways of reading a recording", async () => {
    const messages = Array.from({ length: 60 }, (_, i) => ({
      topic: channel.topic,
      time: 1_760_000_000_000_000_000n + BigInt(i) * 10_000_000n,
      data: write(i < 20 ? 4 : i < 40 ? 2 : 1, "ab", `state ${i % 3}`, ["x"]),
    }));
    const schema = { schemaName: "pkg/msg/Type", schemaEncoding: "ros2msg", schema: definition };
    const file = await writeMcap([{ topic: channel.topic, messageEncoding: "cdr", ...schema }], messages);
    const codecs = await recordingCodecs();
    const files = [memorySource(file)];
    expect((await comparePasses(files, [], { codecs })).differences).toEqual([]);
    const pass = await processColumns(files, [], { codecs });
    expect(pass.topics.getReading(channel.topic).error).toBeNull();
    expect(pass.warnings).toEqual([
      expect.stringMatching(/^Some fields of \/t cannot be read: "part.code" of "pkg\/Type"/),
    ]);
    const counts = new Map([...pass.series.finish()].map(({ field, count }) => [field, count]));
    expect([counts.get("speed"), counts.get("part.id"), counts.get("label"), counts.get("last")]).toEqual([
      60, 60, 40, 40,
    ]);
  });
});
