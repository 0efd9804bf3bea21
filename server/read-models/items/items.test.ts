import { beforeAll, describe, expect, test } from "vitest";
import type { ItemStatus } from "@/domain/datasets/item-status";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { countItems, type ItemCount } from "@/server/read-models/items/count";
import { makeDataset } from "@/server/testing/datasets";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;

interface Made {
  key: string;
  status?: ItemStatus;
  metadata?: Record<string, string | number | boolean | Record<string, string>>;
}

async function addItems(to: DatasetResource, rows: readonly Made[]): Promise<string[]> {
  const items = rows.map((row) => ({
    metadata: {},
    status: "unattempted" as ItemStatus,
    ...row,
    uid: uuidv7(),
    organizationId: org.uid,
    datasetId: to.uid,
    mediaType: "image/png",
    storageKey: uuidv7(),
  }));
  await prisma.item.createMany({ data: items });
  await prisma.dataset.update({ where: { uid: to.uid }, data: { itemCount: { increment: items.length } } });
  return items.map(({ uid }) => uid);
}

beforeAll(async () => {
  org = await makeOrganization();
  dataset = await makeDataset(org);
  await addItems(dataset, [
    { key: "front/a.png", status: "completed", metadata: { width: 1280, height: 720, camera: { name: "Front" } } },
    { key: "front/b.png", status: "completed", metadata: { width: 640, height: 480, camera: { name: "Front" } } },
    { key: "front/c.png", status: "unattempted", metadata: { width: 1920, night: true } },
    { key: "rear/d.jpg", status: "unattempted", metadata: { width: 1280, camera: { name: "Rear" } } },
  ]);
});

const call = () => createTrpcCaller(org).items;
const count = async (filter: string, datasets = [dataset.uid]) => {
  const counted: ItemCount = await call().count({ datasets, filter });
  if (counted.timed_out) throw new Error("The count timed out.");
  return counted;
};

describe("counting the items of a filter", () => {
  test("counts what it holds of all, with what each condition holds alone and what it removes", async () => {
    const filter = "status = completed AND (metadata.width >= 1000 OR key = rear/*) AND key ~ front";
    const { samples, ...counted } = await count(filter);
    expect(counted).toEqual({
      timed_out: false,
      count: 1,
      total: 4,
      conditions: [
        { text: "status = completed", from: 0, to: 18, alone: 2, without: 2 },
        { text: "(metadata.width >= 1000 OR key = rear/*)", from: 23, to: 63, alone: 3, without: 2 },
        { text: "key ~ front", from: 68, to: 79, alone: 3, without: 1 },
      ],
    });
    expect(samples).toEqual([
      {
        uid: samples[0]?.uid,
        key: "front/a.png",
        status: "completed",
        annotations_count: 0,
        media_type: "image/png",
        dataset_name: dataset.name,
        width: 1280,
        height: 720,
      },
    ]);
  });

  test("without a filter holds everything, and shows the newest five", async () => {
    const more = await makeDataset(org);
    await addItems(
      more,
      Array.from({ length: 6 }, (_, at) => ({ key: `more/${at}.png` })),
    );
    const { samples, ...counted } = await count("  ", [dataset.uid, more.uid]);
    expect(counted).toEqual({ timed_out: false, count: 10, total: 10, conditions: [] });
    expect(samples.map(({ key }) => key)).toEqual([
      "more/5.png",
      "more/4.png",
      "more/3.png",
      "more/2.png",
      "more/1.png",
    ]);
  });

  test("counts what slices and projects have too, each item once, and no item that is not read yet", async () => {
    const project = uuidv7();
    const of = { organizationId: org.uid };
    const other = await makeDataset(org);
    const [tasked = "", pending = ""] = await addItems(other, [
      { key: "front/x.png" },
      { key: "front/y.png", status: "pending" },
      { key: "front/z.png" },
    ]);
    await prisma.project.create({ data: { ...of, uid: project, name: "Cranes", taskType: "image-annotation" } });
    await prisma.projectDataset.create({ data: { projectId: project, datasetId: other.uid } });
    const batch = await prisma.workBatch.create({ data: { ...of, uid: uuidv7(), projectId: project, number: 1 } });
    for (const itemId of [tasked, pending]) {
      const task = { uid: uuidv7(), projectId: project, itemId, batchId: batch.uid };
      await prisma.task.create({ data: { ...of, ...task, type: "image-annotation", name: "t" } });
    }
    const slice = await requestsWith(() => org.key)<{ uid: string }>("POST", "/slices/", {
      name: "Fronts",
      dataset: dataset.uid,
      filter_query_string: "key ~ front",
    });
    const sources = { datasets: [], slices: [slice.body.uid], projects: [project] };
    expect(await call().count({ ...sources, filter: "" })).toMatchObject({ count: 4, total: 4 });
    expect(await call().count({ ...sources, filter: "key ~ b OR key ~ x" })).toMatchObject({ count: 2, total: 4 });
    const all = { ...sources, datasets: [dataset.uid, other.uid] };
    expect(await call().count({ ...all, filter: "key ~ front" })).toMatchObject({ count: 5, total: 6 });
  });

  test("of more than twenty conditions counts the filter as a whole", async () => {
    const many = Array.from({ length: 21 }, () => "key ~ front").join(" AND ");
    expect(await count(many)).toMatchObject({ count: 3, total: 4, conditions: [] });
  });

  test("stops after its time and says so", async () => {
    const busy = await makeDataset(org);
    await addItems(
      busy,
      Array.from({ length: 3_000 }, (_, at) => ({ key: `${at}.png`, metadata: { width: at } })),
    );
    const filter = Array.from({ length: 20 }, (_, at) => `metadata.width != ${at}`).join(" AND ");
    expect(await countItems(org.ctx, { datasets: [busy.uid], slices: [], projects: [], filter }, 1)).toEqual({
      timed_out: true,
    });
    expect(await count(filter, [busy.uid])).toMatchObject({ count: 2_980, total: 3_000 });
  });

  test("refuses a filter that cannot be read with its position, and datasets that the caller does not see", async () => {
    await expect(call().count({ datasets: [dataset.uid], filter: "status = lost" })).rejects.toThrow(
      '\\"lost\\" is not a status. Statuses: unattempted, pending, ready_for_annotation, in_progress, completed, rework_required, customer_approved (at position 10).',
    );
    const foreign = await makeDataset(await makeOrganization());
    for (const datasets of [[foreign.uid], [dataset.uid, uuidv7()]])
      await expect(call().count({ datasets, filter: "" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(call().count({ filter: "" })).rejects.toThrow("Name at least one dataset, slice or project.");
    await expect(call().vocabulary({ datasets: [foreign.uid] })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

describe("the vocabulary of a filter", () => {
  const values = async (field: string, prefix?: string) =>
    (await call().vocabulary({ datasets: [dataset.uid], field, prefix })).values.map(({ value, count: n }) => [
      value,
      n,
    ]);

  test("names the members of metadata, nested ones too, with their types and how many items have them", async () => {
    const { fields, exact } = await call().vocabulary({ datasets: [dataset.uid] });
    expect(exact).toBe(true);
    expect(fields).toEqual([
      { path: "metadata.width", kinds: ["number"], count: 4 },
      { path: "metadata.camera.name", kinds: ["string"], count: 3 },
      { path: "metadata.height", kinds: ["number"], count: 2 },
      { path: "metadata.night", kinds: ["boolean"], count: 1 },
    ]);
  });

  test("names the values of a field, the most common first", async () => {
    expect(await values("status")).toEqual([
      ["completed", 2],
      ["unattempted", 2],
    ]);
    expect(await values("metadata.camera.name")).toEqual([
      ["Front", 2],
      ["Rear", 1],
    ]);
    expect(await values("metadata.width", "128")).toEqual([["1280", 2]]);
    expect(await values("key")).toEqual([
      ["*.png", 3],
      ["front/*", 3],
      ["*.jpg", 1],
      ["rear/*", 1],
    ]);
    expect(await values("annotations_count")).toEqual([["0", 4]]);
    expect((await values("created_at")).map(([, n]) => n)).toEqual([4]);
    expect(await values("metadata.unknown")).toEqual([]);
  });

  test("marks texts that a filter would read as numbers", async () => {
    const odd = await makeDataset(org);
    await addItems(odd, [
      { key: "a", metadata: { lens: "35" } },
      { key: "b", metadata: { lens: 35.5 } },
    ]);
    const { values: lenses } = await call().vocabulary({ datasets: [odd.uid], field: "metadata.lens" });
    expect(lenses).toEqual([
      { value: "35", count: 1, quoted: true },
      { value: "35.5", count: 1, quoted: false },
    ]);
  });

  test("names labels and projects, but not those of projects that the caller does not see", async () => {
    const labelled = await makeDataset(org);
    const [item = ""] = await addItems(labelled, [{ key: "x.png" }]);
    for (const [name, access, label] of [
      ["Cranes", "organization", "crane"],
      ["Secret", "assigned", "prototype"],
    ] as const) {
      const of = { organizationId: org.uid, projectId: uuidv7() };
      await prisma.project.create({
        data: { uid: of.projectId, organizationId: org.uid, name, taskType: "image-annotation", access },
      });
      const batch = await prisma.workBatch.create({ data: { ...of, uid: uuidv7(), number: 1 } });
      const task = await prisma.task.create({
        data: { ...of, uid: uuidv7(), itemId: item, batchId: batch.uid, type: "image-annotation", name: "t" },
      });
      const result = { uid: uuidv7(), taskId: task.uid, itemId: item, datasetId: labelled.uid, labels: [label] };
      await prisma.result.create({ data: { ...of, ...result } });
    }
    const named = async (member: TestMember, field: string) =>
      (await createTrpcCaller(org, member).items.vocabulary({ datasets: [labelled.uid], field })).values.map(
        ({ value }) => value,
      );
    expect(await named(org.owner, "label")).toEqual(["crane", "prototype"]);
    expect(await named(org.owner, "project")).toEqual(["Cranes", "Secret"]);
    const member = await addMember(org, "member");
    expect(await named(member, "label")).toEqual(["crane"]);
    expect(await named(member, "project")).toEqual(["Cranes"]);
  });
});
