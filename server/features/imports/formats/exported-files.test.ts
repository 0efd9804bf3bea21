import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExportFormat } from "@/domain/exports/formats";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import { guessFormat } from "@/server/features/imports/formats/readers";
import { AnnotationFiles } from "@/server/testing/annotation-files";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { runJobs } from "@/server/testing/processing";
import { requestsWith } from "@/server/testing/requests";
import { trainingItems, type TrainingData } from "@/server/testing/training-items";

/** Whole files as exports write them: whose pictures they are is found again. */

const files = new AnnotationFiles();
let org: TestOrganization;
let server: Loopback;
let data: TrainingData;
const call = requestsWith(() => org.key);
const keys = ["drive & <1>/a.png", "b.png"];

beforeAll(async () => {
  server = await startLoopback();
  org = await makeOrganization();
  data = await trainingItems(
    org,
    keys.map((key) => ({ key })),
  );
});
afterAll(async () => {
  expect(files.listLeftovers()).toEqual([]);
  files.remove();
  await server.close();
});

async function download(format: ExportFormat) {
  const selection = { datasets: [data.dataset.uid], projects: [], slices: [] };
  const { uid } = (await call<ExportResource>("POST", "/exports/", { name: unique("x"), format, ...selection })).body;
  await runJobs([exportJobs.start, exportJobs.run]);
  const { download_url: url } = (await call<ExportResource>("GET", `/exports/${uid}/`)).body;
  const response = await fetch(server.here(url ?? ""));
  return files.write(new Uint8Array(await response.arrayBuffer()));
}

const size = { width: 64, height: 48 };

test.each(["COCO", "LabelStudio", "avala-json-external"] as const)(
  "pictures of an export as %s have the keys and uids of their items",
  async (format) => {
    const file = await download(format);
    expect(await guessFormat(file)).toBe(format);
    const pictures = await files.read(file, format);
    expect(new Map(pictures.map(({ uid, name }) => [uid, name]))).toEqual(
      new Map(data.uids.map((uid, at) => [uid, keys[at]])),
    );
    expect(pictures.map(({ width, height }) => ({ width, height }))).toEqual([size, size]);
    const second = pictures.find(({ uid }) => uid === data.uids[1]);
    expect(second?.annotations).toMatchObject([
      { label: "robot", type: "bbox", coordinates: { x: 1 / 32, y: 0, width: 8, height: 12 } },
    ]);
    expect((await files.readLabels(file, format)).map(({ name }) => name)).toEqual(["robot", "car"]);
  },
);

test.each(["YOLO", "CVAT"] as const)("pictures of an export as %s end with the uids of their items", async (format) => {
  const file = await download(format);
  expect(await guessFormat(file)).toBe(format);
  const pictures = await files.read(file, format, size);
  expect(pictures.map(({ uidEnd }) => uidEnd).toSorted()).toEqual(data.uids.map((uid) => uid.slice(-12)).toSorted());
  expect(pictures.every(({ name }) => name.endsWith(".png"))).toBe(true);
  expect(pictures.flatMap(({ annotations }) => annotations.map(({ type }) => type))).toEqual(["bbox", "bbox"]);
  expect((await files.readLabels(file, format)).map(({ name }) => name)).toEqual(["robot", "car"]);
});
