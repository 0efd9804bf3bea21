import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { queueTabNames, QueueFilters } from "@/domain/tasks/queue-schema";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource } from "@/server/features/tasks/resource";
import { Prisma } from "@/server/platform/database/generated/client";
import { pool, prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { queueStatement } from "@/server/read-models/tasks/task-queue";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, request, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let ana: TestMember;

beforeAll(async () => {
  org = await makeOrganization();
  ana = await addMember(org);
});

const call = requestsWith(() => org.key);
const as = (member: TestMember = org.owner) => createTrpcCaller(org, member);

/** An active project over a dataset of its own with so many pictures. */
async function makeProject(count: number, body: object = {}): Promise<ProjectResource> {
  const dataset = await pictures(org, count);
  const { body: made } = await call<ProjectResource>("POST", "/projects/", {
    name: unique("project"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
    ...body,
  });
  await as().projects.step({ uid: made.uid, step: "approve" });
  return made;
}

const names = async (filters: Parameters<ReturnType<typeof as>["tasks"]["queue"]>[0], member?: TestMember) =>
  (await as(member).tasks.queue(filters)).results.map(({ name }) => name.replace(".png", ""));

describe("the queue of a project", () => {
  let project: ProjectResource;
  /** The tasks in the order of their items. */
  let uids: string[];

  beforeAll(async () => {
    project = await makeProject(8);
    uids = (await as().tasks.queue({ project: project.uid })).results.map(({ uid }) => uid);
    const submit = async (uid = "") =>
      (await call<ResultResource>("POST", `/tasks/${uid}/results/`, { annotations: [] })).body.uid;
    const anas = { data: { assigneeId: ana.uid, assignedBy: "admin" } };
    // 0 waits for anybody, 1 and 2 for Ana, 3 is in work of hers, 4 came back to her, 5 is submitted, 6 is accepted, 7 skipped.
    await prisma.task.updateMany({ where: { uid: { in: uids.slice(1, 5) } }, ...anas });
    await prisma.task.update({ where: { uid: uids[2] }, data: { priority: 5 } });
    await as(ana).tasks.open({ uid: uids[3] ?? "", lease: true });
    const [back, , accepted] = [await submit(uids[4]), await submit(uids[5]), await submit(uids[6])];
    await prisma.result.updateMany({ where: { uid: { in: [back, accepted] } }, data: { submittedById: ana.uid } });
    expect((await call("POST", `/results/${back}/reject/`, { reason: "box too large" })).status).toBe(200);
    expect((await call("POST", `/results/${accepted}/accept/`)).status).toBe(200);
    await as(ana).tasks.skip({ uid: uids[7] ?? "", reason: "other", text: "all black" });
  });

  test("has each task in the tabs of its state, and mine with what came back first", async () => {
    const of = (filters: object, member?: TestMember) => names({ project: project.uid, ...filters }, member);
    expect(await of({})).toEqual(["0000", "0001", "0002", "0003", "0004", "0005", "0006", "0007"]);
    expect(await of({ tab: "mine" }, ana)).toEqual(["0004", "0003", "0002", "0001"]);
    expect(await of({ tab: "mine" })).toEqual([]);
    expect(await of({ tab: "unassigned" })).toEqual(["0000"]);
    expect(await of({ tab: "in_work" })).toEqual(["0003"]);
    expect(await of({ tab: "rework" })).toEqual(["0004"]);
    expect(await of({ tab: "submitted" })).toEqual(["0005"]);
    expect(await of({ tab: "skipped" })).toEqual(["0007"]);
    expect(await of({ state: "submitted,accepted" })).toEqual(["0005", "0006"]);
    expect(await of({ state: "accepted,skipped" })).toEqual(["0006", "0007"]);
    expect(await of({ tab: "mine", state: "todo,accepted" }, ana)).toEqual(["0002", "0001"]);
    expect(await of({ assignee: ana.uid })).toEqual(["0001", "0002", "0003", "0004"]);
    expect(await of({ assignee: "me", state: "todo" }, ana)).toEqual(["0002", "0001"]);
    expect(await of({ q: "0005" })).toEqual(["0005"]);
    expect(await of({ q: "%" })).toEqual([]);
    const [{ work_batch: batch } = { work_batch: "" }] = (await as().tasks.queue({ project: project.uid })).results;
    expect(await of({ batch, tab: "rework" })).toEqual(["0004"]);
    expect(await of({ batch: uuidv7() })).toEqual([]);
  });

  test("says of a row who has it, since when, in which round, and what was decided last", async () => {
    const { results } = await as().tasks.queue({ project: project.uid });
    const [waiting, , , inWork, back, , accepted, skipped] = results;
    expect(waiting).toMatchObject({ state: "todo", round: 1, batch: 1, assignee: null, decision: null, width: 64 });
    expect(inWork).toMatchObject({ state: "in_work", assignee: ana.username, leased_by: ana.username });
    expect(back).toMatchObject({
      state: "rework",
      round: 2,
      decision: "rejected",
      decided_by: org.owner.username,
      reason: "box too large",
      leased_by: null,
    });
    expect(accepted).toMatchObject({ state: "accepted", round: 1, decision: "accepted", project_name: project.name });
    expect(skipped).toMatchObject({ state: "skipped", skip_reason: "other", skip_text: "all black", decision: null });
    const decided = await prisma.result.findFirst({ where: { taskId: back?.uid ?? "" } });
    expect(back?.since).toBe(decided?.decidedAt?.toISOString());
  });

  test("is read page by page in each tab, forwards and back, every row once", async () => {
    const tabs = [...queueTabNames.map((tab) => ({ tab })), { state: "todo,in_work,accepted" }];
    for (const filters of tabs) {
      const input = { project: project.uid, ...filters };
      const whole = await names(input, ana);
      const read: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await as(ana).tasks.queue({ ...input, limit: 1, cursor });
        read.push(...page.results.map(({ name }) => name.replace(".png", "")));
        cursor = page.next ?? undefined;
        if (read.length === 2 && page.previous) {
          const [before] = await names({ ...input, limit: 1, cursor: page.previous }, ana);
          expect(before).toBe(whole[0]);
        }
      } while (cursor !== undefined);
      expect(read).toEqual(whole);
    }
  });

  test("a cursor of one person's own tasks is none of another's", async () => {
    const { next } = await as(ana).tasks.queue({ tab: "mine", limit: 1 });
    await expect(as().tasks.queue({ tab: "mine", limit: 1, cursor: next ?? "" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });

  test("says where most tasks wait for somebody", async () => {
    const large = await makeProject(3);
    expect(await as(ana).tasks.unassigned({})).toEqual({ project: large.uid, project_name: large.name, count: 3 });
    expect(await as(ana).tasks.unassigned({ project: project.uid })).toMatchObject({ count: 1 });
    await as().projects.step({ uid: large.uid, step: "pause" });
    expect(await as(ana).tasks.unassigned({})).toMatchObject({ project: project.uid });
    await as().projects.step({ uid: large.uid, step: "cancel" });
    expect(await names({ tab: "unassigned" })).toEqual(["0000"]);
    expect(await names({ tab: "unassigned", project: large.uid })).toHaveLength(3);
  });
});

test("nobody sees tasks of another organization, or of a project or dataset that they are not assigned to", async () => {
  const { uid, datasets } = await makeProject(1, { access: "assigned" });
  const open = await makeProject(1);
  const other = createTrpcCaller(await makeOrganization());
  for (const tab of queueTabNames) expect((await other.tasks.queue({ tab, project: uid })).results).toEqual([]);
  expect(await names({ project: uid }, ana)).toEqual([]);
  expect(await names({ project: uid, tab: "unassigned" }, ana)).toEqual([]);
  expect(await as(ana).tasks.unassigned({ project: uid })).toBeNull();
  expect(await names({ project: uid })).toEqual(["0000"]);
  expect(datasets).toHaveLength(1);
  expect(await names({ project: open.uid }, ana)).toEqual(["0000"]);
  await prisma.dataset.updateMany({
    where: { projects: { some: { projectId: open.uid } } },
    data: { access: "assigned" },
  });
  for (const tab of ["all", "unassigned"] as const) expect(await names({ project: open.uid, tab }, ana)).toEqual([]);
  expect(await as(ana).tasks.unassigned({ project: open.uid })).toBeNull();
});

const Plan = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: z.record(z.string(), z.unknown()) })]) })]);

describe("a page of each tab", () => {
  const others = 1_000;
  let project: string;

  /** So many tasks, each with a picture of a dataset, by one statement a table. */
  async function fill(
    of: { dataset: string; batch: string; status: string },
    { organizationId = org.uid, projectId = project, result = "accepted" } = {},
  ): Promise<void> {
    const made = Array.from({ length: others }, () => ({ item: uuidv7(), task: uuidv7(), result: uuidv7() }));
    await prisma.item.createMany({
      data: made.map(({ item }) => ({
        uid: item,
        organizationId,
        datasetId: of.dataset,
        key: item,
        storageKey: item,
        status: "in_progress",
      })),
    });
    await prisma.task.createMany({
      data: made.map(({ item, task }) => ({
        uid: task,
        organizationId,
        projectId,
        itemId: item,
        batchId: of.batch,
        type: "image-annotation",
        name: task,
        status: of.status,
      })),
    });
    if (of.status === "completed")
      await prisma.result.createMany({
        data: made.map(({ item, task, result: uid }) => ({
          uid,
          organizationId,
          projectId,
          taskId: task,
          itemId: item,
          datasetId: of.dataset,
          status: result,
        })),
      });
  }

  /** A project of another organization, with a batch. */
  async function createElsewhere(other: TestOrganization) {
    const dataset = await pictures(other, 1);
    const body = { name: unique("p"), task_type: "image-annotation", datasets: [dataset.uid] };
    const { uid } = (await request<ProjectResource>("POST", "/projects/", { key: other.key, body })).body;
    await request("POST", `/projects/${uid}/approve/`, { key: other.key });
    const { uid: batch } = await prisma.workBatch.findFirstOrThrow({ where: { projectId: uid } });
    return { project: uid, dataset: dataset.uid, batch };
  }

  /** The pages of tables and indexes that the statement of each tab reads, by the plan for a large table. */
  async function countPages(looks: readonly object[]): Promise<number[]> {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("analyze tasks, results, items");
      await client.query("set local enable_seqscan = off");
      const counts: number[] = [];
      for (const look of looks) {
        const { order, read } = queueStatement(org.ctx, QueueFilters.parse(look));
        const { columns, direction } = order;
        const { text, values } = read({
          where: Prisma.sql`true`,
          orderBy: Prisma.raw(columns.map((column) => `${column} ${direction}`).join(", ")),
          descending: direction === "desc",
          key: null,
          limit: 6,
        });
        const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
        const [{ "QUERY PLAN": plan }] = Plan.parse(rows);
        counts.push(Number(plan[0].Plan["Shared Hit Blocks"]) + Number(plan[0].Plan["Shared Read Blocks"]));
      }
      return counts;
    } finally {
      await client.query("rollback");
      client.release();
    }
  }

  test("looks the tasks of results that wait for a decision up one by one, even where a join seems cheaper", async () => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("set local enable_nestloop = off");
      for (const within of [{}, { project: unique("project") }]) {
        const { order, read } = queueStatement(org.ctx, QueueFilters.parse({ tab: "submitted", ...within }));
        const orderBy = Prisma.raw(order.columns.join(", "));
        const { text, values } = read({ where: Prisma.sql`true`, orderBy, descending: false, key: null, limit: 6 });
        const { rows } = await client.query(`explain ${text}`, values);
        const plan = JSON.stringify(rows);
        expect(plan).not.toMatch(/(Merge|Hash) Cond: [^"]*s\.task_id/);
      }
    } finally {
      await client.query("rollback");
      client.release();
    }
  });

  test("reads no more where thousands of other tasks wait or are done", { timeout: 120_000 }, async () => {
    const made = await makeProject(8);
    project = made.uid;
    const tasks = await prisma.task.findMany({ where: { projectId: project }, orderBy: { uid: "asc" } });
    const { batchId: batch = "" } = tasks[0] ?? {};
    const { datasetId: dataset = "" } =
      (await prisma.projectDataset.findFirst({ where: { projectId: project } })) ?? {};
    for (const { uid } of tasks.slice(0, 2)) await call("POST", `/tasks/${uid}/results/`, { annotations: [] });
    for (const { uid } of tasks.slice(2, 4)) await as().tasks.open({ uid });
    for (const { uid } of tasks.slice(4, 6)) await as().tasks.skip({ uid, reason: "damaged" });
    const looks = queueTabNames.flatMap((tab) => [{ tab }, { tab, project }]);
    const fillAll = async () => {
      for (const status of ["completed", "pending"]) await fill({ dataset, batch, status });
    };
    // What waits for a decision elsewhere says nothing of how much waits here.
    const other = await makeOrganization();
    const elsewhere = await createElsewhere(other);
    for (let at = 0; at < 3; at++)
      await fill(
        { ...elsewhere, status: "completed" },
        { organizationId: other.uid, projectId: elsewhere.project, result: "submitted" },
      );
    await fillAll();
    const before = await countPages(looks);
    await fillAll();
    const after = await countPages(looks);
    const grown = looks.map((look, at) => ({ ...look, by: (after[at] ?? 0) - (before[at] ?? 0) }));
    expect(grown.filter(({ by }) => by > 40)).toEqual([]);
  });
});
