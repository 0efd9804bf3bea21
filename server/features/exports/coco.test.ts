import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodePixels, formatRuns } from "@/domain/masks/run-lengths";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import { prisma } from "@/server/platform/db";
import { readCoco } from "@/server/testing/coco-reader";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import { trainingItems, type TrainingData, type TrainingItem } from "@/server/testing/training-items";

let org: TestOrganization;
let server: Loopback;
const call = requestsWith(() => org.key);

beforeAll(async () => {
  server = await startLoopback();
  org = await makeOrganization();
});
afterAll(() => server.close());

/** Exports and reads the document. */
async function order(data: readonly TrainingData[], body: object = {}) {
  const named = { datasets: data.map(({ dataset }) => dataset.uid), projects: [], slices: [] };
  const ordered = { name: unique("export"), format: "COCO", ...named, ...body };
  const { uid } = (await call<ExportResource>("POST", "/exports/", ordered)).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  const done = (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
  expect(done).toMatchObject({ status: "exported", error_message: null, split: null });
  const response = await fetch(server.here(done.download_url ?? ""));
  return { ...readCoco(await response.text()), contents: done.contents, name: done.name, named };
}

const shapes: NonNullable<TrainingItem["annotations"]> = [
  { type: "bbox", coordinates: { x: 10, y: 10, width: 20, height: 10 } },
  {
    type: "mask",
    coordinates: {
      size: [48, 64],
      box: [40, 20, 2, 2],
      counts: formatRuns(encodePixels(Uint8Array.from([1, 1, 1, 0]), 2, 2)),
    },
  },
  {
    type: "keypoints",
    coordinates: {
      points: [
        [8, 8],
        [20, 30],
      ],
    },
  },
  {
    type: "polyline",
    coordinates: {
      points: [
        [0, 0],
        [9, 9],
      ],
    },
  },
];

describe("a document of COCO", () => {
  test("has every labelled picture with its shapes, and what the preview said", async () => {
    const data = await trainingItems(
      org,
      Array.from({ length: 300 }, (_, at) => ({
        key: `drive/${at}.png`,
        annotations: at % 2 === 0 ? shapes : [],
        results: [at < 298 ? "submitted" : null],
      })),
    );
    const labels = [
      { name: "robot", color: "#112233", points: ["head", "foot"], edges: [[0, 1]] },
      { name: "car", color: "#112233" },
    ];
    await prisma.project.updateMany({ where: { uid: { in: data.projects } }, data: { labels } });
    const { document, images, ofImage, contents, name, named } = await order([data]);
    expect(document.info.description).toBe(name);
    expect(document.categories).toMatchObject([
      { id: 1, name: "robot", keypoints: ["head", "foot"], skeleton: [[1, 2]] },
      { id: 2, name: "car" },
    ]);
    expect(new Set(document.images.map(({ uid }) => uid))).toEqual(new Set(data.uids.slice(0, 298)));
    const keys = new Map(data.uids.map((uid, at) => [uid, `drive/${at}.png`]));
    const wrong = [...ofImage].filter(([id, own]) => {
      const image = images.get(id);
      const expected = data.uids.indexOf(image?.uid ?? "") % 2 === 0 ? 3 : 0;
      return own.length !== expected || image?.file_name !== keys.get(image?.uid ?? "");
    });
    expect(wrong).toEqual([]);
    expect(contents).toMatchObject({
      items: 298,
      results: 298,
      classes: [
        { name: "robot", count: 447 },
        { name: "car", count: 0 },
      ],
      losses: [
        { what: "polyline_dropped", count: 149 },
        { what: "unlabelled_dropped", count: 2 },
      ],
    });
    const { formats } = await createTrpcCaller(org).exports.preview(named);
    const of = formats.find(({ format }) => format === "COCO");
    expect([of?.items, of?.losses]).toEqual([298, contents?.losses]);
    const shown = JSON.parse(of?.first[0]?.text ?? "{}") as Record<string, unknown>;
    const first = document.images[0]?.id ?? 0;
    expect(shown).toMatchObject({ images: [images.get(first)], annotations: ofImage.get(first) });
  });

  test("has pictures that nobody labelled, or only with other shapes, where they are wanted", async () => {
    const data = await trainingItems(org, [
      { key: "a.png" },
      { key: "b.png", results: [null] },
      { key: "c.png", annotations: shapes.slice(3) },
      { key: "d.mp4", mediaType: "video/mp4" },
    ]);
    const usual = await order([data]);
    expect(usual.document.images.map(({ file_name }) => file_name)).toEqual(["a.png"]);
    const all = await order([data], { background: true });
    expect(all.document.images.map(({ file_name }) => file_name).toSorted()).toEqual(["a.png", "b.png", "c.png"]);
    expect(all.contents?.losses.map(({ what }) => what)).toEqual([
      "polyline_dropped",
      "item_dropped",
      "unlabelled_as_background",
      "unboxed_as_background",
    ]);
  });

  test("names pictures of several datasets by these, and has one that two projects labelled once for each", async () => {
    const one = await trainingItems(org, [{ key: "a.png", results: ["submitted", "accepted"] }], 2);
    const other = await trainingItems(org, [{ key: "a.png" }]);
    const { document, contents, ofImage } = await order([one, other]);
    const twin = `${one.dataset.slug}/a.png`;
    expect(document.images.map(({ file_name }) => file_name).toSorted()).toEqual(
      [twin, twin, `${other.dataset.slug}/a.png`].toSorted(),
    );
    expect([...ofImage.values()].map((own) => own.length)).toEqual([1, 1, 1]);
    expect(contents?.losses).toEqual([{ what: "item_repeated", count: 1 }]);
  });

  test("is not divided, which is said with the formats that are", async () => {
    const body = { name: "x", format: "COCO", datasets: [], projects: [], slices: [], split: { train: 1 } };
    const refused = await call("POST", "/exports/", body);
    expect([refused.status, refused.body]).toEqual([
      400,
      { split: ["COCO has no parts; YOLO, YOLO-segment, YOLO-pose, YOLO-OBB have."] },
    ]);
  });
});
