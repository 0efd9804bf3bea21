import { beforeAll, describe, expect, test } from "vitest";
import { run } from "@/server/features/bulk-edits/jobs";
import { sweepBulkEdits } from "@/server/features/bulk-edits/sweep-service";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { pool, prisma } from "@/server/platform/db";
import type { JobHandler } from "@/server/platform/jobs/handler";
import { objectStore } from "@/server/platform/storage/current";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset, picture, readItems, uploadTo } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { jobIds, removeJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const call = (member?: TestMember) => createTrpcCaller(org, member).items;

/** A dataset with `count` items, of which every third is in the folder `rear`. */
async function makeItems(count: number, addedById: string | null = org.owner.uid): Promise<DatasetResource> {
  const dataset = await makeDataset(org);
  await prisma.item.createMany({
    data: Array.from({ length: count }, (_, at) => ({
      uid: uuidv7(),
      organizationId: org.uid,
      datasetId: dataset.uid,
      key: `${at % 3 === 0 ? "rear" : "front"}/${String(at).padStart(5, "0")}.png`,
      status: "unattempted",
      metadata: { width: 640, night: at % 2 === 0 },
      storageKey: `bulk/${uuidv7()}`,
      sizeBytes: 10n,
      addedById,
    })),
  });
  await prisma.dataset.update({
    where: { uid: dataset.uid },
    data: { itemCount: count, sizeBytes: BigInt(count) * 10n },
  });
  return dataset;
}

/** The handler of bulk edits, whose worker ends after so many steps: what it holds is lost, the job stays. */
function endedAfter(steps: number): JobHandler {
  let left = steps;
  const { signal } = new AbortController();
  Object.defineProperty(signal, "throwIfAborted", {
    value: () => {
      if (--left <= 0) throw new Error("the worker was killed");
    },
  });
  return { ...run, run: (payload, jobRun) => run.run(payload, { ...jobRun, signal }) };
}

/** Makes the job of an edit due at once, whose attempt failed. */
async function retryNow(editId: string): Promise<void> {
  await pool.query("select graphile_worker.reschedule_jobs($1::bigint[], run_at := now())", [await jobIds({ editId })]);
}

const readMetadata = async (dataset: DatasetResource, key: string) =>
  (await prisma.item.findFirst({ where: { datasetId: dataset.uid, key } }))?.metadata;

describe("metadata of many items", () => {
  test("is set for those of a filter and nothing else, and an undo puts back what is still so", async () => {
    const dataset = await makeItems(9);
    const edit = await call().updateMany({
      dataset: dataset.uid,
      filter: "key = rear/*",
      expected: 3,
      metadata: { weather: "rain", night: null },
    });
    expect(edit).toMatchObject({ kind: "metadata", status: "running", total_count: 3, done_count: 0 });
    await runJobs([run]);
    expect(await call().edit({ uid: edit.uid })).toMatchObject({ status: "done", done_count: 3, failed_count: 0 });
    expect(await call().edits({ dataset: dataset.uid })).toMatchObject([{ uid: edit.uid, status: "done" }]);
    expect(await readMetadata(dataset, "rear/00000.png")).toEqual({ width: 640, weather: "rain" });
    expect(await readMetadata(dataset, "front/00001.png")).toEqual({ width: 640, night: false });
    const { uid } = await prisma.item.findFirstOrThrow({ where: { datasetId: dataset.uid, key: "rear/00003.png" } });
    await prisma.item.update({ where: { uid }, data: { metadata: { width: 640, weather: "snow" } } });

    const undo = await call().undoEdit({ uid: edit.uid });
    expect(undo).toMatchObject({ kind: "undo", undoes_uid: edit.uid, total_count: 3 });
    await runJobs([run]);
    expect(await call().edit({ uid: undo.uid })).toMatchObject({ status: "done", done_count: 2, failed_count: 1 });
    expect((await call().editFailures({ uid: undo.uid })).results).toEqual([
      { item_id: uid, key: "rear/00003.png", error: "Its metadata was changed since." },
    ]);
    expect(await readMetadata(dataset, "rear/00000.png")).toEqual({ width: 640, night: true });
    expect(await readMetadata(dataset, "rear/00003.png")).toEqual({ width: 640, weather: "snow" });
    await expect(call().undoEdit({ uid: edit.uid })).rejects.toThrow("undone already");
  });

  test("is refused when the filter matches another number by now, and changes nothing then", async () => {
    const dataset = await makeItems(6);
    const change = { dataset: dataset.uid, metadata: { weather: "rain" } };
    await expect(call().updateMany({ ...change, filter: "", expected: 5 })).rejects.toMatchObject({
      code: "CONFLICT",
      message: "The filter matches 6 items now, not 5.",
    });
    await expect(call().updateMany({ ...change, filter: "" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(call().updateMany(change)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await prisma.bulkEdit.count({ where: { datasetId: dataset.uid } })).toBe(0);
  });

  test("lists what could not be changed: deleted meanwhile, still being read", async () => {
    const dataset = await makeItems(3);
    const items = await prisma.item.findMany({ where: { datasetId: dataset.uid }, orderBy: { uid: "asc" } });
    const [first, second] = items.map(({ uid }) => uid);
    const edit = await call().updateMany({
      dataset: dataset.uid,
      uids: items.map(({ uid }) => uid),
      metadata: { weather: "rain" },
    });
    await prisma.item.delete({ where: { uid: first ?? "" } });
    await prisma.item.update({ where: { uid: second ?? "" }, data: { status: "pending" } });
    await runJobs([run]);
    expect(await call().edit({ uid: edit.uid })).toMatchObject({ status: "done", done_count: 1, failed_count: 2 });
    const { results } = await call().editFailures({ uid: edit.uid, limit: 10 });
    expect(results.map(({ error }) => error)).toEqual([
      "It was deleted before.",
      "The file of this item is still being read.",
    ]);
  });
});

describe("a worker that is killed in the middle", () => {
  test("of new metadata for 4,000 items: the next one goes on, each item once, and the counts are right", async () => {
    const dataset = await makeItems(4_000);
    const edit = await call().updateMany({ dataset: dataset.uid, filter: "", expected: 4_000, metadata: { pass: 1 } });
    await runJobs([endedAfter(3)]);
    const half = await call().edit({ uid: edit.uid });
    expect(half).toMatchObject({ status: "running", done_count: 3_000 });
    await retryNow(edit.uid);
    await runJobs([run]);
    expect(await call().edit({ uid: edit.uid })).toMatchObject({ status: "done", done_count: 4_000, failed_count: 0 });
    const where = { datasetId: dataset.uid, metadata: { path: ["pass"], equals: 1 } };
    expect(await prisma.item.count({ where })).toBe(4_000);
  });

  test("of deleting 2,000 items: the dataset and its slices count what is left, and no file stays queued twice", async () => {
    const dataset = await makeItems(2_000);
    const edit = await call().deleteMany({ dataset: dataset.uid, filter: "key = front/*", expected: 1_333 });
    await runJobs([endedAfter(2)]);
    expect(await prisma.item.count({ where: { datasetId: dataset.uid } })).toBe(1_000);
    await retryNow(edit.uid);
    await runJobs([run]);
    expect(await call().edit({ uid: edit.uid })).toMatchObject({ status: "done", done_count: 1_333, failed_count: 0 });
    expect(await prisma.dataset.findUniqueOrThrow({ where: { uid: dataset.uid } })).toMatchObject({
      itemCount: 667,
      sizeBytes: 6_670n,
    });
    expect(await prisma.item.count({ where: { datasetId: dataset.uid } })).toBe(667);
  });

  test("without a job left: a sweep queues another one", async () => {
    const dataset = await makeItems(10);
    const edit = await call().updateMany({ dataset: dataset.uid, filter: "", expected: 10, metadata: { pass: 2 } });
    await removeJobs(await jobIds({ editId: edit.uid }));
    expect(await sweepBulkEdits(-1)).toBe(1);
    await runJobs([run]);
    expect(await call().edit({ uid: edit.uid })).toMatchObject({ status: "done", done_count: 10 });
  });
});

test("bulk edits that ended a week ago are deleted with what they say of items", async () => {
  const dataset = await makeItems(3);
  const edit = await call().updateMany({ dataset: dataset.uid, filter: "", expected: 3, metadata: { pass: 3 } });
  await runJobs([run]);
  await sweepBulkEdits();
  expect(await call().edit({ uid: edit.uid })).toMatchObject({ status: "done" });
  await prisma.bulkEdit.update({
    where: { uid: edit.uid },
    data: { completedAt: new Date(Date.now() - 8 * 86_400_000) },
  });
  await sweepBulkEdits();
  expect(await prisma.bulkEditItem.count({ where: { editId: edit.uid } })).toBe(0);
  await expect(call().edit({ uid: edit.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

describe("deleting many items", () => {
  test("refuses those of others to members, and those with an open task", async () => {
    const dataset = await makeItems(4);
    const member = await addMember(org);
    const items = await prisma.item.findMany({ where: { datasetId: dataset.uid }, orderBy: { key: "asc" } });
    const [own, tasked] = items;
    await prisma.item.updateMany({
      where: { uid: { in: [own?.uid ?? "", tasked?.uid ?? ""] } },
      data: { addedById: member.uid },
    });
    const of = { organizationId: org.uid };
    const project = await prisma.project.create({
      data: { ...of, uid: uuidv7(), name: unique("p"), taskType: "image-annotation", status: "active", taskCount: 1 },
    });
    const batch = await prisma.workBatch.create({ data: { ...of, uid: uuidv7(), projectId: project.uid, number: 1 } });
    await prisma.task.create({
      data: {
        ...of,
        uid: uuidv7(),
        projectId: project.uid,
        itemId: tasked?.uid ?? "",
        batchId: batch.uid,
        type: "image-annotation",
        name: "t",
      },
    });
    const edit = await call(member).deleteMany({ dataset: dataset.uid, filter: "", expected: 4 });
    await runJobs([run]);
    expect(await call(member).edit({ uid: edit.uid })).toMatchObject({
      status: "done",
      done_count: 1,
      failed_count: 3,
    });
    const { results } = await call(member).editFailures({ uid: edit.uid, limit: 10 });
    expect(results.map(({ error }) => error).sort()).toEqual([
      "A task of this item is open. Complete it, or cancel its project, first.",
      "Only its author and admins can do this.",
      "Only its author and admins can do this.",
    ]);
    await expect(call(member).undoEdit({ uid: edit.uid })).rejects.toThrow("Only changes of metadata can be undone.");
    await expect(call(await addMember(org)).stopEdit({ uid: edit.uid })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("ends when it is stopped", async () => {
    const dataset = await makeItems(300);
    const edit = await call().deleteMany({ dataset: dataset.uid, filter: "", expected: 300 });
    expect(await call().stopEdit({ uid: edit.uid })).toMatchObject({ status: "stopped" });
    await runJobs([run]);
    expect(await prisma.item.count({ where: { datasetId: dataset.uid } })).toBe(300);
  });
});

describe("copying many items", () => {
  test("copies files, thumbnails and metadata; a name that is there already is refused", async () => {
    const [source, target] = [await makeDataset(org), await makeDataset(org)];
    const bytes = await picture();
    await uploadTo(org, source, { "a.png": bytes, "b.png": bytes, "c.png": bytes });
    await uploadTo(org, target, { "b.png": bytes });
    await readItems();
    await prisma.item.updateMany({
      where: { datasetId: source.uid, key: "a.png" },
      data: { metadata: { width: 64, source: { device_name: "Arm-7" } } },
    });
    const edit = await call().copyTo({ dataset: source.uid, filter: "", expected: 3, target: target.uid });
    await runJobs([run]);
    expect(await call().edit({ uid: edit.uid })).toMatchObject({
      status: "done",
      done_count: 2,
      failed_count: 1,
      target_name: target.name,
    });
    expect((await call().editFailures({ uid: edit.uid })).results).toMatchObject([{ key: "b.png" }]);
    const copied = await prisma.item.findMany({ where: { datasetId: target.uid }, orderBy: { key: "asc" } });
    expect(copied.map(({ key, status, mediaType }) => [key, status, mediaType])).toEqual(
      ["a.png", "b.png", "c.png"].map((key) => [key, "unattempted", "image/png"]),
    );
    expect(copied[0]?.metadata).toEqual({ width: 64, source: { device_name: "Arm-7" } });
    for (const { storageKey, thumbnailKey } of copied)
      for (const key of [storageKey, thumbnailKey ?? ""]) expect(await objectStore().head(key)).not.toBeNull();
    expect(await prisma.dataset.findUniqueOrThrow({ where: { uid: target.uid } })).toMatchObject({
      itemCount: 3,
      sizeBytes: BigInt(bytes.length * 3),
    });
  });

  test("is refused into the same dataset, one of another type, one that is not there, and another organization's", async () => {
    const source = await makeItems(1);
    const copy = (target: string) => call().copyTo({ dataset: source.uid, filter: "", expected: 1, target });
    await expect(copy(source.uid)).rejects.toThrow("another dataset");
    await expect(copy((await makeDataset(org, { data_type: "video" })).uid)).rejects.toThrow("holds video");
    await expect(copy(uuidv7())).rejects.toThrow("does not exist");
    const other = await makeOrganization();
    await expect(copy((await makeDataset(other)).uid)).rejects.toThrow("does not exist");
    const foreign = createTrpcCaller(other).items;
    await expect(foreign.deleteMany({ dataset: source.uid, filter: "", expected: 1 })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(foreign.edits({ dataset: source.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
