import { expect, test } from "vitest";
import { Texts } from "@/engine/columns/column-batch";

test("a list of texts is repeated when all of its bytes are the same, whatever numbers they would be", () => {
  const lists = [
    [0, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0x80],
    [1, 0, 0, 0, 0, 0, 0xf8, 0x7f],
    [2, 0, 0, 0, 0, 0, 0xf8, 0x7f],
    [65, 66, 67, 68, 69, 70, 71, 72],
    [65, 66, 67, 68, 69, 70, 71, 73],
  ].flatMap((list) => [list, [...list, 7], [...list, ...list, 1, 2, 3], [...list, ...list, 1, 2, 4]]);
  for (const stored of lists) {
    for (const next of lists) {
      const texts = new Texts([]);
      texts.open(0);
      const bytes = Uint8Array.from([9, ...stored]);
      texts.rememberList(0, 1, bytes, 1, stored.length);
      const view = new DataView(Uint8Array.from([9, 9, 9, ...next, 5]).buffer);
      const isSame = stored.every((byte, at) => next[at] === byte);
      expect(texts.findRepeated(0, 1, view, 3, next.length)).toBe(isSame ? stored.length : 0);
    }
  }
});
