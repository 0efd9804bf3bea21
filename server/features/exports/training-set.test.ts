import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import { prisma } from "@/server/platform/db";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import {
  listOddKeys,
  toLine,
  trainingItems,
  unpack,
  type TrainingData,
  type TrainingItem,
} from "@/server/testing/training-items";
import { loadTrainingSet, type LoadedSet } from "@/server/testing/yolo-loader";

let org: TestOrganization;
let server: Loopback;
let folder: string;
const call = requestsWith(() => org.key);

beforeAll(async () => {
  server = await startLoopback();
  org = await makeOrganization();
  folder = mkdtempSync(path.join(tmpdir(), "training-set-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

const toBody = ({ dataset }: TrainingData, body: object) => ({
  name: unique("export"),
  format: "YOLO",
  datasets: [dataset.uid],
  projects: [],
  slices: [],
  ...body,
});

async function order(data: TrainingData, body: object = {}): Promise<ExportResource> {
  const { uid } = (await call<ExportResource>("POST", "/exports/", toBody(data, body))).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  return (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
}

type Part = "train" | "val" | "test";

interface Trained {
  loaded: LoadedSet;
  contents: NonNullable<ExportResource["contents"]>;
  /** The places of items in the data, by part. */
  placed: Record<Part, number[]>;
}

/** Exports, unpacks the archive and reads it as the trainer does. */
async function train(data: TrainingData, body: object = {}): Promise<Trained> {
  const done = await order(data, body);
  expect(done).toMatchObject({ status: "exported", error_message: null });
  const response = await fetch(server.here(done.download_url ?? ""));
  const place = mkdtempSync(path.join(folder, "set-"));
  await unpack(Buffer.from(await response.arrayBuffer()), place);
  const loaded = loadTrainingSet(path.join(place, "data.yaml"));
  const listPlaces = (part: Part) => [
    ...new Set((loaded[part] ?? []).map(({ file }) => data.uids.findIndex((uid) => file.includes(uid.slice(-12))))),
  ];
  if (!done.contents) throw new Error("an export that is done has contents");
  return {
    loaded,
    contents: done.contents,
    placed: { train: listPlaces("train"), val: listPlaces("val"), test: listPlaces("test") },
  };
}

const numbered = (count: number, of: (at: number) => Partial<TrainingItem> = () => ({})): TrainingItem[] =>
  Array.from({ length: count }, (_, at) => ({ key: `${at}.png`, ...of(at) }));

describe("an archive as the trainer reads it", () => {
  test("finds for every picture of 1,000 odd keys the labels that are its own", async () => {
    const keys = listOddKeys(1_000);
    const data = await trainingItems(
      org,
      keys.map((key) => ({ key })),
    );
    const { loaded, contents } = await train(data);
    const pictures = [...loaded.train, ...loaded.val];
    expect(loaded.names).toEqual(["robot", "car"]);
    expect(pictures).toHaveLength(1_000);
    expect(pictures.filter(({ objects }) => objects === null)).toEqual([]);
    const wrong = pictures.filter(({ file, objects }) => {
      const at = data.uids.findIndex((uid) => file.includes(uid.slice(-12)));
      return JSON.stringify(objects) !== JSON.stringify([toLine(at)]);
    });
    expect(wrong).toEqual([]);
    expect(contents).toMatchObject({ items: 1_000, losses: [] });
    expect(contents.split).toEqual({ by: "group", train: loaded.train.length, val: loaded.val.length, test: 0 });
  }, 60_000);

  test("also in a dataset named images", async () => {
    const data = await trainingItems(org, numbered(4));
    await prisma.dataset.update({ where: { uid: data.dataset.uid }, data: { slug: "images" } });
    const { loaded } = await train(data);
    expect([...loaded.train, ...loaded.val].filter(({ objects }) => objects === null)).toEqual([]);
  });

  test("has the shares that are asked for, 0.8 and 0.2 without", async () => {
    const data = await trainingItems(
      org,
      numbered(400, (at) => ({ sha256: `content ${at}` })),
    );
    const usual = (await train(data)).placed;
    expect(usual.train.length / 400).toBeCloseTo(0.8, 1);
    expect([usual.train.length + usual.val.length, usual.test]).toEqual([400, []]);
    const third = (await train(data, { split: { train: 0.5, val: 0.25, test: 0.25 } })).placed;
    for (const [part, share] of [[third.train, 0.5] as const, [third.val, 0.25] as const, [third.test, 0.25] as const])
      expect(part.length / 400).toBeCloseTo(share, 1);
    const none = (await train(data, { split: { train: 1 } })).loaded;
    expect(none.val).toEqual(none.train);
  });
});

describe("the parts of a training set", () => {
  const recordings = (count: number) => numbered(count * 10, (at) => ({ recording: `drive ${at % count}` }));
  const listParts = ({ placed }: Trained, count: number): string[] =>
    Array.from({ length: count }, (_, recording) =>
      (["train", "val", "test"] as const).filter((part) => placed[part].some((at) => at % count === recording)).join(),
    );

  test("never divide a recording, and it stays where it is in the next export", async () => {
    const data = await trainingItems(org, recordings(40));
    const split = { train: 0.6, val: 0.2, test: 0.2 };
    const parts = listParts(await train(data, { split }), 40);
    expect(new Set(parts)).toEqual(new Set(["train", "val", "test"]));
    expect(listParts(await train(data, { split }), 40)).toEqual(parts);
    // Fewer pictures of them, and of fewer recordings.
    const half = await train(data, { split, filter_query_string: "key ~ 1" });
    const later = listParts(half, 40);
    expect(later.filter((part, at) => part !== "" && part !== parts[at])).toEqual([]);
  });

  test("never divide pictures of equal content", async () => {
    const data = await trainingItems(
      org,
      numbered(200, (at) => ({ sha256: `content ${at % 50}` })),
    );
    expect(new Set(listParts(await train(data), 50))).toEqual(new Set(["train", "val"]));
  });

  test.each([2, 3, 4, 5, 6, 7])("are all there with %i recordings", async (count) => {
    const data = await trainingItems(org, recordings(count));
    expect(new Set(listParts(await train(data), count))).toEqual(new Set(["train", "val"]));
    const { loaded } = await train(data, { split: { train: 0.98, val: 0.01, test: 0.01 } });
    expect(loaded.test === null).toBe(count === 2);
  });

  test("are of single pictures where there is one recording, which is said", async () => {
    const data = await trainingItems(org, recordings(1));
    const { placed, contents } = await train(data);
    expect(contents.split?.by).toBe("item");
    expect(placed.val.length).toBeGreaterThan(0);
    expect([...placed.train, ...placed.val].toSorted((a, b) => a - b)).toEqual(data.uids.map((_, at) => at));
  });

  test("are all there where most pictures are left out because their shapes are outside of them", async () => {
    const outside = [
      { type: "bbox", coordinates: { x: 64, y: 0, width: 9, height: 9 } },
      { type: "bbox", coordinates: { x: 3, y: 4, width: 0, height: 9 } },
      { type: "bbox", coordinates: { x: 70, y: 10, width: 2, height: 20, rotation: 10 } },
      {
        type: "polygon",
        coordinates: {
          points: [
            [-1, -1],
            [-5, 9],
            [-3, 20],
          ],
        },
      },
      {
        type: "polygon",
        coordinates: {
          points: [
            [8, 48],
            [20, 60],
            [3, 90],
          ],
        },
      },
    ];
    const inside = [
      { type: "bbox", coordinates: { x: 68, y: 10, width: 2, height: 20, rotation: 90 } },
      {
        type: "polygon",
        coordinates: {
          points: [
            [-5, -5],
            [3, -5],
            [3, 3],
          ],
        },
      },
    ];
    const items = Array.from({ length: 40 }, (_, at) => ({
      key: `${at}.png`,
      annotations: at < 2 ? inside.slice(at, at + 1) : outside.slice(at % outside.length).slice(0, 1),
    }));
    const { placed, contents } = await train(await trainingItems(org, items));
    expect([placed.train, placed.val].map((places) => places.length)).toEqual([1, 1]);
    expect([...placed.train, ...placed.val].toSorted()).toEqual([0, 1]);
    expect(contents.split).toEqual({ by: "group", train: 1, val: 1, test: 0 });
  });

  test("are the same where there is one picture, which is said", async () => {
    const { loaded, contents } = await train(await trainingItems(org, numbered(1)));
    expect(loaded.val).toEqual(loaded.train);
    expect(contents.split).toEqual({ by: "nothing", train: 1, val: 0, test: 0 });
  });
});

describe("a picture", () => {
  const states = [
    { results: ["submitted"] },
    { results: ["accepted"] },
    { results: ["rejected"] },
    { results: [null] },
    { results: [null] },
    { results: ["accepted"], mediaType: "video/mp4" },
    { results: ["accepted"], metadata: {} },
  ] as const;

  test("that nobody labelled is left out and counted, and is background where that is asked for", async () => {
    const data = await trainingItems(
      org,
      numbered(states.length, (at) => states[at] ?? {}),
    );
    const usual = await train(data);
    expect([usual.placed.train, usual.placed.val].flat().toSorted()).toEqual([0, 1]);
    expect(usual.contents).toMatchObject({
      items: 2,
      losses: [
        { what: "item_dropped", count: 2 },
        { what: "unlabelled_dropped", count: 3 },
      ],
    });
    const filled = await train(data, { background: true });
    expect([filled.placed.train, filled.placed.val].flat().toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect([...filled.loaded.train, ...filled.loaded.val].filter(({ objects }) => objects?.length === 0)).toHaveLength(
      3,
    );
    expect(filled.contents.losses.at(-1)).toEqual({ what: "unlabelled_as_background", count: 3 });
    // Somebody labelled the first, so that it is no background although its labels are not wanted.
    const accepted = await train(data, { background: true, results: "accepted" });
    expect([accepted.placed.train, accepted.placed.val].flat().toSorted()).toEqual([1, 2, 3, 4]);
    expect(accepted.contents.losses.slice(1)).toEqual([
      { what: "undecided_dropped", count: 1 },
      { what: "unlabelled_as_background", count: 3 },
    ]);
    const preview = await createTrpcCaller(org).exports.preview({
      datasets: [data.dataset.uid],
      projects: [],
      slices: [],
      background: true,
    });
    const { losses, items, split } = preview.formats.find(({ format }) => format === "YOLO") ?? {};
    expect({ losses, items, split }).toEqual({
      losses: filled.contents.losses,
      items: filled.contents.items,
      split: filled.contents.split,
    });
  });

  test("with no shape that the format can hold is left out and counted, and one of which a person says that nothing is there stays", async () => {
    const points = {
      points: [
        [1, 1],
        [9, 9],
      ],
    };
    const shapes: TrainingItem["annotations"][] = [
      undefined,
      [],
      [{ type: "polyline", coordinates: points }],
      [
        { type: "keypoints", coordinates: points },
        { type: "classification", coordinates: {} },
      ],
      [{ type: "bbox", coordinates: { x: 64, y: 0, width: 0, height: 9 } }],
      [
        { type: "polyline", coordinates: points },
        { type: "bbox", coordinates: { x: 1, y: 1, width: 8, height: 8 } },
      ],
    ];
    const data = await trainingItems(
      org,
      shapes.map((annotations, at) => ({ key: `${at}.png`, ...(annotations && { annotations }) })),
    );
    const usual = await train(data);
    expect([usual.placed.train, usual.placed.val].flat().toSorted()).toEqual([0, 1, 5]);
    expect(usual.contents).toMatchObject({
      items: 3,
      results: 3,
      losses: [
        { what: "polyline_dropped", count: 2 },
        { what: "keypoints_dropped", count: 1 },
        { what: "classification_dropped", count: 1 },
        { what: "outside_dropped", count: 1 },
        { what: "unboxed_dropped", count: 3 },
      ],
    });
    const objects = ({ loaded }: Trained) => [...loaded.train, ...loaded.val].map((each) => each.objects?.length ?? -1);
    expect(objects(usual).toSorted()).toEqual([0, 1, 1]);
    const filled = await train(data, { background: true });
    expect(objects(filled).toSorted()).toEqual([0, 0, 0, 0, 1, 1]);
    expect(filled.contents.losses.at(-1)).toEqual({ what: "unboxed_as_background", count: 3 });
    const alone = await trainingItems(org, [
      { key: "a.png", annotations: [{ type: "polyline", coordinates: points }] },
    ]);
    expect(await order(alone)).toMatchObject({
      status: "failed",
      error_message: "There is nothing to export: 1 picture has no shape that the format holds.",
    });
  });

  test("that one of two projects labelled with what the format can hold is there once, under its own name", async () => {
    const data = await trainingItems(
      org,
      numbered(4, () => ({ results: ["submitted", "submitted"] })),
      2,
    );
    const annotations = [
      {
        label: "car",
        type: "polyline",
        coordinates: {
          points: [
            [0, 0],
            [9, 9],
          ],
        },
        attributes: {},
      },
    ];
    await prisma.result.updateMany({ where: { projectId: data.projects[1] ?? "" }, data: { annotations } });
    const { contents, loaded } = await train(data);
    expect(contents).toMatchObject({
      items: 4,
      results: 4,
      losses: [
        { what: "polyline_dropped", count: 4 },
        { what: "unboxed_dropped", count: 4 },
      ],
    });
    expect([...loaded.train, ...loaded.val].map(({ objects }) => objects?.length)).toEqual([1, 1, 1, 1]);
  });

  test("that two projects labelled is there once for each, in one part, with labels of its own, which is said", async () => {
    const data = await trainingItems(
      org,
      numbered(20, (at) => ({ results: at < 10 ? ["submitted", "accepted"] : [null, "submitted"] })),
      2,
    );
    const { loaded, contents, placed } = await train(data);
    expect(contents).toMatchObject({ items: 20, results: 30, losses: [{ what: "item_repeated", count: 10 }] });
    expect([...placed.train, ...placed.val]).toHaveLength(20);
    const pictures = [...loaded.train, ...loaded.val];
    const labels = (at: number) =>
      pictures
        .filter(({ file }) => file.includes(data.uids[at]?.slice(-12) ?? "-"))
        .map(({ objects }) => JSON.stringify(objects))
        .toSorted();
    expect(labels(3)).toEqual([[toLine(3, 0)], [toLine(3, 1)]].map((lines) => JSON.stringify(lines)).toSorted());
    expect(labels(12)).toEqual([JSON.stringify([toLine(12, 1)])]);
    const one = await train(data, { projects: [data.projects[0] ?? ""] });
    expect(one.contents).toMatchObject({ items: 10, losses: [{ what: "unlabelled_dropped", count: 10 }] });
  });
});

describe("an export of nothing fails with the reason", () => {
  test.each([
    [
      "of pictures that nobody labelled",
      [{ results: [null] }, { results: ["rejected"] }],
      {},
      "There is nothing to export: 2 pictures have no result.",
    ],
    [
      "of accepted results where there are none",
      [{}, { mediaType: "pointcloud/pcd" }],
      { results: "accepted" },
      "There is nothing to export: 1 item is no picture, 1 picture has no accepted result.",
    ],
    ["that match nothing", [{}], { filter_query_string: "key = none" }, "There is nothing to export: no item matches."],
    [
      "as JSON",
      [{}],
      { filter_query_string: "key = none", format: "avala-json-external" },
      "There is nothing to export: no item matches.",
    ],
  ] as const)("%s", async (_name, items, body, reason) => {
    const data = await trainingItems(
      org,
      numbered(items.length, (at) => items[at] ?? {}),
    );
    expect(await order(data, body)).toMatchObject({ status: "failed", error_message: reason, download_url: null });
  });
});

describe("the shares of the parts", () => {
  test.each([
    [{ split: { train: 0.8, val: 0.3 } }, { split: ["The shares add up to 1.1 instead of 1."] }],
    [{ split: { train: 0.8, valid: 0.2 } }, { split: ["The shares add up to 0.8 instead of 1."] }],
    [{ split: { train: 0, val: 1 } }, { split: ["train: Ensure this value is greater than 0."] }],
    [{ split: { train: 1.5, val: -0.5 } }, { split: expect.arrayContaining([expect.stringMatching(/^val: /)]) }],
    [{ split: { train: "0.8", val: 0.2 } }, { split: ["train: A valid number is required."] }],
    [{ split: [0.8, 0.2] }, { split: ['Expected a dictionary of items but got type "list".'] }],
    [{ split: { val: 1 } }, { split: ["train: This field is required."] }],
    [{ background: "yes" }, { background: ["Must be a valid boolean."] }],
    [
      { format: "avala-json-external", split: { train: 1 }, background: true },
      { split: [expect.any(String)], background: [expect.any(String)] },
    ],
  ])("%j are refused", async (body, errors) => {
    const data = { dataset: { uid: "" } } as never;
    const response = await call("POST", "/exports/", { ...toBody(data, body), datasets: [] });
    expect([response.status, response.body]).toEqual([400, errors]);
  });

  test("are those of the export and of one that repeats it", async () => {
    const data = await trainingItems(org, numbered(3));
    const split = { train: 0.333, val: 0.333, test: 0.333 };
    const done = await order(data, { split, background: true });
    const again = await createTrpcCaller(org).exports.repeat({ uid: done.uid });
    expect([done, again]).toMatchObject([
      { split, background: true },
      { split, background: true },
    ]);
    const plain = await order(data, { format: "avala-json-external" });
    const [split2, background] = [plain.split, plain.background];
    expect({ split: split2, background }).toEqual({ split: null, background: false });
    expect((await createTrpcCaller(org).exports.repeat({ uid: plain.uid })).status).toBe("requested");
  });
});
