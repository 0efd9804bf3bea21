import { beforeAll, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { makeDataset, pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
});

const path = (dataset: { owner_name: string; slug: string }) => ({ owner: dataset.owner_name, slug: dataset.slug });

describe("the list of datasets", () => {
  test("has pictures, counts by state and where the files are", async () => {
    const dataset = await pictures(org, 6);
    const items = await prisma.item.findMany({ where: { datasetId: dataset.uid }, orderBy: { uid: "desc" } });
    await prisma.item.updateMany({
      where: { uid: { in: items.slice(0, 2).map(({ uid }) => uid) } },
      data: { status: "completed", annotationCount: 3 },
    });
    const { results } = await createTrpcCaller(org).datasets.overview({ search: dataset.name });
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      uid: dataset.uid,
      item_count: 6,
      thumbnails: items.slice(0, 4).map(({ uid }) => uid),
      counts: { statuses: { completed: 2, unattempted: 4 }, labelled: 2 },
      projects: [],
      bucket: null,
      pending: null,
      failure: null,
    });
    expect(await createTrpcCaller(org).datasets.overviewOf(path(dataset))).toEqual(results[0]);
  });

  test("is narrowed by type and status, ordered by name, and leaves out what the caller does not see", async () => {
    const [b, a] = [
      await makeDataset(org, { name: "b cloud", data_type: "lidar" }),
      await makeDataset(org, { name: "a cloud", data_type: "lidar" }),
    ];
    const names = async (by: TestOrganization, filters: object = {}) =>
      (await createTrpcCaller(by).datasets.overview({ data_type: "lidar", ordering: "name", ...filters })).results.map(
        ({ name }) => name,
      );
    expect(await names(org)).toEqual(["a cloud", "b cloud"]);
    expect(await names(org, { status: "failed" })).toEqual([]);
    expect(await names(other)).toEqual([]);
    await prisma.dataset.update({ where: { uid: a.uid }, data: { access: "assigned" } });
    const member = await addMember(org);
    const theirs = createTrpcCaller(org, member);
    expect((await theirs.datasets.overview({ data_type: "lidar" })).results.map(({ uid }) => uid)).toEqual([b.uid]);
    await expect(theirs.datasets.overviewOf(path(a))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

test("the address of a new dataset is known before, and whether it is free", async () => {
  const name = unique("Näive yard");
  const caller = createTrpcCaller(org);
  const before = await caller.datasets.address({ name });
  expect(before).toEqual({ slug: expect.stringMatching(/^naive-yard-/), free: true });
  const made = await caller.datasets.create({ name });
  expect(made.slug).toBe(before.slug);
  expect(await caller.datasets.address({ name })).toEqual({ ...before, free: false });
  expect(await createTrpcCaller(other).datasets.address({ name })).toEqual(before);
  expect(await caller.datasets.address({ name: "List" })).toEqual({ slug: "list", free: false });
});

describe("the health of a dataset", () => {
  test("counts labels, sizes, devices and days, and names files with the same bytes", async () => {
    const dataset = await pictures(org, 3);
    const [first] = await prisma.item.findMany({ where: { datasetId: dataset.uid }, orderBy: { key: "asc" } });
    await prisma.item.update({
      where: { uid: first!.uid },
      data: { metadata: { width: 64, height: 48, source: { device_name: "arm-01" } }, annotationCount: 2 },
    });
    const today = first!.createdAt.toISOString().slice(0, 10);
    expect(await createTrpcCaller(org).datasets.health(path(dataset))).toEqual({
      timed_out: false,
      items: 3,
      unlabelled: 2,
      labels: [],
      sizes: [{ width: 64, height: 48, count: 3 }],
      devices: [{ value: "arm-01", count: 1 }],
      days: [{ value: today, count: 3 }],
      duplicates: [{ count: 3, keys: ["0000.png", "0001.png", "0002.png"] }],
      refused: 0,
    });
    await expect(createTrpcCaller(other).datasets.health(path(dataset))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
