import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { countSlices } from "@/server/features/slices/count-service";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;

beforeAll(async () => {
  org = await makeOrganization();
  dataset = await makeDataset(org);
  await addItems("front", 3);
  await addItems("rear", 2);
});

async function addItems(folder: string, count: number): Promise<void> {
  await prisma.item.createMany({
    data: Array.from({ length: count }, () => ({
      uid: uuidv7(),
      organizationId: org.uid,
      datasetId: dataset.uid,
      key: `${folder}/${unique()}.png`,
      status: "unattempted",
      storageKey: uuidv7(),
    })),
  });
}

const call = () => createTrpcCaller(org).slices;
const make = (filter: string, name = unique("slice")) =>
  call().create({ name, dataset: dataset.uid, filter_query_string: filter });

describe("the list of slices", () => {
  test("names dataset, creator, exports and the count of a week ago, by dataset and by name", async () => {
    const name = unique("Night");
    const { uid } = await make("key ~ front", name);
    await make("key ~ rear");
    await countSlices(dataset.uid);
    await prisma.sliceCount.create({
      data: { sliceId: uid, day: new Date(Date.now() - 9 * 86_400_000), itemCount: 1 },
    });
    const named = { datasets: [], projects: [], slices: [uid], format: "YOLO" as const };
    await createTrpcCaller(org).exports.create({ ...named, name: "of the slice" });
    const { results } = await call().overview({ search: name.slice(2), dataset: dataset.uid });
    expect(results).toMatchObject([
      {
        uid,
        name,
        dataset_name: dataset.name,
        item_count: 3,
        week_ago_count: 1,
        export_count: 1,
        created_by_uid: org.owner.uid,
      },
    ]);
    expect((await call().usedBy({ uid })).exports.map((each) => each.name)).toEqual(["of the slice"]);
    expect((await call().usedBy({ uid })).open_export_count).toBe(1);
    expect((await call().overview({ dataset: uuidv7() })).results).toEqual([]);
    const names = (await call().overview({ ordering: "name", limit: 1 })).results.map((each) => each.name);
    expect(names).toHaveLength(1);
  });

  test("hides slices of datasets that a member is not assigned to", async () => {
    const secret = await makeDataset(org, { access: "assigned" });
    const { uid } = await call().create({ name: unique("secret"), dataset: secret.uid });
    const member = createTrpcCaller(org, await addMember(org)).slices;
    expect((await member.overview({ limit: 1_000 })).results.some((each) => each.uid === uid)).toBe(false);
    for (const read of [member.overviewOf, member.usedBy, member.changes])
      await expect(read({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(member.update({ uid, change: {} })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("what changed in a slice", () => {
  test("are the items that came and left from count to count, and what another filter did", async () => {
    const { uid } = await make("key ~ front");
    await countSlices(dataset.uid);
    expect((await call().changes({ uid })).days).toMatchObject([{ item_count: 3, came_count: 0, left_count: 0 }]);
    await addItems("front", 4);
    await countSlices(dataset.uid);
    const [gone] = await prisma.item.findMany({
      where: { datasetId: dataset.uid, key: { contains: "front" } },
      take: 1,
    });
    await prisma.item.delete({ where: { uid: gone?.uid ?? "" } });
    await countSlices(dataset.uid);
    expect((await call().changes({ uid })).days).toMatchObject([{ item_count: 6, came_count: 4, left_count: 1 }]);

    await call().update({ uid, change: { filter_query_string: "key ~ rear" } });
    expect((await call().changes({ uid })).filters).toMatchObject([
      { before: "key ~ front", after: "key ~ rear", came_count: null, left_count: null },
    ]);
    await addItems("rear", 1);
    await countSlices(dataset.uid);
    await countSlices(dataset.uid);
    const { days, filters } = await call().changes({ uid });
    expect(filters).toMatchObject([{ came_count: 3, left_count: 6, changed_by: org.owner.username }]);
    // The filter brought what it holds at the count, also what came since the change.
    expect(days).toMatchObject([{ item_count: 3, came_count: 4, left_count: 1 }]);
    expect((await call().overviewOf({ uid })).item_count).toBe(3);
  });

  test("is nothing where nothing came or left, however often it is counted", async () => {
    const { uid } = await make("status = completed");
    await countSlices(dataset.uid);
    await countSlices(dataset.uid);
    expect(await call().changes({ uid })).toMatchObject({ days: [{ item_count: 0, came_count: 0, left_count: 0 }] });
  });
});
