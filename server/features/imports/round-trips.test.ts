import { beforeAll, describe, expect, test } from "vitest";
import { formatRuns } from "@/domain/masks/run-lengths";
import type { StoredAnnotation } from "@/domain/tasks/schema";
import * as exportJobs from "@/server/features/exports/jobs";
import { prisma } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { pictures } from "@/server/testing/datasets";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { importFile, makeImportProject, type ImportProject } from "@/server/testing/imports";
import { runJobs } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: string;
beforeAll(async () => {
  org = await makeOrganization();
  dataset = (await pictures(org, 2)).uid;
});

const attributes = {};
const box = { label: "car", type: "bbox", coordinates: { x: 10.5, y: 12, width: 30.25, height: 20 }, attributes };
const turned = {
  label: "car",
  type: "bbox",
  coordinates: { x: 20, y: 16, width: 16, height: 8, rotation: 30 },
  attributes,
};
const polygon = {
  label: "person",
  type: "polygon",
  coordinates: {
    points: [
      [5, 5],
      [25.5, 6],
      [20, 30],
      [8, 28],
    ],
  },
  attributes,
};
const mask = {
  label: "car",
  type: "mask",
  coordinates: { size: [48, 64], box: [20, 10, 4, 3], counts: formatRuns([0, 5, 2, 5]) },
  attributes,
};
const line = {
  label: "person",
  type: "polyline",
  coordinates: {
    points: [
      [1, 2],
      [30, 40],
      [60, 41.5],
    ],
  },
  attributes,
};
const points = {
  label: "person",
  type: "keypoints",
  coordinates: {
    points: [
      [10, 10],
      [20, 12],
      [15, 30],
    ],
    visibility: [2, 1, 2],
  },
  attributes,
};
const tag = { label: "car", type: "classification", coordinates: {}, attributes };

/** Submits results of the first pictures of a project. */
async function annotate({ tasks }: ImportProject, ...results: readonly (readonly object[])[]): Promise<void> {
  for (const [at, annotations] of results.entries()) {
    const answer = await request("POST", `/tasks/${tasks[at]}/results/`, { key: org.key, body: { annotations } });
    expect([answer.status, answer.body]).toMatchObject([201, {}]);
  }
}

async function exportProject(project: string, format: string): Promise<Uint8Array<ArrayBuffer>> {
  const body = { name: unique("trip"), format, datasets: [], slices: [], projects: [project] };
  const { uid } = (await request<{ uid: string }>("POST", "/exports/", { key: org.key, body })).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  const { storageKey, sizeBytes, errorMessage } = await prisma.export.findUniqueOrThrow({ where: { uid } });
  expect(errorMessage).toBeNull();
  return new Uint8Array(await objectStore().readBytes(storageKey ?? "", 0, Number(sizeBytes)));
}

/** Numbers as those that are near them. */
const nearly = (value: unknown, digits: number): unknown =>
  typeof value === "number"
    ? expect.closeTo(value, digits)
    : Array.isArray(value)
      ? value.map((each) => nearly(each, digits))
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, nearly(each, digits)]))
        : value;

/** The annotations of each task of a project, as those of a file are compared: without what imports add to them. */
async function readBack({ uid, tasks }: ImportProject): Promise<unknown[][]> {
  const results = await prisma.result.findMany({ where: { projectId: uid } });
  return tasks.map((task) => {
    const found = results.find(({ taskId }) => taskId === task)?.annotations ?? [];
    return (found as unknown as StoredAnnotation[]).map(({ label, type, coordinates }) => ({
      label,
      type,
      coordinates,
    }));
  });
}

const formats: readonly {
  format: string;
  file: string;
  given: readonly object[];
  /** What comes back, where that is something else. */
  back?: readonly object[];
  digits?: number;
}[] = [
  { format: "COCO", file: "trip.json", given: [box, polygon, mask, points] },
  { format: "YOLO", file: "trip.zip", given: [box, { ...box, label: "person" }] },
  { format: "YOLO-segment", file: "trip.zip", given: [polygon, { ...polygon, label: "car" }] },
  { format: "YOLO-OBB", file: "trip.zip", given: [turned] },
  { format: "CVAT", file: "trip.zip", given: [box, turned, polygon, line, mask, tag], digits: 1 },
  { format: "LabelStudio", file: "trip.zip", given: [box, turned, polygon, mask], digits: 1 },
  { format: "avala-json-external", file: "trip.json", given: [box, turned, polygon, line, mask, points, tag] },
];

describe("annotations that were exported", () => {
  test.each(formats)(
    "as $format come back into an empty project over the same items",
    async ({ format, file, given, back = given, digits = 3 }) => {
      const from = await makeImportProject(org, [], { dataset });
      await annotate(from, given, [given[0] ?? {}]);
      const bytes = await exportProject(from.uid, format);
      const into = await makeImportProject(org, [], { dataset });
      const done = await importFile(org, into.uid, bytes, { name: file, format: null, start: { mode: "accepted" } });
      expect(done).toMatchObject({ status: "done", done: 2, failed: 0, annotations_left: 0 });
      const bare = (list: readonly object[]) =>
        list.map((each) => {
          const { attributes: _, ...rest } = each as StoredAnnotation;
          return nearly(rest, digits);
        });
      expect(await readBack(into)).toEqual([bare(back), bare([given[0] ?? {}])]);
    },
  );
});
