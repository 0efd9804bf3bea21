import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { prisma } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset, picture, pictures, readItems, uploadTo } from "@/server/testing/datasets";
import { addMember, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;
let path: { owner: string; slug: string };
/** By the order in which they were added. */
let uids: string[];

beforeAll(async () => {
  org = await makeOrganization();
  dataset = await pictures(org, 6);
  path = { owner: dataset.owner_name, slug: dataset.slug };
  uids = (await prisma.item.findMany({ where: { datasetId: dataset.uid }, orderBy: { uid: "asc" } })).map(
    ({ uid }) => uid,
  );
});

const call = () => createTrpcCaller(org);
const at = (index: number) => ({ ...path, uid: uids[index] ?? "" });

describe("neighbours", () => {
  const read = async (index: number, input: object = {}) => {
    const { before, after, is_held } = await call().items.neighbours({ ...at(index), ...input });
    const places = (list: { uid: string }[]) => list.map(({ uid }) => uids.indexOf(uid));
    return [places(before), places(after), is_held];
  };

  test("are those before and after in the order of the grid, nearest next to the item", async () => {
    expect(await read(2)).toEqual([[5, 4, 3], [1, 0], true]);
    expect(await read(2, { ordering: "key" })).toEqual([[0, 1], [3, 4, 5], true]);
    expect(await read(2, { ordering: "-key", limit: 1 })).toEqual([[3], [1], true]);
    expect(await read(2, { ordering: "annotations_count" })).toEqual([[0, 1], [3, 4, 5], true]);
  });

  test("are those of the filter, which need not hold the item itself", async () => {
    const filter_query_string = "key ~ 0001 OR key ~ 0004";
    expect(await read(2, { ordering: "key", filter_query_string })).toEqual([[1], [4], false]);
  });

  test("are refused for a filter that cannot be read", async () => {
    await expect(read(2, { filter_query_string: "key ~" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

test("beside an item are the pictures of its time: the nearest of each camera, or those of its frame", async () => {
  const drive = await pictures(org, 5);
  const made = await prisma.item.findMany({ where: { datasetId: drive.uid }, orderBy: { uid: "asc" } });
  const [cloud = "", near = "", far = "", rear = "", late = ""] = made.map(({ uid }) => uid);
  const of = { owner: drive.owner_name, slug: drive.slug, uid: cloud };
  const take = (uid: string, topic: string, tNs: bigint) =>
    prisma.item.update({ where: { uid }, data: { recordingId: "rec_1", tNs, metadata: { source: { topic } } } });
  const start = 1_700_000_000_000_000_000n;
  await take(cloud, "/lidar", start);
  await prisma.item.update({ where: { uid: cloud }, data: { mediaType: "pointcloud/pcd" } });
  await take(near, "/front", start + 20_000_000n);
  await take(far, "/front", start - 60_000_000n);
  await take(rear, "/rear", start + 90_000_000n);
  await take(late, "/left", start + 200_000_000n);
  const beside = await call().items.beside(of);
  expect(beside.map(({ uid, camera }) => [uid, camera])).toEqual([
    [near, "/front"],
    [rear, "/rear"],
  ]);
  await prisma.item.update({ where: { uid: cloud }, data: { recordingId: null, tNs: null } });
  expect(await call().items.beside(of)).toEqual([]);
  await expect(createTrpcCaller(await makeOrganization()).items.beside(of)).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("an item leads back to what it came from, as far as that is still there", async () => {
  const device = await call().devices.register({ name: "arm-01" });
  const source = {
    device_id: device.uid,
    device_name: "old name",
    alert_id: "alrt_gone",
    topic: "/camera",
    t_ns: "1700000000000000001",
  };
  await prisma.item.update({ where: { uid: uids[0] ?? "" }, data: { metadata: { format: "png", source } } });
  expect((await call().items.get(at(0))).source).toEqual({
    links: [
      { kind: "device", uid: device.uid, name: "arm-01", exists: true },
      { kind: "alert", uid: "alrt_gone", name: null, exists: false },
    ],
    topic: "/camera",
    t_ns: "1700000000000000001",
  });
  await prisma.item.update({
    where: { uid: uids[1] ?? "" },
    data: { metadata: { source: { t_ns: "no", rule_id: 3 } } },
  });
  expect((await call().items.get(at(1))).source).toEqual({ links: [], topic: null, t_ns: null });
});

test("an item shows its tasks, its results and the annotations of the accepted one; rejected ones only by name", async () => {
  const of = { organizationId: org.uid };
  const project = uuidv7();
  const labels = [{ name: "robot", color: "#0891b2" }];
  await prisma.project.create({ data: { ...of, uid: project, name: "Cranes", taskType: "image-annotation", labels } });
  const batch = await prisma.workBatch.create({ data: { ...of, uid: uuidv7(), projectId: project, number: 1 } });
  const item = { ...of, projectId: project, itemId: uids[3] ?? "" };
  const task = await prisma.task.create({
    data: { ...item, uid: uuidv7(), batchId: batch.uid, type: "image-annotation", name: "t" },
  });
  const result = (status: string, label: string) =>
    prisma.result.create({
      data: {
        ...item,
        uid: uuidv7(),
        taskId: task.uid,
        datasetId: dataset.uid,
        status,
        annotations: [{ label, type: "bbox", coordinates: { x: 1, y: 1, width: 2, height: 2 }, attributes: {} }],
        annotationCount: 1,
      },
    });
  await result("accepted", "robot");
  await result("submitted", "cart");
  const rejected = await result("rejected", "wrong");
  const found = await call().items.get(at(3));
  expect(found.tasks).toMatchObject([{ uid: task.uid, project_name: "Cranes", status: "pending" }]);
  expect(found.results.map(({ status }) => status)).toEqual(["rejected", "submitted", "accepted"]);
  expect(await call().items.annotations(at(3))).toMatchObject({ labels, annotations: [{ label: "robot" }] });
  expect(await call().items.annotations({ ...at(3), result: rejected.uid })).toMatchObject({ status: "rejected" });
  expect(await call().items.annotations(at(4))).toBeNull();
  expect(await call().items.predictions(at(3))).toEqual([]);
});

test("metadata of people is changed and stands in the activity; what was read from the file is not", async () => {
  const change = { metadata: { weather: "fog" } };
  expect((await call().items.update({ ...at(5), change })).metadata).toMatchObject({ weather: "fog", format: "png" });
  expect(await call().items.activity(at(5))).toMatchObject([{ action: "item.updated" }]);
  await expect(call().items.update({ ...at(5), change: { metadata: { width: 1 } } })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
});

test("a file that is gone, or whose bucket is no longer connected, differs from one that is there", async () => {
  expect(await call().items.file(at(1))).toEqual({ state: "there" });
  const stored = await prisma.item.findUniqueOrThrow({ where: { uid: uids[1] ?? "" } });
  await objectStore().delete(stored.storageKey);
  expect(await call().items.file(at(1))).toEqual({ state: "gone" });
  await prisma.item.update({ where: { uid: stored.uid }, data: { storageKey: `bucket/${uuidv7()}/x` } });
  expect(await call().items.file(at(1))).toEqual({ state: "disconnected" });
});

test("the frames of a sequence come by view, in order", async () => {
  const drives = await makeDataset(org, { is_sequence: true });
  const bytes = await picture();
  const names = ["front/1.png", "front/2.png", "front/10.png", "rear/1.png"].map((name) => `drive-1/${name}`);
  await uploadTo(org, drives, Object.fromEntries(names.map((name) => [name, bytes])));
  await readItems();
  const of = { owner: drives.owner_name, slug: drives.slug };
  const { results } = await call().sequences.list(of);
  expect(results).toMatchObject([{ key: "drive-1", frame_count: 3, view_count: 2, has_thumbnail: true }]);
  expect(await call().sequences.list({ ...of, search: "other" })).toMatchObject({ results: [] });
  const { views } = await call().sequences.frames({ ...of, uid: results[0]?.uid ?? "" });
  expect(views.map(({ key, frames }) => [key, frames.map(({ frame }) => frame)])).toEqual([
    ["front", [0, 1, 2]],
    ["rear", [0]],
  ]);
});

test("nothing is shown of a dataset of assigned members, nor of another organization's", async () => {
  const hidden = await pictures(org, 1, { access: "assigned" });
  const [item] = await prisma.item.findMany({ where: { datasetId: hidden.uid } });
  const input = { owner: hidden.owner_name, slug: hidden.slug, uid: item?.uid ?? "" };
  const others = [createTrpcCaller(org, await addMember(org)), createTrpcCaller(await makeOrganization())];
  for (const { items, sequences } of others) {
    for (const read of [items.get, items.neighbours, items.annotations, items.predictions, items.activity, items.file])
      await expect(read(input)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(sequences.frames(input)).rejects.toMatchObject({ code: "NOT_FOUND" });
  }
  // An item of a dataset that is seen, under the address of another one.
  await expect(call().items.get({ ...input, uid: uids[0] ?? "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("the item of a task is read by the task's uid, by whoever sees the task", async () => {
  const { tasks, first } = await makeTasks(org, 2);
  const { itemId } = await prisma.task.findUniqueOrThrow({ where: { uid: first } });
  const { uid, tasks: shown } = await call().items.ofTask({ uid: first });
  expect([uid, shown.map((task) => task.uid)]).toEqual([itemId, [first]]);
  const elsewhere = createTrpcCaller(await makeOrganization());
  for (const task of [...tasks, uuidv7()])
    await expect(elsewhere.items.ofTask({ uid: task })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
