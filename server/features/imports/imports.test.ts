import { beforeAll, describe, expect, test } from "vitest";
import * as importJobs from "@/server/features/imports/jobs";
import type { ImportReport } from "@/server/features/imports/resource";
import { sweepImports } from "@/server/features/imports/sweep-service";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { objectStore } from "@/server/platform/storage/current";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { checkFile, cocoDocument, importFile, makeImportProject, readImport } from "@/server/testing/imports";
import { runJobs } from "@/server/testing/processing";
import { jobIds, removeJobs, runQueuedJobs } from "@/server/testing/queued-jobs";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const readReport = async (uid: string) =>
  (await request<ImportReport>("GET", `/imports/${uid}/report/`, { key: org.key })).body.rows;
const listResults = (project: string) =>
  prisma.result.findMany({ where: { projectId: project }, orderBy: { taskId: "asc" } });

describe("a file of COCO", () => {
  test("is looked at first, which changes nothing", async () => {
    const project = await makeImportProject(org, ["a/1.png", "a/2.png", "b/2.png", "3.png"]);
    const file = cocoDocument(["a/1.png", "x/3.png", "2.png", "9.png"], { boxes: 2, categories: ["car", "tree"] });
    const found = await checkFile(org, project.uid, file);
    expect(found).toMatchObject({ status: "ready", format: "COCO", total: 4, mode: null });
    expect(found.findings).toEqual({
      pictures: 4,
      matched: 2,
      by_name: 1,
      open: 2,
      repeated: 0,
      empty: 0,
      annotations: 8,
      unmatched: ["2.png", "9.png"],
      resized: 0,
      resized_pictures: [],
      labels: [
        { name: "car", count: 4, types: ["bbox"], label: "car" },
        { name: "tree", count: 4, types: ["bbox"], label: null },
      ],
    });
    expect(await listResults(project.uid)).toEqual([]);
    const undecided = await request("POST", `/imports/${found.uid}/start/`, { key: org.key, body: { mode: "drafts" } });
    expect([undecided.status, undecided.body]).toEqual([
      400,
      { labels: [expect.stringContaining('The project has no label "tree": choose what it becomes.')] },
    ]);
  });

  test("becomes accepted results that are nobody's own, with all counts, and its file is removed", async () => {
    const project = await makeImportProject(org, ["1.png", "2.png", "3.png"]);
    const file = cocoDocument(["1.png", "2.png", "9.png"], { boxes: 2 });
    const done = await importFile(org, project.uid, file, { start: { mode: "accepted" } });
    expect(done).toMatchObject({ status: "done", position: 3, done: 2, failed: 1, unchanged: 0 });
    expect(done).toMatchObject({ annotation_count: 4, annotations_left: 2, error_message: null });
    expect(await readReport(done.uid)).toEqual([
      { picture: "9.png", annotation: null, reason: "No item of the project has this name, or several have it." },
    ]);
    const results = await listResults(project.uid);
    expect(results).toMatchObject(
      [0, 1].map((at) => ({
        taskId: project.tasks[at],
        status: "accepted",
        submittedBy: "import instances.json",
        submittedById: null,
        decidedBy: "import instances.json",
        labels: ["car", "person"],
        labelCounts: [1, 1],
        annotations: [
          { label: "car", type: "bbox", coordinates: { x: 1, y: 2, width: 30, height: 40 } },
          { label: "person", type: "bbox", coordinates: { x: 2, y: 2, width: 30, height: 40 } },
        ],
      })),
    );
    expect(await prisma.project.findUniqueOrThrow({ where: { uid: project.uid } })).toMatchObject({
      status: "active",
      completedCount: 2,
      acceptedCount: 2,
    });
    expect(await prisma.workBatch.findFirstOrThrow({ where: { projectId: project.uid } })).toMatchObject({
      startedCount: 2,
      completedCount: 2,
    });
    const items = await prisma.item.findMany({ where: { datasetId: project.dataset }, orderBy: { uid: "asc" } });
    expect(items.map(({ status, annotationCount }) => [status, annotationCount])).toEqual([
      ["customer_approved", 2],
      ["customer_approved", 2],
      ["ready_for_annotation", 0],
    ]);
    const key = `annotation-imports/${org.uid}/${done.uid}`;
    expect(await runQueuedJobs(jobs.deleteStoredKeys, { keys: [key] })).toBe(1);
    expect(await objectStore().head(key)).toBeNull();
  });
});

describe("imported annotations", () => {
  test("are there once: the same file again changes nothing, and ids stay the same", async () => {
    const project = await makeImportProject(org, ["1.png", "2.png"]);
    const file = cocoDocument(["1.png", "2.png"], { boxes: 3 });
    await importFile(org, project.uid, file, { start: { mode: "submitted" } });
    const before = await listResults(project.uid);
    expect(before).toMatchObject([{ status: "submitted" }, { status: "submitted" }]);
    const again = await importFile(org, project.uid, file, { start: { mode: "accepted" } });
    expect(again).toMatchObject({ status: "done", done: 0, unchanged: 2, failed: 0, annotation_count: 0 });
    expect(await listResults(project.uid)).toEqual(before);
    const other = await makeImportProject(org, [], { dataset: project.dataset });
    await importFile(org, other.uid, file, { start: { mode: "accepted" } });
    const annotations = (results: typeof before) => results.map((result) => result.annotations);
    expect(annotations(await listResults(other.uid))).toEqual(annotations(before));
  });

  test("of an item that the file names twice are those of the first place, also when the second comes much later", async () => {
    const names = Array.from({ length: 150 }, (_, at) => `${at}.png`);
    const project = await makeImportProject(org, names);
    for (const mode of ["drafts", "accepted"] as const) {
      const boxes = mode === "drafts" ? 1 : 2;
      const into = mode === "drafts" ? project : await makeImportProject(org, names);
      const file = cocoDocument([...names, "0.png"], { boxes });
      const { findings } = await checkFile(org, into.uid, file);
      expect(findings).toMatchObject({ pictures: 151, matched: 151, open: 150, repeated: 1 });
      const done = await importFile(org, into.uid, file, { start: { mode } });
      expect(done).toMatchObject({ status: "done", done: 150, unchanged: 0, failed: 1, annotations_left: boxes });
      expect(await readReport(done.uid)).toEqual([
        { picture: "0.png", annotation: null, reason: "The file names its item twice: only the first is taken." },
      ]);
    }
  });

  test("become drafts of tasks that nobody has begun, and stay as people changed them", async () => {
    const project = await makeImportProject(org, ["1.png", "2.png", "3.png"]);
    const [first = "", second = "", third = ""] = project.tasks;
    await prisma.task.update({ where: { uid: second }, data: { status: "in_progress" } });
    await prisma.taskDraft.create({ data: { taskId: third, organizationId: org.uid, shapeCount: 1 } });
    const file = cocoDocument(["1.png", "2.png", "3.png"], { boxes: 2 });
    const done = await importFile(org, project.uid, file, { start: { mode: "drafts" } });
    expect(done).toMatchObject({ done: 1, failed: 2, annotation_count: 2, annotations_left: 4 });
    expect((await readReport(done.uid)).map(({ picture, reason }) => [picture, reason])).toEqual([
      ["2.png", "Somebody works on its task."],
      ["3.png", "Something is drawn on its task."],
    ]);
    const shapes = await prisma.draftShape.findMany({ where: { taskId: first }, orderBy: { position: "asc" } });
    expect(shapes.map(({ labelId, body, byUser }) => [labelId, body, byUser])).toEqual(
      [1, 2].map((x, at) => [
        String(at),
        { type: "bbox", coordinates: { x, y: 2, width: 30, height: 40 }, attributes: { source: "imported" } },
        null,
      ]),
    );
    await prisma.draftShape.delete({ where: { taskId_id: { taskId: first, id: shapes[0]?.id ?? "" } } });
    const again = await importFile(org, project.uid, file, { start: { mode: "drafts" } });
    expect(again).toMatchObject({ done: 0, unchanged: 1, failed: 2 });
    expect(await prisma.draftShape.count({ where: { taskId: first } })).toBe(1);
  });

  test("are accepted by Muster itself where nobody reviews; the last ones complete the project, and each event is sent once", async () => {
    const project = await makeImportProject(org, ["1.png", "2.png"], { review: "none" });
    const events = ["result.submitted", "task.completed", "result.accepted"];
    const body = { target_url: "https://example.com/imports", events };
    const hook = (await request<{ uid: string }>("POST", "/webhooks/", { key: org.key, body })).body;
    await importFile(org, project.uid, cocoDocument(["1.png", "2.png"]), { start: { mode: "submitted" } });
    const results = await listResults(project.uid);
    expect(results).toMatchObject([{ decidedBy: "Muster" }, { decidedBy: "Muster" }]);
    expect(await prisma.project.findUniqueOrThrow({ where: { uid: project.uid } })).toMatchObject({
      status: "completed",
      completedCount: 2,
      acceptedCount: 2,
    });
    const sent = await prisma.webhookDelivery.findMany({ where: { subscriptionId: hook.uid } });
    expect(sent.map(({ eventType, objectId }) => `${eventType} ${objectId}`).toSorted()).toEqual(
      results
        .flatMap(({ uid, taskId }) => [`result.accepted ${uid}`, `result.submitted ${uid}`, `task.completed ${taskId}`])
        .toSorted(),
    );
  });

  test("of pictures of another size are left out, or scaled where that is chosen", async () => {
    const project = await makeImportProject(org, ["1.png"]);
    const file = cocoDocument(["1.png"], { width: 320, height: 240 });
    const refused = await importFile(org, project.uid, file, { start: {} });
    expect(refused.findings).toMatchObject({
      resized: 1,
      resized_pictures: [{ name: "1.png", file: [320, 240], item: [640, 480] }],
    });
    expect(refused).toMatchObject({ done: 0, failed: 1, sizes: "refuse" });
    expect(await readReport(refused.uid)).toEqual([
      { picture: "1.png", annotation: null, reason: "It has 320 × 240 pixels in the file, and its item 640 × 480." },
    ]);
    await importFile(org, project.uid, file, { start: { sizes: "scale" } });
    expect(await listResults(project.uid)).toMatchObject([
      { annotations: [{ coordinates: { x: 2, y: 4, width: 60, height: 80 } }] },
    ]);
  });

  test("have the labels that were chosen: another one, a new one, or none", async () => {
    const project = await makeImportProject(org, ["1.png"]);
    const file = cocoDocument(["1.png"], { boxes: 4, categories: ["auto", "tree", "sky", "car"] });
    const start = { labels: { auto: "car", tree: "plant", sky: null } };
    const done = await importFile(org, project.uid, file, { start });
    expect(done).toMatchObject({ done: 1, annotation_count: 3, annotations_left: 1 });
    expect(await listResults(project.uid)).toMatchObject([{ labels: ["car", "plant"], labelCounts: [2, 1] }]);
    const { labels } = await prisma.project.findUniqueOrThrow({ where: { uid: project.uid } });
    expect(labels).toMatchObject([{ name: "car" }, { name: "person" }, { name: "plant", id: "2", number: 2 }]);
  });

  test("that are wrong are named with their reason, and the others are taken", async () => {
    const project = await makeImportProject(org, ["1.png", "2.png"]);
    const box = (image: number, bbox: unknown) => ({ image_id: image, category_id: 1, bbox, iscrowd: 0 });
    const file = JSON.stringify({
      images: [1, 2].map((id) => ({ id, file_name: `${id}.png`, width: 640, height: 480 })),
      categories: [{ id: 1, name: "car" }],
      annotations: [
        box(1, [1, 2, 3, 4]),
        box(1, [600, 2, 100, 4]),
        box(1, [600, 2, 40.5, 4]),
        box(2, [700, 2, 3, 4]),
      ].map((each, at) => ({ id: at + 1, ...each })),
    });
    const done = await importFile(org, project.uid, file, { start: {} });
    expect(done).toMatchObject({ status: "done", done: 1, failed: 1, annotation_count: 2, annotations_left: 2 });
    const reason = "The shape sticks out of its picture of 640 × 480 pixels.";
    expect(await readReport(done.uid)).toEqual([
      { picture: "1.png", annotation: 2, reason },
      { picture: "2.png", annotation: 1, reason },
    ]);
    // What sticks out by less than a pixel is clipped, as it is in results of people.
    const boxes = [{ coordinates: { x: 1, width: 3 } }, { coordinates: { x: 600, width: 40 } }];
    expect(await listResults(project.uid)).toMatchObject([{ annotations: boxes }]);
  });
});

describe("an import", () => {
  test("that is stopped does nothing more, and one that has ended stays as it is", async () => {
    const project = await makeImportProject(org, ["1.png"]);
    const { uid } = await checkFile(org, project.uid, cocoDocument(["1.png"]));
    const key = org.key;
    await request("POST", `/imports/${uid}/start/`, { key, body: { mode: "accepted" } });
    expect((await request("POST", `/imports/${uid}/stop/`, { key })).body).toMatchObject({ status: "stopped" });
    await runJobs([importJobs.run]);
    expect(await listResults(project.uid)).toEqual([]);
    expect((await request("POST", `/imports/${uid}/stop/`, { key })).body).toMatchObject({ status: "stopped" });
    expect((await request("POST", `/imports/${uid}/start/`, { key, body: { mode: "drafts" } })).body).toEqual({
      status: ["This import is stopped."],
    });
  });

  test("of no file, of one that was not sent, and into a project that is not at work is refused", async () => {
    const project = await makeImportProject(org, ["1.png"]);
    const key = org.key;
    const failed = await checkFile(org, project.uid, "no document", { format: "COCO" });
    expect(failed).toMatchObject({ status: "failed", error_message: expect.stringMatching(/\S/) });
    const begin = () =>
      request<{ uid: string } & Record<string, string[]>>("POST", `/projects/${project.uid}/imports/`, {
        key,
        body: { file_name: "a.json", size_bytes: 5 },
      });
    const { uid } = (await begin()).body;
    expect((await request("POST", `/imports/${uid}/check/`, { key, body: {} })).body).toEqual({
      file: ["It was not sent yet: PUT it to put_url first."],
    });
    await prisma.project.update({ where: { uid: project.uid }, data: { status: "archived" } });
    expect((await begin()).body).toEqual({ status: ["Its project is archived."] });
  });

  test("without a job gets another; one that nobody goes on with is stopped, and old reports are removed", async () => {
    const project = await makeImportProject(org, ["1.png"]);
    const { uid } = await checkFile(org, project.uid, cocoDocument(["1.png", "2.png"]));
    await request("POST", `/imports/${uid}/start/`, { key: org.key, body: { mode: "accepted" } });
    await removeJobs(await jobIds({ importId: uid }));
    expect(await sweepImports(-1)).toBe(1);
    await runJobs([importJobs.run]);
    expect(await readReport(uid)).toHaveLength(1);
    const waiting = await checkFile(org, project.uid, cocoDocument(["3.png"]));
    const old = new Date(Date.now() - 91 * 86_400_000);
    await prisma.annotationImport.update({ where: { uid }, data: { completedAt: old } });
    await prisma.annotationImport.update({ where: { uid: waiting.uid }, data: { updatedAt: old } });
    await sweepImports();
    expect(await readReport(uid)).toEqual([]);
    expect(await readImport(org, waiting.uid)).toMatchObject({ status: "stopped" });
    const listed = await request<{ results: { uid: string }[] }>("GET", `/projects/${project.uid}/imports/`, {
      key: org.key,
    });
    expect(listed.body.results.map((each) => each.uid)).toEqual([waiting.uid, uid]);
  });
});
