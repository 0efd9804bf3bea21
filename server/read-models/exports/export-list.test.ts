import { beforeEach, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import * as exportJobs from "@/server/features/exports/jobs";
import type { ExportResource } from "@/server/features/exports/resource";
import type { SliceResource } from "@/server/features/slices/resource";
import { prisma } from "@/server/platform/db";
import { onChange } from "@/server/platform/realtime/changes";
import { startListening } from "@/server/testing/changes";
import { makeDataset, pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;
beforeEach(async () => {
  org = await makeOrganization();
  dataset = await makeDataset(org, { name: unique("yard") });
});

const call = requestsWith(() => org.key);
const request = async (body: object = {}, key = org.key): Promise<ExportResource> => {
  const all = { name: unique("export"), format: "YOLO", datasets: [dataset.uid], projects: [], slices: [], ...body };
  return (await call<ExportResource>("POST", "/exports/", all, key)).body;
};

test("the list names the sources, who requested it and the bucket; a deleted source has no name", async () => {
  const slice = (
    await call<SliceResource>("POST", "/slices/", { name: unique("s"), dataset: dataset.uid, filter_query_string: "" })
  ).body;
  const other = await makeDataset(org);
  const member = await addMember(org);
  await request({ datasets: [other.uid, dataset.uid], slices: [slice.uid] }, member.key);
  await call("DELETE", `/datasets/${org.slug}/${other.slug}/`);
  const { results } = await createTrpcCaller(org).exports.overview({});
  expect(results).toMatchObject([
    {
      created_by: member.username,
      bucket: null,
      sources: [
        { kind: "dataset", uid: other.uid, name: null },
        { kind: "dataset", uid: dataset.uid, name: dataset.name },
        { kind: "slice", uid: slice.uid, name: slice.name },
      ],
    },
  ]);
});

test("waiting exports know how many wait before them; others have no place", async () => {
  const uids: string[] = [];
  for (let at = 0; at < 7; at++) uids.push((await request()).uid);
  await runJobs([exportJobs.start]);
  const { results } = await createTrpcCaller(org).exports.overview({ ordering: "created_at" });
  expect(results.map(({ waiting_before }) => waiting_before)).toEqual([null, null, null, null, null, 0, 1]);
  await createTrpcCaller(org).exports.abort({ uid: uids[0] ?? "" });
  await runJobs([exportJobs.start]);
  const last = await createTrpcCaller(org).exports.overviewOf({ uid: uids[6] ?? "" });
  expect(last.waiting_before).toBe(0);
});

test("an export under way shows how many items a second it makes", async () => {
  const { uid } = await request();
  await runJobs([exportJobs.start]);
  const startedAt = new Date(Date.now() - 10_000);
  await prisma.export.update({ where: { uid }, data: { startedAt, totalTaskCount: 1_000, exportedTaskCount: 500 } });
  const { items_per_second } = await createTrpcCaller(org).exports.overviewOf({ uid });
  expect(items_per_second).toBeGreaterThan(1);
  expect(items_per_second).toBeLessThanOrEqual(50);
});

test("the list is searched by part of the name and filtered by status, in its own organization only", async () => {
  await request({ name: "Yard 100% night" });
  await request({ name: "Harbour" });
  const names = async (filters: object) =>
    (await createTrpcCaller(org).exports.overview(filters)).results.map(({ name }) => name);
  expect(await names({ search: "yard" })).toEqual(["Yard 100% night"]);
  expect(await names({ search: "%" })).toEqual(["Yard 100% night"]);
  expect(await names({ search: "yard", status: "exported" })).toEqual([]);
  expect((await createTrpcCaller(await makeOrganization()).exports.overview({})).results).toEqual([]);
});

test("sources and buckets are those that the caller sees", async () => {
  const [member, other] = [await addMember(org), await makeOrganization()];
  const secret = await makeDataset(org, { name: unique("yard-secret"), access: "assigned" });
  const names = async (of: TestOrganization, by = of.owner) =>
    (await createTrpcCaller(of, by).exports.sources({ search: "YARD" })).map(({ name }) => name);
  expect(await names(org)).toEqual([secret.name, dataset.name]);
  expect(await names(org, member)).toEqual([dataset.name]);
  expect(await names(other)).toEqual([]);
  const chosen = { uids: [dataset.uid, secret.uid] };
  const listNames = async (by = org.owner) =>
    (await createTrpcCaller(org, by).exports.chosenSources(chosen)).map(({ name }) => name).toSorted();
  expect(await listNames()).toEqual([dataset.name, secret.name].toSorted());
  expect(await listNames(member)).toEqual([dataset.name]);
  expect(await createTrpcCaller(other).exports.chosenSources(chosen)).toEqual([]);
  const bucket = await prisma.storageConfig.create({
    data: {
      uid: unique(),
      organizationId: org.uid,
      name: "Lake",
      provider: "aws_s3",
      bucket: "lake",
      credentialsSealed: "",
    },
  });
  expect(await createTrpcCaller(org).exports.buckets()).toMatchObject([{ uid: bucket.uid, name: "Lake" }]);
  expect(await createTrpcCaller(other).exports.buckets()).toEqual([]);
});

test("a person watches their own unfinished exports, and finished ones by uid, but nobody else's", async () => {
  const member = await addMember(org);
  const [own, finished, others] = [await request({}, member.key), await request({}, member.key), await request()];
  await createTrpcCaller(org).exports.abort({ uid: finished.uid });
  const watched = async (uids: string[]) =>
    (await createTrpcCaller(org, member).exports.watched({ uids })).map(({ uid }) => uid).toSorted();
  expect(await watched([])).toEqual([own.uid]);
  expect(await watched([finished.uid, own.uid, others.uid])).toEqual([own.uid, finished.uid].toSorted());
});

test("open pages are notified when an export is requested, progresses, finishes and is deleted", async () => {
  const stop = await startListening();
  const withItems = await pictures(org, 1);
  const actions: string[] = [];
  const unsubscribe = onChange(org.uid, {
    onChange: ({ kind, action }) => void (kind === "export" && actions.push(action)),
    onGap: () => {},
  });
  try {
    const { uid } = await request({ datasets: [withItems.uid] });
    await expect.poll(() => actions).toEqual(["created"]);
    await runJobs([exportJobs.start, exportJobs.run]);
    // Started, its progress in one notification or, where the machine is slow, two, finished.
    await expect.poll(() => actions.join(" ")).toMatch(/^created(?: updated){3,4}$/);
    await createTrpcCaller(org).exports.deleteMany({ uids: [uid] });
    await expect.poll(() => actions.at(-1)).toBe("deleted");
  } finally {
    unsubscribe();
    await stop();
  }
});
