import { expect, test } from "vitest";
import { describeValue } from "@/engine/messages/pictures/pixel-value";
import { readRawPicture } from "@/engine/messages/pictures/raw-picture";

const of = (encoding: string, data: Uint16Array | Float32Array) =>
  readRawPicture({
    width: 3,
    height: 1,
    encoding,
    step: data.byteLength,
    data: new Uint8Array(data.buffer),
  });

test("a value has its unit: millimetres in whole numbers, else metres; nothing where it was not measured", () => {
  const millimetres = of("16UC1", Uint16Array.from([1_234, 0, 5]));
  expect([0, 1, 2, 3].map((x) => describeValue(millimetres, x, 0))).toEqual(["1234 mm", "none", "5 mm", null]);
  const metres = of("32FC1", Float32Array.from([1.25, Number.NaN, 0]));
  expect([0, 1, 2].map((x) => describeValue(metres, x, 0))).toEqual(["1.25 m", "none", "none"]);
  expect(describeValue(of("mono16", Uint16Array.from([7, 0, 1])), 1, 0)).toBe("0");
});
