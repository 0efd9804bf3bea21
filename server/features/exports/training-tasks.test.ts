import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { YoloFormat } from "@/domain/exports/formats";
import { encodePixels, formatRuns } from "@/domain/masks/run-lengths";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import { prisma } from "@/server/platform/db";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import { trainingItems, unpack, type TrainingData, type TrainingItem } from "@/server/testing/training-items";
import { loadTrainingSet, type YoloTask } from "@/server/testing/yolo-loader";

let org: TestOrganization;
let server: Loopback;
let folder: string;
const call = requestsWith(() => org.key);

beforeAll(async () => {
  server = await startLoopback();
  org = await makeOrganization();
  folder = mkdtempSync(path.join(tmpdir(), "training-tasks-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

const tasks: Readonly<Record<YoloFormat, YoloTask>> = {
  YOLO: "detect",
  "YOLO-segment": "segment",
  "YOLO-pose": "pose",
  "YOLO-OBB": "obb",
};

const order = ({ dataset }: TrainingData, format: YoloFormat) =>
  call<ExportResource>("POST", "/exports/", {
    name: unique("export"),
    format,
    datasets: [dataset.uid],
    projects: [],
    slices: [],
  });

/** Exports, unpacks the archive and reads it as the trainer of the task does. */
async function train(data: TrainingData, format: YoloFormat) {
  const { uid } = (await order(data, format)).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  const done = (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
  expect(done).toMatchObject({ status: "exported", error_message: null });
  const response = await fetch(server.here(done.download_url ?? ""));
  const place = mkdtempSync(path.join(folder, "set-"));
  await unpack(Buffer.from(await response.arrayBuffer()), place);
  const yamlFile = path.join(place, "data.yaml");
  const yaml = parse(readFileSync(yamlFile, "utf8")) as Record<string, unknown>;
  return { loaded: loadTrainingSet(yamlFile, tasks[format]), contents: done.contents, yaml };
}

const skeleton = {
  type: "keypoints",
  coordinates: {
    points: [
      [8, 8],
      [20, 30],
      [30, 12],
    ],
    visibility: [2, 1, 2],
  },
};
const shapes: NonNullable<TrainingItem["annotations"]> = [
  { type: "bbox", coordinates: { x: 10, y: 10, width: 20, height: 10, rotation: 30 } },
  {
    type: "polygon",
    coordinates: {
      points: [
        [1, 1],
        [30, 1],
        [30, 20],
      ],
    },
  },
  {
    type: "mask",
    coordinates: {
      size: [48, 64],
      box: [40, 20, 2, 2],
      counts: formatRuns(encodePixels(Uint8Array.from([1, 1, 1, 0]), 2, 2)),
    },
  },
  skeleton,
];

describe("a training set for each task of YOLO", () => {
  test.each([
    ["YOLO", 3, { polygon_to_box: 20, mask_to_box: 20, rotation_dropped: 20, keypoints_dropped: 20 }],
    ["YOLO-segment", 2, { mask_to_polygon: 20, box_dropped: 20, keypoints_dropped: 20 }],
    ["YOLO-OBB", 3, { polygon_to_box: 20, mask_to_box: 20, keypoints_dropped: 20 }],
    ["YOLO-pose", 1, { box_dropped: 20, polygon_dropped: 20, mask_dropped: 20 }],
  ] as const)("as %s is one that the trainer reads, as the preview said", async (format, objects, losses) => {
    const data = await trainingItems(
      org,
      Array.from({ length: 20 }, (_, at) => ({ key: `${at}.png`, annotations: shapes, recording: `drive ${at % 5}` })),
    );
    const { loaded, contents, yaml } = await train(data, format);
    const pictures = [...loaded.train, ...loaded.val];
    expect(pictures.map((picture) => picture.objects?.length)).toEqual(Array<number>(20).fill(objects));
    expect(Object.fromEntries(contents?.losses.map(({ what, count }) => [what, count]) ?? [])).toEqual(losses);
    expect(yaml.kpt_shape).toEqual(format === "YOLO-pose" ? [3, 3] : undefined);
    expect([contents?.split?.by, loaded.val.length % 4]).toEqual(["group", 0]);

    const preview = await createTrpcCaller(org).exports.preview({
      format,
      datasets: [data.dataset.uid],
      projects: [],
      slices: [],
    });
    const of = preview.formats.find((each) => each.format === format);
    expect({ losses: of?.losses, split: of?.split, items: of?.items, refusal: of?.refusal }).toEqual({
      losses: contents?.losses,
      split: contents?.split,
      items: 20,
      refusal: null,
    });
  });

  test.each([
    ["YOLO-segment", shapes.slice(1, 2), [skeleton]],
    ["YOLO-segment", shapes.slice(2, 3), shapes.slice(0, 1)],
    ["YOLO-pose", [skeleton], shapes.slice(0, 3)],
    ["YOLO-OBB", shapes.slice(2, 3), [skeleton]],
  ] as const)("as %s has both parts where most pictures hold other shapes", async (format, some, most) => {
    const data = await trainingItems(
      org,
      Array.from({ length: 30 }, (_, at) => ({ key: `${at}.png`, annotations: at < 2 ? some : most })),
    );
    const { loaded, contents } = await train(data, format);
    expect([loaded.train.length, loaded.val.length, contents?.items]).toEqual([1, 1, 2]);
  });
});

describe("skeletons", () => {
  const label = (name: string, points: string[]) => ({ name, color: "#112233", points });

  test("have as many points as their label, and its names", async () => {
    const data = await trainingItems(org, [
      { key: "a.png", annotations: [skeleton] },
      { key: "b.png", annotations: [skeleton] },
    ]);
    const labels = [label("robot", ["head", "hand", "foot", "tail"]), label("car", [])];
    await prisma.project.updateMany({ where: { uid: { in: data.projects } }, data: { labels } });
    const { yaml, loaded } = await train(data, "YOLO-pose");
    expect(yaml).toMatchObject({ kpt_shape: [4, 3], kpt_names: { 0: ["head", "hand", "foot", "tail"] } });
    expect(loaded.train[0]?.objects?.[0]?.slice(-3)).toEqual([0, 0, 0]);
  });

  test("of different sizes are refused, by name, and the preview says so before", async () => {
    const data = await trainingItems(org, [{ key: "a.png", annotations: [skeleton] }]);
    const labels = [label("robot", ["head", "hand"]), label("car", ["front"])];
    await prisma.project.updateMany({ where: { uid: { in: data.projects } }, data: { labels } });
    const text =
      "All skeletons of a file have the same number of points, and here they differ: robot 2, car 1. Choose one project, or another format.";
    const refused = await order(data, "YOLO-pose");
    expect([refused.status, refused.body]).toEqual([400, { format: [text] }]);
    const { formats } = await createTrpcCaller(org).exports.preview({
      datasets: [data.dataset.uid],
      projects: [],
      slices: [],
    });
    expect(formats.filter(({ refusal }) => refusal !== null)).toMatchObject([{ format: "YOLO-pose", refusal: text }]);
  });
});
