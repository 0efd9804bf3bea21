import fc from "fast-check";
import { expect, it } from "vitest";
import { compareBytes, copyText, equalBytes, fromBase64, latin1Text, utf8Text } from "@/engine/bytes";

const bytes = fc.uint8Array({ maxLength: 40 });

it("bytes are ordered like memcmp at any offset", () => {
  fc.assert(
    fc.property(bytes, bytes, fc.nat(5), fc.boolean(), (a, b, shift, same) => {
      const other = same ? a : b;
      const moved = Uint8Array.from([...new Uint8Array(shift), ...other, 7]);
      const order = compareBytes(a, moved, 0, a.length, shift, shift + other.length);
      expect(Math.sign(order)).toBe(Buffer.compare(a, other));
      expect(equalBytes(a, other)).toBe(Buffer.compare(a, other) === 0);
    }),
  );
});

it("any bytes are read as the same text as by Node", () => {
  const text = fc.string({ unit: "binary", maxLength: 20 }).map((value) => Buffer.from(value));
  fc.assert(
    fc.property(fc.oneof(bytes, text), (value) => {
      const withMark = Uint8Array.from([0xef, 0xbb, 0xbf, ...value]);
      for (const part of [value, withMark]) expect(utf8Text(part)).toBe(Buffer.from(part).toString("utf8"));
      expect(latin1Text(value)).toBe(Buffer.from(value).toString("latin1"));
    }),
  );
  expect(copyText("a \ud800 b")).toBe("a \ufffd b");
});

it("base64 is decoded as Buffer does, and other text is refused", () => {
  fc.assert(
    fc.property(bytes, (each) => {
      expect(fromBase64(Buffer.from(each).toString("base64"))).toEqual(Uint8Array.from(each));
    }),
  );
  expect(fromBase64("AQI")).toEqual(Uint8Array.of(1, 2));
  expect(() => fromBase64("A")).toThrow();
  expect(() => fromBase64("not base64!")).toThrow();
});
