import { afterAll, beforeAll, expect, test } from "vitest";
import type { DatasetResource, ItemResource } from "@/server/features/datasets/resource";
import * as modelJobs from "@/server/features/models/jobs";
import type { IntegrationWithSecret, RunResource } from "@/server/features/models/resource";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Page } from "@/server/platform/pagination";
import { makeDataset, pictures } from "@/server/testing/datasets";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let outsider: TestOrganization;
let receiver: Receiver;
let dataset: DatasetResource;
let other: DatasetResource;
let integration: IntegrationWithSecret;
let restore = () => {};
const call = requestsWith(() => org.key);

/** More than the items that are asked about at a time. */
const count = 30;
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  const answer = '{"predictions": []}';
  [org, outsider, receiver] = await Promise.all([
    makeOrganization(),
    makeOrganization(),
    startReceiver((_received, response) => response.end(answer)),
  ]);
  [dataset, other] = [await pictures(org, count), await pictures(org, 1)];
  ({ integration } = await createTrpcCaller(org).models.connect({
    name: unique("model"),
    model_type_name: "detector",
    url: receiver.url,
  }));
});
afterAll(async () => {
  restore();
  await receiver.close();
});

type Over = Parameters<ReturnType<typeof createTrpcCaller>["models"]["run"]>[0]["over"];
const start = (over: Partial<Over>, of = org) =>
  createTrpcCaller(of).models.run({ integration: integration.uid, over: { dataset: dataset.uid, ...over } });
const makeSlice = (filter: string, of = dataset) =>
  createTrpcCaller(org).slices.create({ name: unique("slice"), dataset: of.uid, filter_query_string: filter });
const listKeys = async (run: string | undefined) => {
  const found = await prisma.prediction.findMany({ where: { runId: run ?? "" }, select: { itemId: true } });
  const items = await prisma.item.findMany({ where: { uid: { in: found.map(({ itemId }) => itemId) } } });
  return items.map(({ key }) => key).toSorted();
};
const work = () => runJobs([modelJobs.run]);

test("a run asks about all that a filter holds, also about more than are asked about at a time", async () => {
  const [run] = await start({ filter: 'key != "0003.png"', expected: count - 1 });
  expect(run).toMatchObject({ type: "partial" });
  await work();
  const keys = await listKeys(run?.uid);
  expect([keys.length, keys.includes("0003.png")]).toEqual([count - 1, false]);
  const { body } = await call<RunResource>("GET", `/models/runs/${run?.uid}/`);
  expect(body).toMatchObject({ run_status: "completed", total_item_count: count - 1, done_item_count: count - 1 });
});

test("a run of a slice asks about what it holds now", async () => {
  const slice = await makeSlice('key IN ("0001.png", "0002.png")');
  const [run] = await start({ slice: slice.uid });
  await work();
  expect(await listKeys(run?.uid)).toEqual(["0001.png", "0002.png"]);
});

test("a filter or a slice that holds another number than expected starts nothing", async () => {
  const runs = await prisma.run.count({ where: { organizationId: org.uid } });
  const slice = await makeSlice('key = "0001.png"');
  for (const over of [{ filter: 'key = "0001.png"' }, { slice: slice.uid }])
    await expect(start({ ...over, expected: 2 })).rejects.toMatchObject({
      code: "CONFLICT",
      cause: { options: { facts: { code: "count", expected: 2, now: 1 } } },
    });
  const body = [{ dataset_uid: dataset.uid, dataset_item_uids: [], filter_query_string: 'key = "x"', expected: 4 }];
  const refused = await call("POST", `/models/integrations/${integration.uid}/predict/`, body);
  expect([refused.status, refused.body]).toMatchObject([409, { code: "count", expected: 4, now: 0 }]);
  expect(await prisma.run.count({ where: { organizationId: org.uid } })).toBe(runs);
});

test.each<[string, () => Promise<Partial<Over>>, string]>([
  ["a filter that holds nothing", async () => ({ filter: 'key = "none"' }), "filter_query_string"],
  ["a filter that is none", async () => ({ filter: "key ~~" }), "filter"],
  ["a slice of another dataset", async () => ({ slice: (await makeSlice("", other)).uid }), "slice_uid"],
  ["an unknown slice", async () => ({ slice: dataset.uid }), "slice_uid"],
  [
    "a slice and a filter",
    async () => ({ slice: (await makeSlice("")).uid, filter: 'key = "a"' }),
    "dataset_item_uids",
  ],
])("%s is refused at its place", async (_name, make, field) => {
  const failed = await start(await make()).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "BAD_REQUEST" });
  expect(JSON.stringify(failed instanceof Error ? [failed.message, failed.cause] : failed)).toContain(field);
});

test("nobody runs over what another organization has", async () => {
  const slice = await makeSlice("");
  const { integration: theirs } = await createTrpcCaller(outsider).models.connect({
    name: unique("model"),
    model_type_name: "detector",
    url: receiver.url,
  });
  const own = await pictures(outsider, 1);
  const run = (over: Over) => createTrpcCaller(outsider).models.run({ integration: theirs.uid, over });
  await expect(run({ dataset: dataset.uid, filter: "" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(run({ dataset: own.uid, slice: slice.uid })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  const path = `/datasets/${outsider.slug}/${own.slug}/items/`;
  const [item] = (await call<Page<ItemResource>>("GET", path, undefined, outsider.key)).body.results;
  await expect(start({ uids: [item?.uid ?? ""] })).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

test("the runs of one request name a bounded number of items together", async () => {
  const { uid } = await makeDataset(org);
  await execute(
    { db: prisma },
    Prisma.sql`insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, size_bytes, updated_at)
      select ${uid} || '-' || n, ${org.uid}, ${uid}, n || '.png', 'ready_for_annotation', 'image/png', '{}', ${uid} || n, 1, now()
      from generate_series(1, 60000) n`,
  );
  const runs = await prisma.run.count({ where: { organizationId: org.uid } });
  const target = { dataset_uid: uid, dataset_item_uids: [], filter_query_string: 'key != "none"' };
  const { status, body } = await call("POST", `/models/integrations/${integration.uid}/predict/`, [target, target]);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("100,000 items together")]);
  expect(await prisma.run.count({ where: { organizationId: org.uid } })).toBe(runs);
});
