import { describe, expect, test } from "vitest";
import { exportFormats } from "@/domain/exports/formats";
import { toRuns } from "@/domain/masks/fill";
import { toCoordinates } from "@/domain/masks/mask-figure";
import { formatRuns } from "@/domain/masks/run-lengths";
import { completeLabels } from "@/domain/projects/label-schema";
import { Annotation } from "@/domain/tasks/schema";
import { numberClasses } from "@/server/features/exports/class-numbers";
import { noPlan } from "@/server/features/exports/format";
import { exportWriters } from "@/server/features/exports/formats";
import type { SelectedItem, SelectedResult } from "@/server/features/exports/selection-queries";
import { canBeShown } from "@/server/features/exports/shown-cost";
import { finish, Turns, type Steps } from "@/server/features/exports/steps";

/** What counting an export does, which the process that serves pages does for previews. */

const classes = numberClasses([completeLabels([{ name: "car", color: "#112233" }])], []);
const outline = { classes, ...noPlan, background: false };

const makeItem = (width: number, height: number): SelectedItem => ({
  uid: "0198c0de-0000-7000-8000-0123456789ab",
  key: "a.png",
  metadata: { width, height },
  media_type: "image/png",
  storage_key: "x",
  size_bytes: 1n,
  result_bytes: 1n,
  is_picture: true,
  is_labelled: true,
  group_hash: 1n,
  item_hash: 1n,
});
const makeResult = (annotations: readonly Annotation[]): SelectedResult => ({
  uid: "0198c0de-0000-7000-8000-000000000001",
  item_id: "0198c0de-0000-7000-8000-0123456789ab",
  project_id: "0198c0de-0000-7000-8000-000000000002",
  annotations: [...annotations],
});
const annotate = (type: string, coordinates: object) =>
  Annotation.parse({ label: "car", type, coordinates, attributes: {} });
const makeMask = (width: number, height: number, runs: readonly number[] = [0, width * height]) =>
  annotate("mask", { size: [height, width], box: [0, 0, width, height], counts: formatRuns(runs) });

/** A mask over a whole picture that counts how often its runs are read. */
function watchMask(width: number, height: number): { mask: Annotation; countReads: () => number } {
  const counts = formatRuns([0, width * height]);
  let reads = 0;
  const coordinates = {
    size: [height, width] satisfies [number, number],
    box: [0, 0, width, height] satisfies [number, number, number, number],
    get counts() {
      reads += 1;
      return counts;
    },
  };
  return { mask: { label: "car", type: "mask", coordinates, attributes: {} }, countReads: () => reads };
}

function countSteps(steps: Steps<void>): number {
  let count = 0;
  while (!steps.next().done) count += 1;
  return count;
}

describe("counting what a file would hold", () => {
  test("reads the runs of a mask once for all formats and once for its pixels, and lays none of them out", () => {
    const { mask, countReads } = watchMask(3_840, 2_160);
    for (const format of exportFormats) {
      const tally = exportWriters[format].startTally(outline);
      finish(exportWriters[format].count(makeItem(3_840, 2_160), [makeResult([mask])], outline, tally));
      const { classes: counted } = tally.toContents();
      expect([format, counted]).toEqual([format, [{ name: "car", count: format === "YOLO-pose" ? 0 : 1 }]]);
    }
    expect(countReads()).toBe(2);
  });

  test("of 10,000 masks over the whole of a large picture has a step for each, and a few for each column", () => {
    const [width, height, count] = [10_000, 8_000, 10_000];
    const mask = makeMask(width, height);
    const results = [makeResult(Array.from({ length: count }, () => ({ ...mask })))];
    for (const format of ["COCO-panoptic", "LabelStudio", "CVAT", "COCO"] as const) {
      const tally = exportWriters[format].startTally(outline);
      const steps = countSteps(exportWriters[format].count(makeItem(width, height), results, outline, tally));
      expect(steps).toBeGreaterThanOrEqual(count);
      expect(steps).toBeLessThan(2 * count);
      const { classes: counted, losses } = tally.toContents();
      if (format === "COCO-panoptic") {
        expect(losses).toEqual([{ what: "covered_dropped", count: count - 1 }]);
        expect(counted).toEqual([{ name: "car", count: 1 }]);
      } else expect([counted, losses]).toEqual([[{ name: "car", count }], []]);
    }
  });

  test("of a polygon with a hole and no pixel stops between columns", () => {
    const [width, height] = [10_000, 100];
    const flat = (y: number) => [
      [0, y],
      [width, y],
      [width, y + 0.1],
    ];
    const polygon = annotate("polygon", { points: flat(10.1), holes: [flat(20.1)] });
    for (const format of ["COCO", "CVAT"] as const) {
      const tally = exportWriters[format].startTally(outline);
      const steps = countSteps(
        exportWriters[format].count(makeItem(width, height), [makeResult([polygon])], outline, tally),
      );
      expect(steps).toBeGreaterThan(100);
      expect(tally.toContents().losses).toContainEqual({ what: "outside_dropped", count: 1 });
    }
  });
});

describe("work in turns", () => {
  test("is given up after a step when its time is over", async () => {
    let steps = 0;
    function* work(): Steps<void> {
      for (;;) {
        steps += 1;
        yield;
      }
    }
    expect(await new Turns(performance.now() - 1).finish(work())).toBe(false);
    expect(steps).toBe(1);
  });

  test("lets others have their turn", async () => {
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    function* work(): Steps<void> {
      while (!hadTurn) yield;
    }
    expect(await new Turns(performance.now() + 60_000).finish(work())).toBe(true);
    expect(hadTurn).toBe(true);
  });
});

describe("an item that is shown", () => {
  const item = makeItem(3_840, 2_160);
  const show = (...annotations: Annotation[]) => canBeShown(item, [makeResult(annotations)]);

  test("may have masks of the size of its picture", () => {
    // A disc, whose edge has a corner at each pixel.
    const ring = Array.from({ length: 2_000 }, (_, at): [number, number] => [
      1_500 + 1_000 * Math.cos((at * Math.PI) / 1_000),
      1_080 + 1_000 * Math.sin((at * Math.PI) / 1_000),
    ]);
    const picture = { width: 3_840, height: 2_160 };
    const found = toRuns([ring], picture);
    const disc = annotate("mask", toCoordinates(found?.box ?? { x: 0, y: 0, ...picture }, found?.runs ?? [], picture));
    expect(show(disc, disc, disc, disc, disc)).toBe(true);
    expect(show()).toBe(true);
  });

  test("has no very many shapes, and none whose edges go to and fro", () => {
    const mask = makeMask(3_840, 2_160);
    expect(show(...Array.from({ length: 1_000 }, () => mask))).toBe(false);
    const points = Array.from({ length: 10_000 }, (_, at) => [at % 2 === 0 ? 0 : 3_840, at / 5]);
    expect(show(annotate("polygon", { points }))).toBe(false);
    const stripes = makeMask(
      3_840,
      2_160,
      Array.from({ length: 3_840 }, () => 2_160),
    );
    expect(show(stripes)).toBe(false);
  });
});
