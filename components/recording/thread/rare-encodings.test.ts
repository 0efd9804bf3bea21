import { beforeEach, expect, test, vi } from "vitest";

beforeEach(() => vi.resetModules());

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const nothing = new Uint8Array(0);
const cbor = Uint8Array.of(0x83, 1, 2, 3);

test.each([
  ["cbor", "jsonschema", ""],
  ["msgpack", "", ""],
  ["flatbuffer", "flatbuffer", ""],
  ["cdr", "omgidl", ""],
  ["cdr", "ros2idl", ""],
  ["cdr", "ros2msg", "float32 speed\nwstring[] names"],
  ["cdr", "ros2msg", "int64 a\r\n ---\r\nint64 sum"],
])(
  "a recording with messages in %s and schemas in %j such as %j loads what decodes them",
  async (messageEncoding, schemaEncoding, schema) => {
    const rare = await import("./rare-encodings");
    await rare.loadRareEncodings([
      { messageEncoding: "ros1", schemaEncoding: "ros1msg", schemaData: nothing },
      { messageEncoding, schemaEncoding, schemaData: toBytes(schema) },
    ]);
    expect(rare.decodeCbor(cbor)).toEqual([1, 2, 3]);
    expect(rare.decodeMsgpack(Uint8Array.of(0x93, 1, 2, 3))).toEqual([1, 2, 3]);
    const idl = "module msgs { struct Odd { float speed; }; };";
    const { root, definitions } = rare.parseOmgIdlSchema(idl, "msgs::Odd");
    const payload = Uint8Array.of(0, 1, 0, 0, 0, 0, 0xc0, 0x3f);
    expect(rare.createOmgIdlDecoder(root, definitions)(payload)).toEqual({ speed: 1.5 });
    expect(rare.deriveTypes("msgs/Odd_Response", [["bool on"], ["bool ok"]]).get("msgs/Odd_Response")).toEqual([
      "bool ok",
    ]);
    const [text, two, four] = (["string", "uint16", "uint32"] as const).map((type) => {
      const array = type === "string" ? null : { length: null };
      return { name: "msgs/Odd", fields: [{ name: "name", type, array }] };
    });
    const wide = rare.createWideDecoder({ text: text!, two: two!, four: four! });
    expect(wide.decode(Uint8Array.of(0, 1, 0, 0, 1, 0, 0, 0, 65, 0, 0, 0))).toEqual({ name: "A" });
    expect(() => rare.parseRos2IdlSchema("nonsense {", "msgs/msg/Odd")).toThrow(/^The IDL schema cannot be read/);
  },
);

test.each([
  ["ros1", "ros1msg", "string wstrings # ---"],
  ["cdr", "ros2msg", "float32 speed"],
  ["protobuf", "protobuf", "wstring"],
  ["json", "jsonschema", "wstring"],
])(
  "a recording with messages in %s and schemas in %s such as %j loads nothing",
  async (messageEncoding, schemaEncoding, schema) => {
    const { decodeCbor, loadRareEncodings } = await import("./rare-encodings");
    await loadRareEncodings([{ messageEncoding, schemaEncoding, schemaData: toBytes(schema) }]);
    expect(() => decodeCbor(cbor)).toThrow("A recording was read before its encodings were loaded.");
  },
);
