import { beforeEach, expect, test, vi } from "vitest";

beforeEach(() => vi.resetModules());

const cbor = Uint8Array.of(0x83, 1, 2, 3);

test.each([
  ["cbor", "jsonschema"],
  ["msgpack", ""],
  ["flatbuffer", "flatbuffer"],
  ["cdr", "omgidl"],
  ["cdr", "ros2idl"],
])(
  "a recording with messages in %s and schemas in %j loads what decodes them",
  async (messageEncoding, schemaEncoding) => {
    const rare = await import("./rare-encodings");
    await rare.loadRareEncodings([
      { messageEncoding: "ros1", schemaEncoding: "ros1msg" },
      { messageEncoding, schemaEncoding },
    ]);
    expect(rare.decodeCbor(cbor)).toEqual([1, 2, 3]);
    expect(rare.decodeMsgpack(Uint8Array.of(0x93, 1, 2, 3))).toEqual([1, 2, 3]);
    const idl = "module msgs { struct Odd { float speed; }; };";
    const { root, definitions } = rare.parseOmgIdlSchema(idl, "msgs::Odd");
    const payload = Uint8Array.of(0, 1, 0, 0, 0, 0, 0xc0, 0x3f);
    expect(rare.createOmgIdlDecoder(root, definitions)(payload)).toEqual({ speed: 1.5 });
    expect(() => rare.parseRos2IdlSchema("nonsense {", "msgs/msg/Odd")).toThrow(/^The IDL schema cannot be read/);
  },
);

test.each([
  ["ros1", "ros1msg"],
  ["cdr", "ros2msg"],
  ["protobuf", "protobuf"],
  ["json", "jsonschema"],
])("a recording with messages in %s and schemas in %s loads nothing", async (messageEncoding, schemaEncoding) => {
  const { decodeCbor, loadRareEncodings } = await import("./rare-encodings");
  await loadRareEncodings([{ messageEncoding, schemaEncoding }]);
  expect(() => decodeCbor(cbor)).toThrow("A recording was read before its encodings were loaded.");
});
