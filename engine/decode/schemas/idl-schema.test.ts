import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { simplifyConstants } from "@/engine/decode/schemas/idl-constants";
import { makeChannel, plain } from "@/engine/testing/test-channels";

const dialects = [
  ["omgidl", "pkg::msg::T"],
  ["ros2idl", "pkg/msg/T"],
] as const;
const open = (dialect: string, name: string, idl: string) =>
  makeChannel("cdr", dialect, `module pkg { module msg {\n${idl}\n}; };`, name);

/** A little-endian message of 32-bit integers. */
const integers = (...values: number[]): Buffer => {
  const payload = Buffer.alloc(4 + 4 * values.length);
  payload[1] = 1;
  for (const [at, value] of values.entries()) payload.writeInt32LE(value, 4 + 4 * at);
  return payload;
};

describe.each(dialects)("a schema in %s", (dialect, name) => {
  const decode = (idl: string, ...values: number[]): unknown =>
    plain(createDecoder(open(dialect, name, idl)).decode(integers(...values)));

  it("is read whatever constants it has", () => {
    const idl = `enum Color { RED, BLUE };
      const Color FAVOURITE = BLUE; // a comment; with a semicolon
      const Color OTHER = RED | BLUE; const Color THIRD = Color::RED;
      const char LETTER = 'a'; const wchar WIDE = L'a'; const wstring<8> NAME = L"a;b";
      const string TEXT = "x = 1; " "y"; const boolean ON = TRUE; const float HALF = -0.5e-3;
      struct T { Color color; long x; };`;
    expect(decode(idl, 1, 7)).toEqual({ color: 1, x: 7 });
    const reader = createFieldReader(open(dialect, name, idl));
    reader.read(integers(1, 7));
    expect(reader.states[0]).toBe("BLUE");
  });

  it("has arrays as long as constants say, which may be computed", () => {
    const idl = `typedef long Index; const Index ROWS = 2; const unsigned long MASK = 0x0F & ~(1 << 3);
      const short COUNT = (ROWS + 1) * 4 / 2 - MASK % 3 - 4; const long ZERO = 1 / 0;
      struct T { long list[COUNT]; long pair[ROWS]; };`;
    // (2 + 1) * 4 / 2 - 7 % 3 - 4 is 1.
    expect(decode(idl, 5, 6, 7)).toEqual({ list: [5], pair: [6, 7] });
  });

  it("has unions and arrays of several dimensions", () => {
    const idl = `union U switch (long) { case 1: long whole; default: float part; };
      struct T { U one; long grid[2][3]; U other; };`;
    const half = new DataView(new ArrayBuffer(4));
    half.setFloat32(0, 0.5);
    const decoded = decode(idl, 1, 42, 1, 2, 3, 4, 5, 6, 9, half.getInt32(0)) as Record<string, unknown>;
    expect(decoded).toMatchObject({ one: { whole: 42 }, other: { part: 0.5 } });
    expect(decoded.grid).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const reader = createFieldReader(open(dialect, name, idl));
    reader.read(integers(1, 42, 1, 2, 3, 4, 5, 6, 1, 43));
    const paths = reader.fields.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["one.whole", "grid[0][0]", "grid[1][2]", "other.whole"]));
  });

  it("gives units by annotations and comments, and names of values by the constants beside a type", () => {
    const idl = `module T_Constants { const uint8 MODE_IDLE = 0; const uint8 MODE_DRIVE = 1; const int16 LOW = 3;
        const int16 HIGH = 4; const uint8 OTHER = 5; };
      struct T { @unit(value="m/s") double speed; @unit("rad") double angle;
        @verbatim(language="comment", text="measured " "in [kg]") double load; uint8 count; uint8 mode; int16 level; };`;
    expect(listFields(open(dialect, name, idl))).toEqual([
      { path: "speed", kind: "number", unit: "m/s" },
      { path: "angle", kind: "number", unit: "rad" },
      { path: "load", kind: "number", unit: "kg" },
      { path: "count", kind: "number" },
      { path: "mode", kind: "enum", enumValues: { 0: "MODE_IDLE", 1: "MODE_DRIVE" } },
      { path: "level", kind: "enum", enumValues: { 3: "LOW", 4: "HIGH" } },
    ]);
  });

  it("that cannot be read says where", () => {
    const fail = (idl: string) => () => createDecoder(open(dialect, name, idl));
    expect(fail("struct T {\n long x;\n what is this };")).toThrow("cannot be read: line 4 is not understood.");
    expect(fail('const\nlong\nA\n=\n"a";\nstruct T { long = 3; };')).toThrow("line 7 is not understood");
    expect(fail("struct T { Gone x; };")).toThrow('it does not define "Gone".');
    expect(fail('const string A = ""; struct T { long x[A]; };')).toThrow('"A" is not a number');
  });
});

describe("constants of IDL", () => {
  it("of any kind leave all else of a text as it is, in time that grows with its length", () => {
    const part = fc.constantFrom("const", " ", "long", "A", "=", "1", "+", "(", ";", '"', "'", "<", "/*", "\n", "::");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join("");
        expect(simplifyConstants(text).split("\n").length).toBe(text.split("\n").length);
      }),
      { numRuns: 500, seed: 4 },
    );
    for (const piece of ["const a = ", "const ", "const a a", "const a=(", '"', "/*", "const a = 1;", "const a<"])
      expect(typeof simplifyConstants(piece.repeat(Math.ceil((128 * 1024) / piece.length)))).toBe("string");
  });
});
