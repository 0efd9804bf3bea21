import type { ReadAnnotation, ReadPicture } from "@/server/features/imports/formats/annotation-file";

/**
 * Pictures and annotations of one transaction, and what these weigh: so long others of the project wait for it at most, and so
 * much is held in memory.
 */
const batchLimits = { pictures: 100, annotations: 2_000, weight: 2 ** 26 } as const;

/** What a point weighs, in pixels of a mask, and so does an annotation itself. */
const pointWeight = 64;
const characterWeight = 16;

function weighShape({ type, coordinates }: ReadAnnotation): number {
  switch (type) {
    case "mask":
      return coordinates.box[2] * coordinates.box[3] + characterWeight * coordinates.counts.length;
    case "polygon": {
      const holes = coordinates.holes ?? [];
      return pointWeight * holes.reduce((count, hole) => count + hole.length, coordinates.points.length);
    }
    case "polyline":
    case "keypoints":
      return pointWeight * coordinates.points.length;
    default:
      return 0;
  }
}

/** How much work and memory annotations need, in pixels of a mask. */
const weigh = (annotations: readonly ReadAnnotation[]): number =>
  annotations.reduce(
    (sum, each) => sum + pointWeight + weighShape(each) + characterWeight * JSON.stringify(each.attributes).length,
    0,
  );

/** Pictures after the first ones, in batches. */
export async function* inBatches<T extends ReadPicture>(
  pictures: AsyncIterable<T>,
  after: number,
): AsyncGenerator<T[]> {
  let [at, annotations, weight] = [0, 0, 0];
  let batch: T[] = [];
  for await (const picture of pictures) {
    at += 1;
    if (at <= after) continue;
    batch.push(picture);
    annotations += picture.annotations.length;
    weight += weigh(picture.annotations);
    if (batch.length < batchLimits.pictures && annotations < batchLimits.annotations && weight < batchLimits.weight)
      continue;
    yield batch;
    [batch, annotations, weight] = [[], 0, 0];
  }
  if (batch.length > 0) yield batch;
}
