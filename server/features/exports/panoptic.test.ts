import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodePixels, formatRuns } from "@/domain/masks/run-lengths";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { readPanoptic } from "@/server/testing/panoptic-reader";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import { trainingItems, unpack, type TrainingData } from "@/server/testing/training-items";

let org: TestOrganization;
let server: Loopback;
let folder: string;
const call = requestsWith(() => org.key);

beforeAll(async () => {
  server = await startLoopback();
  org = await makeOrganization();
  folder = mkdtempSync(path.join(tmpdir(), "panoptic-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

/** Exports, unpacks and reads the archive, which has to be what the preview said. */
async function order(data: TrainingData) {
  const named = { datasets: [data.dataset.uid], projects: [], slices: [] };
  const ordered = { name: unique("export"), format: "COCO-panoptic", ...named };
  const { uid } = (await call<ExportResource>("POST", "/exports/", ordered)).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  const done = (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
  expect(done).toMatchObject({ status: "exported", error_message: null });
  const response = await fetch(server.here(done.download_url ?? ""));
  const place = mkdtempSync(path.join(folder, "archive-"));
  await unpack(Buffer.from(await response.arrayBuffer()), place);
  const { formats } = await createTrpcCaller(org).exports.preview(named);
  const preview = formats.find(({ format }) => format === "COCO-panoptic");
  expect([preview?.items, preview?.losses]).toEqual([done.contents?.items, done.contents?.losses]);
  return { ...(await readPanoptic(place)), contents: done.contents, shown: preview?.first[0]?.text ?? "" };
}

const polygon = (left: number, top: number, right: number, bottom: number, holes?: number[][][]) => ({
  type: "polygon",
  coordinates: {
    points: [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ],
    ...(holes && { holes }),
  },
});
const hole = [
  [12, 12],
  [14, 12],
  [14, 14],
  [12, 14],
];
const mask = (x: number, y: number, width: number, height: number, pixels: readonly number[]) => ({
  type: "mask",
  coordinates: {
    size: [48, 64],
    box: [x, y, width, height],
    counts: formatRuns(encodePixels(Uint8Array.from(pixels), width, height)),
  },
});
const box = { type: "bbox", coordinates: { x: 10, y: 10, width: 20, height: 10 } };

/** The places of a rectangle, row by row. */
const list = (left: number, top: number, right: number, bottom: number) =>
  Array.from({ length: (bottom - top) * (right - left) }, (_, at) => {
    const [x, y] = [left + (at % (right - left)), top + Math.floor(at / (right - left))];
    return `${x},${y}`;
  });

test("each pixel is of the last shape that has it, holes are of none, and what is lost is counted", async () => {
  const data = await trainingItems(org, [
    {
      key: "drive/a.png",
      annotations: [
        polygon(10, 10, 20, 20, [hole]),
        polygon(40, 30, 44, 34),
        polygon(18, 18, 22, 22),
        mask(
          40,
          30,
          5,
          5,
          Array.from({ length: 25 }, () => 1),
        ),
        box,
      ],
    },
    { key: "b.png", annotations: [mask(62, 46, 2, 2, [1, 0, 0, 1])] },
    { key: "c.png", annotations: [box] },
    { key: "d.png", results: [null] },
  ]);
  const { document, pictures, contents, shown } = await order(data);
  expect(document.categories).toMatchObject([
    { id: 1, name: "robot", isthing: 1 },
    { id: 2, name: "car", isthing: 1 },
  ]);
  expect(document.images.map(({ file_name }) => file_name).toSorted()).toEqual(["b.png", "drive/a.png"]);
  const [first, second, third, ...others] = pictures.get(data.uids[0] ?? "") ?? [];
  expect(others).toEqual([]);
  const isUnder = new Set([...list(12, 12, 14, 14), ...list(18, 18, 20, 20)]);
  expect(first?.pixels).toEqual(list(10, 10, 20, 20).filter((place) => !isUnder.has(place)));
  expect([second?.pixels, third?.pixels]).toEqual([list(18, 18, 22, 22), list(40, 30, 45, 35)]);
  expect(new Set([first, second, third].map((each) => each?.category))).toEqual(new Set(["robot"]));
  expect(pictures.get(data.uids[1] ?? "")?.map(({ pixels }) => pixels)).toEqual([["62,46", "63,47"]]);
  expect(contents).toMatchObject({
    items: 2,
    classes: [
      { name: "robot", count: 4 },
      { name: "car", count: 0 },
    ],
    losses: [
      { what: "box_dropped", count: 2 },
      { what: "covered_partly", count: 1 },
      { what: "covered_dropped", count: 1 },
      { what: "unlabelled_dropped", count: 1 },
      { what: "unboxed_dropped", count: 1 },
    ],
  });
  expect(JSON.parse(shown)).toMatchObject({ annotations: [{ segments_info: [{ id: 1 }, { id: 2 }, { id: 3 }] }] });
});

test("of a picture with more objects than a byte counts, each is found again", async () => {
  const annotations = Array.from({ length: 300 }, (_, at) => {
    const [x, y] = [2 * (at % 30), 2 * Math.floor(at / 30)];
    return mask(x, y, 2, 2, [1, 1, 1, 1]);
  });
  const data = await trainingItems(org, [{ key: "many.png", annotations }]);
  const { pictures } = await order(data);
  const objects = pictures.get(data.uids[0] ?? "") ?? [];
  expect(objects.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
  const wrong = objects.filter(({ pixels }, at) => {
    const [x, y] = [2 * (at % 30), 2 * Math.floor(at / 30)];
    return pixels.join(" ") !== list(x, y, x + 2, y + 2).join(" ");
  });
  expect(wrong).toEqual([]);
});

test("a picture that two projects labelled is there once for each", async () => {
  const data = await trainingItems(
    org,
    [{ key: "both.png", results: ["submitted", "submitted"], annotations: [polygon(1, 1, 5, 5)] }],
    2,
  );
  const { document, contents } = await order(data);
  expect(new Set(document.annotations.map(({ file_name }) => file_name)).size).toBe(2);
  expect(contents?.losses).toEqual([{ what: "item_repeated", count: 1 }]);
});
