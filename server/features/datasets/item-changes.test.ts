import { beforeAll, describe, expect, test } from "vitest";
import { fileMetadataKeys } from "@/domain/datasets/schema";
import type { DatasetResource, ItemResource, SequenceResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource, WorkBatchResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { objectStore } from "@/server/platform/storage/current";
import { deleteStoredKeys } from "@/server/platform/storage/jobs";
import { makeDataset, picture, pictures, readItems, uploadTo } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let member: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  member = await addMember(org);
});

const call = requestsWith(() => org.key);
const at = ({ owner_name, slug }: DatasetResource) => `/datasets/${owner_name}/${slug}`;
const getDataset = async (dataset: DatasetResource) => (await call<DatasetResource>("GET", `${at(dataset)}/`)).body;
const listItems = async (dataset: DatasetResource) =>
  (await call<Page<ItemResource>>("GET", `${at(dataset)}/items/?ordering=key`)).body.results;
const patch = (dataset: DatasetResource, item: ItemResource | undefined, metadata: object, key = org.key) =>
  call<ItemResource>("PATCH", `${at(dataset)}/items/${item?.uid}/`, { metadata }, key);
const remove = (dataset: DatasetResource, item: ItemResource | undefined, key = org.key) =>
  call("DELETE", `${at(dataset)}/items/${item?.uid}/`, undefined, key);

describe("an item's metadata", () => {
  test("merges what members add into what was read from its file, and slices can be made of it", async () => {
    const dataset = await pictures(org, 2);
    const [item] = await listItems(dataset);
    const added = await patch(dataset, item, { weather: "rain", camera: { name: "front" } }, member.key);
    expect([added.status, added.body.metadata]).toEqual([
      200,
      { ...item?.metadata, weather: "rain", camera: { name: "front" } },
    ]);
    const changed = await patch(dataset, item, { weather: null, shift: 2 }, member.key);
    expect(changed.body.metadata).toEqual({ ...item?.metadata, camera: { name: "front" }, shift: 2 });
    const slice = { name: unique(), dataset: dataset.uid, filter_query_string: "metadata.shift = 2" };
    const { slug } = (await call("POST", "/slices/", slice)).body;
    const found = await call<Page<ItemResource>>("GET", `/slices/${org.slug}/${String(slug)}/items/list/`);
    expect(found.body.results.map(({ uid }) => uid)).toEqual([item?.uid]);
  });

  test("is refused for what was read from the file, and above 64 KiB in all", async () => {
    const dataset = await pictures(org, 1);
    const [item] = await listItems(dataset);
    expect(Object.keys(item?.metadata ?? {}).filter((key) => !fileMetadataKeys.some((each) => each === key))).toEqual(
      [],
    );
    const refused = await patch(dataset, item, { note: "x", width: 3 });
    expect([refused.status, refused.body.metadata]).toEqual([400, ['"width" is read from the file.']]);
    expect((await patch(dataset, item, { a: "x".repeat(40_000) })).status).toBe(200);
    const second = await patch(dataset, item, { b: "x".repeat(40_000) });
    expect([second.status, Object.keys(second.body)]).toEqual([400, ["metadata"]]);
  });

  test("is refused while the file is being read", async () => {
    const dataset = await makeDataset(org);
    await uploadTo(org, dataset, { "a.png": await picture() });
    const [item] = await listItems(dataset);
    const refused = await patch(dataset, item, { note: "early" });
    expect([refused.status, refused.body.status]).toEqual([400, ["The file of this item is still being read."]]);
    expect((await remove(dataset, item)).status).toBe(400);
    await readItems();
    expect((await patch(dataset, item, { note: "now" })).status).toBe(200);
  });
});

describe("an item", () => {
  test("is deleted with its files by the member who added it, and no longer counted", async () => {
    const dataset = await pictures(org, 2);
    const [item, other] = await listItems(dataset);
    const row = await prisma.item.update({ where: { uid: item?.uid ?? "" }, data: { addedById: member.uid } });
    const before = await getDataset(dataset);
    const listed = (await call<ItemResource>("GET", `${at(dataset)}/items/${row.uid}/`)).body;
    expect(listed.added_by_uid).toBe(member.uid);
    expect((await remove(dataset, other, member.key)).status).toBe(403);
    expect((await remove(dataset, item, (await makeOrganization()).key)).status).toBe(404);
    expect((await remove(dataset, item, member.key)).status).toBe(204);
    expect((await listItems(dataset)).map(({ uid }) => uid)).toEqual([other?.uid]);
    const after = await getDataset(dataset);
    expect([after.item_count, after.size_bytes]).toEqual([1, Number(before.size_bytes) - Number(row.sizeBytes)]);
    await runJobs([deleteStoredKeys]);
    expect(row.thumbnailKey).not.toBeNull();
    for (const key of [row.storageKey, row.thumbnailKey ?? ""]) expect(await objectStore().head(key)).toBeNull();
    expect(
      await objectStore().head((await prisma.item.findFirstOrThrow({ where: { uid: other?.uid ?? "" } })).storageKey),
    ).not.toBeNull();
    // Its name is free again.
    await uploadTo(org, dataset, { [row.key]: await picture() });
    await readItems();
    expect(await listItems(dataset)).toHaveLength(2);
  });

  test("is kept while a task of it is open, and deleted with its task and results once that is completed", async () => {
    const dataset = await pictures(org, 2);
    const body = { name: unique(), task_type: "image-annotation", datasets: [dataset.uid] };
    const { uid } = (await call<ProjectResource>("POST", "/projects/", body)).body;
    await call("POST", `/projects/${uid}/approve/`);
    const tasks = (await call<Page<TaskResource>>("GET", `/tasks/?project=${uid}`)).body.results;
    const [item] = await listItems(dataset);
    const task = tasks.find(({ dataset_item }) => dataset_item === item?.uid);
    const refused = await remove(dataset, item);
    expect([refused.status, refused.body.non_field_errors?.[0]]).toEqual([400, expect.stringContaining("is open")]);
    const annotations = [{ label: "car", type: "classification", coordinates: {} }];
    const path = `/tasks/${task?.uid}/results/`;
    const submitted = (await call<ResultResource>("POST", path, { annotations }, member.key)).body;
    await call("POST", `/results/${submitted.uid}/accept/`);
    expect((await remove(dataset, item)).status).toBe(204);
    expect((await call("GET", `/tasks/${task?.uid}/`)).status).toBe(404);
    expect((await call("GET", `/results/${submitted.uid}/`)).status).toBe(404);
    const project = await call<ProjectResource>("GET", `/projects/${org.slug}/${uid}/`);
    expect(project.body).toMatchObject({
      status: "active",
      task_count: 1,
      completed_task_count: 0,
      accepted_count: 0,
      rejected_count: 0,
    });
    const [batch] = (await call<Page<WorkBatchResource>>("GET", `/work-batches/?project=${uid}`)).body.results;
    expect(batch).toMatchObject({ status: "pending", task_count: 1, started_count: 0, completed_count: 0 });
    expect((await getDataset(dataset)).annotations_count).toBe(0);
  });

  test("leaves no gap in its sequence, which is deleted with its last frame", async () => {
    const dataset = await makeDataset(org, { is_sequence: true });
    const bytes = await picture();
    await uploadTo(org, dataset, { "drive/1.png": bytes, "drive/2.png": bytes, "drive/3.png": bytes });
    await readItems();
    const [first, ...others] = await listItems(dataset);
    await remove(dataset, first);
    expect((await listItems(dataset)).map(({ key, frame }) => [key, frame])).toEqual([
      ["drive/2.png", 0],
      ["drive/3.png", 1],
    ]);
    const listSequences = async () =>
      (await call<Page<SequenceResource>>("GET", `${at(dataset)}/sequences/`)).body.results;
    expect((await listSequences())[0]?.number_of_frames).toBe(2);
    for (const item of others) await remove(dataset, item);
    expect(await listSequences()).toEqual([]);
  });
});
