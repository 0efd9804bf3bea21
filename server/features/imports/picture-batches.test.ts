import { expect, test } from "vitest";
import type { ReadAnnotation, ReadPicture } from "@/server/features/imports/formats/annotation-file";
import { inBatches } from "@/server/features/imports/picture-batches";

const side = 2 ** 13;
const mask: ReadAnnotation = {
  label: "car",
  type: "mask",
  coordinates: { size: [side, side], box: [0, 0, side, side], counts: "0" },
  attributes: {},
};
const box: ReadAnnotation = {
  label: "car",
  type: "bbox",
  coordinates: { x: 1, y: 2, width: 3, height: 4 },
  attributes: {},
};
const makePicture = (annotations: ReadAnnotation[]): ReadPicture => ({
  name: "1.png",
  uid: null,
  uidEnd: null,
  width: side,
  height: side,
  annotations,
  leftOut: [],
});

async function listSizes(pictures: ReadPicture[], after = 0): Promise<number[]> {
  const sizes: number[] = [];
  const read = async function* () {
    yield* pictures;
  };
  for await (const batch of inBatches(read(), after)) sizes.push(batch.length);
  return sizes;
}

test("a batch ends at its pictures, its annotations, and at the work and memory that they need", async () => {
  const [masks, boxes] = [makePicture([mask]), makePicture([box])];
  const large = makePicture([{ ...box, attributes: { note: "x".repeat(2 ** 22) } }]);
  expect(await listSizes([masks, masks])).toEqual([1, 1]);
  expect(await listSizes([large, large])).toEqual([1, 1]);
  expect(await listSizes(Array.from({ length: 150 }, () => boxes))).toEqual([100, 50]);
  expect(
    await listSizes(
      Array.from({ length: 150 }, () => boxes),
      120,
    ),
  ).toEqual([30]);
  expect(
    await listSizes(Array.from({ length: 3 }, () => makePicture(Array.from({ length: 1_000 }, () => box)))),
  ).toEqual([2, 1]);
});
