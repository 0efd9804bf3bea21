import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { DefinitionCompleter, type SchemaLanguage } from "@/engine/decode/definitions";
import { createFieldReader } from "@/engine/decode/field-reader";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import { createSignalReader } from "@/engine/signals/signal-reader";
import { makeChannel } from "@/engine/testing/test-channels";

const texts: Record<string, string> = {
  "ros2msg std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
  "ros1msg std_msgs/Header": "uint32 seq\ntime stamp\nstring frame_id",
  "ros2msg arm_msgs/Joint": "Header header\nAngle angle",
  "ros2msg arm_msgs/Angle": "float64 rad",
  "ros2msg arm_msgs/Fib_FeedbackMessage": "int32 order\n---\n---\nAngle reached",
  "ros2msg std_msgs/Empty": "",
  "ros2idl own_msgs/Grip": "module own_msgs { module msg { struct Grip { own_msgs::msg::Force force; }; }; };",
  "ros2idl own_msgs/Force": "module own_msgs { module msg { struct Force { double newton; }; }; };",
};

function createCompleter(known = texts) {
  const asked: string[] = [];
  const find = (type: string, language: SchemaLanguage): string | null => {
    asked.push(`${language} ${type}`);
    return known[`${language} ${type}`] ?? null;
  };
  return { completer: new DefinitionCompleter({ id: "", find }), asked };
}

const define = (schemaName: string, text = "", schemaEncoding = "ros2msg", messageEncoding = "cdr") => ({
  ...{ topic: "/t", messageEncoding, schemaName, schemaEncoding },
  schemaData: Buffer.from(text),
});
const listPaths = (definition: ChannelDefinition): string[] =>
  listFields({ id: 0, ...createCompleter().completer.complete(definition) }).map(({ path }) => path);

describe("a channel without a definition", () => {
  it.each(["", "unknown", "ros2msg", "ros2idl"])("of the language %j gets that of its type", (encoding) => {
    for (const text of ["", "# only a comment\n\n  # and another"]) {
      expect(listPaths(define("arm_msgs/msg/Joint", text, encoding))).toEqual([
        "header.stamp",
        "header.frame_id",
        "angle.rad",
      ]);
    }
  });

  it("gets one in IDL with those that it names", () => {
    expect(listPaths(define("own_msgs/msg/Grip", "", ""))).toEqual(["force.newton"]);
  });

  it("of ROS 1 gets that of ROS 1", () => {
    expect(listPaths(define("std_msgs/Header", "", "ros1msg", "ros1"))).toEqual(["seq", "stamp", "frame_id"]);
  });

  it("of a type that is derived from an action gets the text of this, with the types that it uses", () => {
    expect(listPaths(define("arm_msgs/action/Fib_FeedbackMessage")).at(-1)).toBe("feedback.reached.rad");
  });

  it("stays as it is where none is known, which its reading says with what to do", () => {
    const { completer } = createCompleter();
    for (const [type, file] of [
      ["own/msg/X", "its .msg or .idl file"],
      ["own/srv/X_Event", 'the .srv file of "own/srv/X"'],
      ["own/action/X_FeedbackMessage", 'the .action file of "own/action/X"'],
    ] as const) {
      const definition = define(type, "", "");
      expect(completer.complete(definition)).toBe(definition);
      expect(() => createDecoder({ id: 0, ...definition })).toThrow(
        `The recording has no definition of "${type}". Add ${file} to the settings' message definitions`,
      );
    }
  });

  it.each(["json", "protobuf", "own"])("is left alone with messages in %s", (encoding) => {
    const { completer, asked } = createCompleter();
    const definition = define("std_msgs/msg/Header", "", "", encoding);
    expect([completer.complete(definition), asked]).toEqual([definition, []]);
  });
});

describe("a definition that lacks types", () => {
  it("gets these, in its own language, and keeps those that it has", () => {
    const text = "Header header\nAngle angle\n=====\nMSG: arm_msgs/Angle\nfloat32 degree";
    expect(listPaths(define("arm_msgs/msg/Own", text))).toEqual(["header.stamp", "header.frame_id", "angle.degree"]);
    expect(listPaths(define("arm_msgs/Own", "Header header", "ros1msg", "ros1"))).toEqual([
      "header.seq",
      "header.stamp",
      "header.frame_id",
    ]);
  });

  it("gets one that is there but empty, where it is known to hold something", () => {
    const text = "Angle angle\nOther other\n=====\nMSG: arm_msgs/Angle\n=====\nMSG: arm_msgs/Other\n";
    expect(listPaths(define("arm_msgs/msg/Own", text))).toEqual(["angle.rad"]);
  });

  it("of IDL gets files of IDL", () => {
    const text = "module own_msgs { module msg { struct Hand { own_msgs::msg::Grip grip; double size; }; }; };";
    expect(listPaths(define("own_msgs/msg/Hand", text, "ros2idl"))).toEqual(["grip.force.newton", "size"]);
  });

  it("names the type that nobody knows, and what to do", () => {
    const definition = createCompleter().completer.complete(define("arm_msgs/msg/Own", "Unknown a\nAngle b"));
    expect(() => createDecoder({ id: 0, ...definition })).toThrow(
      'does not define the type "Unknown". Add its .msg or .idl file to the settings\' message definitions',
    );
  });

  it("that lacks nothing stays as it is, and nobody is asked", () => {
    const { completer, asked } = createCompleter();
    const texts = ["float64 a\nbuiltin_interfaces/Time b", "a/B b\n===\nMSG: a/B\nint8 c", "int8 a\n---\nint8 b"];
    const names = ["own/msg/A", "own/msg/A", "own/srv/A_Event"];
    const definitions = texts.map((text, at) => define(names[at]!, text));
    expect(definitions.map((definition) => completer.complete(definition))).toEqual(definitions);
    expect(asked).toEqual([]);
  });
});

it("many channels of one type share what was found, and it is asked for once", () => {
  const { completer, asked } = createCompleter();
  const schemas = Array.from({ length: 1000 }, () => completer.complete(define("arm_msgs/msg/Angle")).schemaData);
  expect([new Set(schemas).size, asked.length]).toEqual([1, 2]);
});

it("definitions of endless types end the search, and what a recording gets is bounded", () => {
  let asked = 0;
  const find = (type: string, language: SchemaLanguage): string | null => {
    asked += 1;
    return language === "ros2msg" ? `own/T${asked} a # ${"x".repeat(2000)}` : null;
  };
  const completer = new DefinitionCompleter({ id: "", find });
  let bytes = 0;
  for (let at = 0; at < 100; at++) bytes += completer.complete(define(`own/msg/R${at}`)).schemaData.length;
  expect(asked).toBeLessThan(100 * 510);
  expect(bytes).toBeLessThan(17 * 1024 * 1024);
});

describe("messages of a type without fields", () => {
  const read = (encoding: string, bytes: number): (() => unknown)[] => {
    const channel = makeChannel(encoding, encoding === "cdr" ? "ros2msg" : "ros1msg", "# nothing", "own/msg/Nothing");
    const data = new Uint8Array(bytes);
    return [
      () => createDecoder(channel).decode(data),
      () => createFieldReader(channel).read(data),
      () => createSignalReader(channel).read(data),
    ];
  };

  it("are read where they are empty", () => {
    for (const read1 of [read("ros1", 0), read("cdr", 5), read("cdr", 8)].flat()) expect(read1).not.toThrow();
  });

  it("are refused where they are not, because their definition is missing", () => {
    for (const read1 of [read("ros1", 1), read("cdr", 9), read("cdr", 300)].flat())
      expect(read1).toThrow('The definition of "own/Nothing" is empty, but its messages are not. Add its .msg');
  });
});
