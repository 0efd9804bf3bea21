import { beforeAll, expect, test } from "vitest";
import type { ImportReport } from "@/server/features/imports/resource";
import { prisma } from "@/server/platform/db";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { checkFile, importFile, makeImportProject } from "@/server/testing/imports";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const readReport = async (uid: string) =>
  (await request<ImportReport>("GET", `/imports/${uid}/report/`, { key: org.key })).body.rows;

/** A document of COCO with one picture and one entry, and what is changed of them. */
const makeDocument = (entry: object, category: object = {}): string =>
  JSON.stringify({
    images: [{ id: 1, file_name: "1.png", width: 640, height: 480 }],
    categories: [{ id: 1, name: "car", ...category }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 30, 40], area: 1_200, iscrowd: 0, ...entry }],
  });

test("characters that the database cannot store are replaced in names of nested members, too", async () => {
  const project = await makeImportProject(org, ["1.png"]);
  const file = makeDocument({ attributes: { a: { "\u0000": [1, "\ud800"] } } });
  expect(await importFile(org, project.uid, file, { start: {} })).toMatchObject({ status: "done", done: 1 });
  const { annotations } = await prisma.result.findFirstOrThrow({ where: { projectId: project.uid } });
  expect(annotations).toMatchObject([{ attributes: { a: { "\ufffd": [1, "\ufffd"] } } }]);
});

test("further members of coordinates in our own format are stored with such characters replaced", async () => {
  const project = await makeImportProject(org, ["1.png"]);
  const [item = ""] = project.items;
  const box = { x: 1, y: 2, width: 30, height: 40, note: { "a\u0000": "\u0000" } };
  const annotation = { label: "car", type: "bbox", coordinates: box, attributes: {} };
  const file = JSON.stringify({
    datasets: [{ items: [{ uid: item, ref_id: "1.png", metadata: { width: 640, height: 480 } }] }],
    projects: [],
    results: [{ dataset_item_uid: item, annotations: [annotation] }],
  });
  const format = "avala-json-external";
  expect(await importFile(org, project.uid, file, { start: {}, format })).toMatchObject({ status: "done", done: 1 });
  const { annotations } = await prisma.result.findFirstOrThrow({ where: { projectId: project.uid } });
  expect(annotations).toMatchObject([{ coordinates: { note: { "a\ufffd": "\ufffd" } } }]);
});

test("more annotations of a picture than a result may have are refused, and counted once", async () => {
  const project = await makeImportProject(org, ["1.png"]);
  const triangles = Array.from({ length: 10_001 }, (_, at) => [at % 600, 0, (at % 600) + 9, 0, at % 600, 9]);
  const file = makeDocument({ bbox: undefined, segmentation: triangles });
  const done = await importFile(org, project.uid, file, { start: {} });
  expect(done).toMatchObject({ status: "done", done: 0, failed: 1, annotations_left: 10_001 });
  expect(await readReport(done.uid)).toEqual([
    { picture: "1.png", annotation: null, reason: "It has more than 10000 annotations." },
  ]);
});

test("attributes that are too large for a draft are left out with their annotation, and named", async () => {
  const project = await makeImportProject(org, ["1.png"]);
  const file = makeDocument({ attributes: { note: "x".repeat(70_000) } });
  const done = await importFile(org, project.uid, file, { start: { mode: "drafts" } });
  expect(done).toMatchObject({ status: "done", done: 0, failed: 1, annotation_count: 0, annotations_left: 1 });
  expect(await readReport(done.uid)).toEqual([
    { picture: "1.png", annotation: 1, reason: "Its attributes have more than 65536 bytes." },
  ]);
});

test("labels that are described with such characters are found", async () => {
  const project = await makeImportProject(org, ["1.png"]);
  const found = await checkFile(org, project.uid, makeDocument({}, { keypoints: ["a\u0000"] }));
  expect(found).toMatchObject({ status: "ready", findings: { labels: [{ name: "car" }] } });
});
