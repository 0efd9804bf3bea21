import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import * as projectJobs from "@/server/features/projects/jobs";
import type { ProjectResource } from "@/server/features/projects/resource";
import { countSlices } from "@/server/features/slices/count-service";
import type { SliceResource } from "@/server/features/slices/resource";
import { namedSlices } from "@/server/features/slices/service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, transaction } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { pictures, uploadTo, picture, readItems } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let ana: TestMember;
let dataset: DatasetResource;
let keys: Record<string, string>;
let night: SliceResource;

const call = requestsWith(() => org.key);
const as = (member: TestMember = org.owner) => createTrpcCaller(org, member);

const makeSlice = async (of: string, filter: string, by = call): Promise<SliceResource> =>
  (
    await by<SliceResource>("POST", "/slices/", {
      name: unique("slice"),
      dataset: of,
      filter_query_string: filter,
    })
  ).body;
const create = (body: object, by = call) =>
  by<ProjectResource & Record<string, string[]>>("POST", "/projects/", {
    name: unique("project"),
    task_type: "image-annotation",
    ...body,
  });
const approve = (uid: string) => as().projects.step({ uid, step: "approve" });
const listNames = async (projectId: string): Promise<string[]> =>
  (await prisma.task.findMany({ where: { projectId }, orderBy: { name: "asc" } })).map(({ name }) => name);
const setMetadata = (key: string, metadata: object) =>
  call("PATCH", `/datasets/${dataset.owner_name}/${dataset.slug}/items/${keys[key]}/`, { metadata });
/** Counts slices, as the worker does a second after items changed, and makes the tasks that follow. */
async function work(of = dataset): Promise<void> {
  await countSlices(of.uid);
  await runJobs([projectJobs.make]);
}

beforeAll(async () => {
  org = await makeOrganization();
  ana = await addMember(org);
  dataset = await pictures(org, 5);
  const items = await prisma.item.findMany({ where: { datasetId: dataset.uid } });
  keys = Object.fromEntries(items.map(({ key, uid }) => [key, uid]));
  night = await makeSlice(dataset.uid, "metadata.night = true");
  for (const key of ["0001.png", "0003.png"]) await setMetadata(key, { night: true });
  await work();
});

test("a slice that a new project names is locked until that exists, so that nobody deletes it meanwhile", async () => {
  await transaction(org.ctx, async (tx) => {
    await namedSlices(tx, "slices", [night.uid]);
    const another = execute(org.ctx, Prisma.sql`select uid from slices where uid = ${night.uid} for update nowait`);
    await expect(another).rejects.toThrow("could not obtain lock");
  });
});

describe("a project over a slice", () => {
  test("makes tasks of its items, of those that come into it later, and keeps those of items that left it", async () => {
    const { status, body: project } = await create({ slices: [night.uid] });
    expect([status, project.slices, project.datasets]).toEqual([201, [night.uid], [dataset.uid]]);
    await approve(project.uid);
    expect(await listNames(project.uid)).toEqual(["0001.png", "0003.png"]);
    await setMetadata("0000.png", { night: true });
    await setMetadata("0001.png", { night: false });
    await work();
    expect(await listNames(project.uid)).toEqual(["0000.png", "0001.png", "0003.png"]);
    // Another filter brings others; and so do items that are uploaded.
    await call("PATCH", `/slices/${org.slug}/${night.slug}/`, {
      filter_query_string: "metadata.night = true or key = *x*",
    });
    await uploadTo(org, dataset, { "x.png": await picture(), "y.png": await picture() });
    await readItems();
    await work();
    expect(await listNames(project.uid)).toEqual(["0000.png", "0001.png", "0003.png", "x.png"]);
    const counted = await call<ProjectResource>("GET", `/projects/${org.slug}/${project.uid}/`);
    expect(counted.body).toMatchObject({ task_count: 4, slices: [night.uid], datasets: [dataset.uid] });
  });

  test("and over a whole dataset makes one task of each item, those of the dataset first", async () => {
    const other = await pictures(org, 2);
    const { body: project } = await create({
      datasets: [other.uid],
      slices: [night.uid, (await makeSlice(dataset.uid, "key = 0003.png")).uid],
    });
    expect(project.datasets).toEqual([other.uid, dataset.uid]);
    await approve(project.uid);
    const names = await listNames(project.uid);
    expect(names.toSorted()).toEqual(["0000.png", "0000.png", "0001.png", "0003.png", "x.png"]);
    const { body: again } = await call<ProjectResource>("POST", "/projects/create-from-existing/", {
      project: project.uid,
    });
    expect([again.datasets, again.slices]).toEqual([project.datasets, project.slices]);
    const { body: narrowed } = await call<ProjectResource>("POST", "/projects/create-from-existing/", {
      project: project.uid,
      slices: [night.uid],
    });
    expect([narrowed.datasets, narrowed.slices]).toEqual([[dataset.uid], [night.uid]]);
  });

  test("keeps its slice and dataset from being deleted until it ends; then it outlives the slice", async () => {
    const slice = await makeSlice(dataset.uid, "key = 0004.png");
    const { body: project } = await create({ name: "Fourth", slices: [slice.uid] });
    await approve(project.uid);
    const remove = (path: string) => call<{ detail: string }>("DELETE", path);
    const refused = await remove(`/slices/${org.slug}/${slice.slug}/`);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('Projects annotate this slice: \\"Fourth\\". Cancel them first.'),
    ]);
    const ofDataset = await remove(`/datasets/${dataset.owner_name}/${dataset.slug}/`);
    expect([ofDataset.status, JSON.stringify(ofDataset.body)]).toEqual([400, expect.stringContaining('\\"Fourth\\"')]);
    await as().projects.step({ uid: project.uid, step: "cancel" });
    expect((await remove(`/slices/${org.slug}/${slice.slug}/`)).status).toBe(204);
    const { body: after } = await call<ProjectResource>("GET", `/projects/${org.slug}/${project.uid}/`);
    expect([after.slices, after.datasets, after.task_count]).toEqual([[], [dataset.uid], 1]);
  });

  test("has one job that makes its tasks, however often its slices are counted before that starts", async () => {
    const made = [await create({ slices: [night.uid] }), await create({ slices: [night.uid] })];
    const uids = made.map(({ body }) => body.uid);
    for (const uid of uids) await approve(uid);
    await runJobs([projectJobs.make]);
    const listJobs = async (): Promise<unknown[]> =>
      (await queuedJobs(projectJobs.make.definition, { organizationId: org.uid })).map(
        ({ payload }) => payload.projectId,
      );
    for (let at = 0; at < 5; at++) await countSlices(dataset.uid);
    await Promise.all([countSlices(dataset.uid), countSlices(dataset.uid)]);
    const queued = await listJobs();
    expect(new Set(queued).size).toBe(queued.length);
    expect(queued).toEqual(expect.arrayContaining(uids));
    await runJobs([projectJobs.make]);
    expect(await listJobs()).toEqual([]);
  });
});

describe("the slices of a project", () => {
  test("are refused when they are foreign or unknown in the same words, named by none, or part of a named dataset", async () => {
    const other = await makeOrganization();
    const foreign = await makeSlice(
      (await pictures(other, 1)).uid,
      "",
      requestsWith(() => other.key),
    );
    for (const uid of [foreign.uid, uuidv7()])
      expect((await create({ slices: [night.uid, uid] })).body).toMatchObject({
        slices: [`Invalid pk "${uid}" - object does not exist.`],
      });
    expect((await create({})).body).toMatchObject({ datasets: ["This field is required."] });
    expect((await create({ slices: [] })).body).toMatchObject({ slices: ["This list may not be empty."] });
    expect((await create({ slices: ["no uid"] })).status).toBe(400);
    expect((await create({ slices: [night.uid], datasets: [dataset.uid] })).body).toMatchObject({
      slices: [`"${night.name}" is part of a dataset that is named, too.`],
    });
    expect(await prisma.project.count({ where: { organizationId: other.uid } })).toBe(0);
  });

  test("are seen with their dataset only, which a member does not name unless they see it", async () => {
    const hidden = await pictures(org, 1, { access: "assigned" });
    const slice = await makeSlice(hidden.uid, "");
    const { body: project } = await create({ slices: [slice.uid] });
    await approve(project.uid);
    await work(hidden);
    const seen = await as(ana).projects.overviewOf({ uid: project.uid });
    expect([seen.slices, seen.datasets]).toEqual([[], []]);
    expect((await as(ana).tasks.queue({ project: project.uid })).results).toEqual([]);
    expect((await as().projects.overviewOf({ uid: project.uid })).slices).toMatchObject([
      { uid: slice.uid, name: slice.name, item_count: 1 },
    ]);
    expect(await as(ana).projects.sources({ chosen: [slice.uid, night.uid], search: night.name })).toMatchObject([
      { kind: "slice", uid: night.uid, dataset: dataset.uid },
    ]);
    await expect(
      as(ana).projects.create({ name: "Mine", task_type: "image-annotation", slices: [night.uid] }),
    ).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect((await as().slices.usedBy({ uid: slice.uid })).projects).toMatchObject([{ uid: project.uid }]);
    await call("PATCH", `/projects/${org.slug}/${project.uid}/`, { access: "assigned" });
  });
});
