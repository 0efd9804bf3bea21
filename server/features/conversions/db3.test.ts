import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDecoder } from "@/engine/decode/decode";
import type { ConversionSink, ConvertedChannel } from "@/engine/formats/conversion";
import { convertDb3 } from "@/server/features/conversions/db3";
import { TypeSchemas } from "@/server/features/conversions/type-schemas";
import { KnownDefinitions, type DefinitionFile } from "@/server/features/message-definitions/known-definitions";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { writeDb3, type Db3Contents } from "@/server/testing/db3";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "muster-db3-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

class Collected implements ConversionSink {
  readonly channels: ConvertedChannel[] = [];
  readonly messages: { channel: number; time: bigint; data: Uint8Array }[] = [];
  addChannel = async (channel: ConvertedChannel) => this.channels.push(channel) - 1;
  addMessage = async (channel: number, time: bigint, data: Uint8Array) => {
    this.messages.push({ channel, time, data });
  };
  addMetadata = async () => {};

  decoded(at: number): unknown {
    const { channel, data } = this.messages[at]!;
    return createDecoder({ id: 0, ...this.channels[channel]! }).decode(data);
  }
}

async function convert(bytes: Uint8Array, files: DefinitionFile[] = [], kept: DefinitionFile[] = []) {
  const source = path.join(folder, "source.db3");
  writeFileSync(source, bytes);
  const sink = new Collected();
  const { zstd } = await recordingCodecs();
  const conversion = await convertDb3(source, sink, {
    schemas: new TypeSchemas(new KnownDefinitions(files, kept)),
    zstd,
    fileBytes: bytes.length,
    isDue: () => false,
    pause: () => Promise.resolve(),
  });
  return { ...conversion, sink };
}

/** A std_msgs/Float64 in CDR. */
function float64(value: number): Buffer {
  const data = Buffer.alloc(12);
  data[1] = 1;
  data.writeDoubleLE(value, 4);
  return data;
}

const start = 1_700_000_000_000_000_001n;
const contents = (count: number): Db3Contents => ({
  topics: [{ name: "/level", type: "std_msgs/msg/Float64" }],
  messages: Array.from({ length: count }, (_, at) => ({ topic: 1, time: start + BigInt(at), data: float64(at / 2) })),
});

describe("a db3 file", () => {
  test("of ROS 2 Humble is read with the standard messages, its times exact", async () => {
    const { sink, ...conversion } = await convert(writeDb3(contents(3)));
    expect(conversion).toEqual({ format: "db3", messageCount: 3, truncated: false, warnings: [] });
    expect(sink.messages.map(({ time }) => time - start)).toEqual([0n, 1n, 2n]);
    expect([0, 1, 2].map((at) => sink.decoded(at))).toEqual([{ data: 0 }, { data: 0.5 }, { data: 1 }]);
  });

  test("has every standard message in a form that can be read", async () => {
    const schemas = new TypeSchemas(new KnownDefinitions([]));
    const { ros2humble } = await import("@foxglove/rosmsg-msgs-common");
    const names = Object.keys(ros2humble);
    const unreadable = names.filter((name) => {
      const schema = schemas.find(name.replace("/", "/msg/"));
      const schemaData = Buffer.from(schema?.text ?? "");
      try {
        createDecoder({
          id: 0,
          topic: "",
          messageEncoding: "cdr",
          schemaName: name,
          schemaEncoding: "ros2msg",
          schemaData,
        });
        return false;
      } catch {
        return true;
      }
    });
    expect(names.length).toBeGreaterThan(100);
    expect(unreadable).toEqual([]);
  });

  test("uses the definitions in it before those known", async () => {
    const { sink } = await convert(
      writeDb3({ ...contents(1), definitions: { "std_msgs/msg/Float64": "float64 renamed" } }),
    );
    expect(sink.decoded(0)).toEqual({ renamed: 0 });
  });

  test("uses .msg and .idl files beside it, with the types they name", async () => {
    const custom: Db3Contents = {
      topics: [
        { name: "/a", type: "arm_msgs/msg/Joint" },
        { name: "/b", type: "arm_msgs/msg/Grip" },
      ],
      messages: [
        { topic: 1, time: 1n, data: Buffer.concat([float64(7), float64(8).subarray(4)]) },
        { topic: 2, time: 2n, data: float64(9) },
      ],
    };
    const { sink, warnings } = await convert(writeDb3(custom), [
      { path: "defs/arm_msgs/msg/Joint.msg", text: "Angle angle # the joint's\nstd_msgs/Float64 load\n" },
      { path: "defs/arm_msgs/msg/Angle.msg", text: "float64 rad" },
      {
        path: "defs/arm_msgs/msg/Grip.idl",
        text: "module arm_msgs { module msg { struct Grip { double force; }; }; };",
      },
    ]);
    expect(warnings).toEqual([]);
    expect(sink.decoded(0)).toEqual({ angle: { rad: 7 }, load: { data: 8 } });
    expect(sink.decoded(1)).toEqual({ force: 9 });
  });

  test("prefers files beside it to those kept for the organization, and those to the standard messages", async () => {
    const types = ["arm_msgs/msg/A", "arm_msgs/msg/B", "std_msgs/msg/Float64", "std_msgs/msg/Float32"];
    const { sink } = await convert(
      writeDb3({
        topics: types.map((type) => ({ name: `/${type}`, type })),
        messages: types.map((_, at) => ({ topic: at + 1, time: BigInt(at), data: float64(at) })),
      }),
      [{ path: "arm_msgs/msg/A.msg", text: "float64 beside" }],
      [
        { path: "arm_msgs/A.msg", text: "float64 kept" },
        { path: "arm_msgs/B.msg", text: "float64 kept" },
        { path: "std_msgs/Float64.msg", text: "float64 kept" },
        { path: "other/Float32.msg", text: "float64 kept" },
      ],
    );
    expect(types.map((_, at) => Object.keys(sink.decoded(at) as object)[0])).toEqual([
      "beside",
      "kept",
      "kept",
      "data",
    ]);
  });

  test("joins an .idl file with those it names, of many that are known", async () => {
    const idlFile = (name: string, body: string) => ({
      path: `arm_msgs/${name}.idl`,
      text: `#include "x.idl"\nmodule arm_msgs { module msg { struct ${name} { ${body} }; }; };`,
    });
    const others = Array.from({ length: 300 }, (_, at) => idlFile(`Other${at}`, `double value_${at}_of_many_others;`));
    const { sink, warnings } = await convert(
      writeDb3({
        topics: [{ name: "/a", type: "arm_msgs/msg/A" }],
        messages: [{ topic: 1, time: 1n, data: float64(3) }],
      }),
      [],
      [...others, idlFile("A", "arm_msgs::msg::B b;"), idlFile("B", "arm_msgs::msg::C c;"), idlFile("C", "double d;")],
    );
    expect(warnings).toEqual([]);
    expect(sink.decoded(0)).toEqual({ b: { c: { d: 3 } } });
  });

  test("lists topics of unknown types with their counts, and leaves it to their reading to say what is missing", async () => {
    const { sink, messageCount } = await convert(
      writeDb3({ topics: [{ name: "/x", type: "own/msg/X" }], messages: [{ topic: 1, time: 5n, data: float64(1) }] }),
    );
    expect([messageCount, sink.channels[0]]).toEqual([
      1,
      expect.objectContaining({ topic: "/x", schemaName: "own/msg/X", schemaEncoding: "" }),
    ]);
    expect(() => sink.decoded(0)).toThrow(/no definition of "own\/msg\/X"\. Add its \.msg or \.idl/);
  });

  test("may compress its messages", async () => {
    const { default: zstd } = await import("@foxglove/wasm-zstd");
    await zstd.isLoaded;
    const data = zstd.compress(float64(3), 1);
    const { sink } = await convert(writeDb3({ ...contents(0), messages: [{ topic: 1, time: 1n, data }] }));
    expect(sink.decoded(0)).toEqual({ data: 3 });
  });

  test("leaves out messages that hold more than 64 MiB when they are decompressed, with a warning", async () => {
    // The head of a frame of zstd, with the size of what it holds in the last four bytes.
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
    head.writeUInt32LE(64 * 1024 * 1024 + 1, 5);
    const [first, second] = contents(2).messages;
    const messages = [first!, { topic: 1, time: start, data: head }, second!];
    const { messageCount, warnings, sink } = await convert(writeDb3({ ...contents(0), messages }));
    expect([messageCount, sink.decoded(0), sink.decoded(1)]).toEqual([2, { data: 0 }, { data: 0.5 }]);
    expect(warnings).toEqual(["Messages of more than 64 MiB were left out."]);
  });

  test("leaves out rows that are no messages, with a warning", async () => {
    const bytes = writeDb3({
      ...contents(2),
      extra: [
        "insert into messages (topic_id, timestamp, data) values (1, -5, x'00'), (1, 'now', x'00'), (1, 1.5, x'00'), (1, 7, 'text'), (9, 7, x'00')",
      ],
    });
    const { messageCount, warnings } = await convert(bytes);
    expect(messageCount).toBe(2);
    expect(warnings).toEqual([
      "Rows of the db3 file that hold no message with a time were left out.",
      "Messages of topics that the db3 file does not list were left out.",
    ]);
  });
});

describe("a hostile db3 file", () => {
  const rename = "alter table messages rename to kept";
  test.each([
    [
      "a view",
      [rename, "create view messages as select 1 as topic_id, 1 as timestamp, x'00' as data"],
      /views, triggers/,
    ],
    ["a trigger", ["create trigger t after insert on messages begin select 1; end"], /views, triggers/],
    ["a virtual table", [rename, "create virtual table messages using fts5(topic_id, timestamp, data)"], /virtual/],
    [
      "computed columns",
      [rename, "create table messages(id integer primary key, topic_id, timestamp, data as (zeroblob(1000000000)))"],
      /computed, not read/,
    ],
    ["other tables", ["drop table topics"], /lacks the tables/],
    ["columns of other names", ["alter table messages rename column data to body"], /db3 file whose pages are damaged/],
  ])("with %s is refused", async (_what, extra, reason) => {
    await expect(convert(writeDb3({ ...contents(1), extra }))).rejects.toThrow(reason);
  });

  test("that is cut or damaged anywhere is read as far as it goes or refused with a reason", async () => {
    const bytes = writeDb3(contents(2_000));
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
    const outcomes = { whole: 0, part: 0, refused: 0 };
    for (let round = 0; round < 60; round++) {
      let damaged = Buffer.from(bytes);
      if (round % 3 === 0) damaged = damaged.subarray(0, 100 + random(bytes.length - 100));
      else for (let n = 0; n < 40; n++) damaged[random(bytes.length)] = random(256);
      try {
        const { truncated, messageCount } = await convert(damaged);
        outcomes[truncated ? "part" : "whole"] += 1;
        expect(messageCount).toBeLessThanOrEqual(4_000);
      } catch (error) {
        outcomes.refused += 1;
        expect(error).toMatchObject({ name: "NotConvertible", message: expect.stringMatching(/^is a/) });
      }
    }
    expect(outcomes.part).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(0);
  });
});
