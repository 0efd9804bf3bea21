import { expect, test } from "vitest";
import { describeUnread, listBytes } from "./message-bytes";

test("bytes are listed by their position, in hexadecimal digits and as text", () => {
  expect(listBytes(Buffer.from("Muster\0\xff!", "latin1"))).toEqual([
    { offset: "0000", hex: "4d 75 73 74 65 72 00 ff", text: "Muster.." },
    { offset: "0008", hex: "21", text: "!" },
  ]);
  expect(listBytes(Uint8Array.of())).toEqual([]);
});

test("a topic that cannot be read says how large its messages are and how often they come", () => {
  expect(describeUnread("vendor", [812, 812], 10)).toBe(
    '"vendor" messages cannot be read; 812 bytes each, 10 a second.',
  );
  expect(describeUnread("cdr", [98], 1)).toBe("The messages of this topic cannot be read; 98 bytes each, 1 a second.");
  expect(describeUnread("", [812, 20_000], 0)).toBe(
    "Messages without an encoding cannot be read; 812 bytes to 20.0 kB each.",
  );
});
