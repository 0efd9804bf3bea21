import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ItemResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import { endLost } from "@/server/features/tasks/jobs";
import { deleteEndedDrafts } from "@/server/features/tasks/kept-drafts-service";
import type { OpenedTask } from "@/server/features/tasks/labelling-resource";
import type { ResultResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeBox, makeTasks, nextTask, put, saveDraft, type Labeller } from "@/server/testing/labelling";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** What becomes of work when its person may not go on, or its project is over. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
});
beforeEach(async () => {
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
});
const call = requestsWith(() => org.key);

const read = (uid: string) => prisma.task.findUniqueOrThrow({ where: { uid }, include: { draft: true, item: true } });
const free = { status: "pending", leaseUser: null, leaseHash: null, leaseUntil: null, assigneeId: null };

/** Leases a task to somebody who draws a box on it. */
async function begin(uid: string, who: TestMember): Promise<Labeller> {
  const { body } = await call<OpenedTask>("POST", `/tasks/${uid}/open/`, { lease: true }, who.key);
  const labeller: Labeller = { who, lease: body.lease?.token ?? "", client: randomUUID() };
  expect((await saveDraft(uid, labeller, 1, 0, [put(makeBox(randomUUID()))])).status).toBe(200);
  return labeller;
}

/** A project with a task that Ana has and one that Ben has, each with a box. */
async function makeWork() {
  const made = await makeTasks(org, 2);
  const [anas = "", bens = ""] = made.tasks;
  return { ...made, anas, bens, held: [await begin(anas, ana), await begin(bens, ben)] as const };
}

/** Expects that Ana's task waits for others with what she drew, and that Ben goes on with his. */
async function expectAnasIsFree({ project, anas, bens, held }: Awaited<ReturnType<typeof makeWork>>): Promise<void> {
  await runJobs([endLost]);
  expect(await read(anas)).toMatchObject({ ...free, draft: { shapeCount: 1, endedAt: null } });
  expect(await read(bens)).toMatchObject({ status: "in_progress", leaseUser: ben.uid, assigneeId: ben.uid });
  expect((await saveDraft(bens, held[1], 2, 1, [put(makeBox(randomUUID()))])).status).toBe(200);
  const batches = await prisma.workBatch.aggregate({ where: { projectId: project }, _sum: { startedCount: true } });
  expect(batches._sum.startedCount).toBe(1);
  const audited = await prisma.auditEntry.count({ where: { targetId: anas, action: "task.lease_over" } });
  expect(audited).toBe(1);
  const next = (await nextTask(project, org)).body;
  expect([next.task.uid, next.draft?.shapes.length]).toEqual([anas, 1]);
}

const members = (project: string) => `/projects/${org.slug}/${project}/members/`;

describe("a lease ends and its task waits for others", () => {
  test("when its member is removed; what an admin assigned to them waits for anybody, too", async () => {
    const work = await makeWork();
    const { tasks } = await makeTasks(org, 1);
    const [given = ""] = tasks;
    await call("PATCH", `/tasks/${given}/`, { assignee: ana.username });
    const { uid } = await prisma.membership.findFirstOrThrow({ where: { userId: ana.uid, organizationId: org.uid } });
    expect((await call("DELETE", `/organizations/${org.slug}/members/${uid}/`)).status).toBe(204);
    await expectAnasIsFree(work);
    expect(await read(given)).toMatchObject(free);
  });

  test("when its member leaves the organization", async () => {
    const work = await makeWork();
    await createTrpcCaller(org, ana).organizations.leave();
    await expectAnasIsFree(work);
  });

  test("when its member may only read from then on", async () => {
    const work = await makeWork();
    const { uid } = await prisma.membership.findFirstOrThrow({ where: { userId: ana.uid, organizationId: org.uid } });
    const path = `/organizations/${org.slug}/members/${uid}/`;
    expect((await call("PATCH", path, { read_only: true })).status).toBe(200);
    await expectAnasIsFree(work);
  });

  test("when only others see its project from then on, and when they are not assigned to it any more", async () => {
    const work = await makeWork();
    await call("POST", members(work.project), { user: ben.uid });
    const path = `/projects/${org.slug}/${work.project}/`;
    expect((await call("PATCH", path, { access: "assigned" })).status).toBe(200);
    await expectAnasIsFree(work);
    expect((await call("DELETE", `${members(work.project)}${ben.uid}/`)).status).toBe(204);
    await runJobs([endLost]);
    expect(await read(work.bens)).toMatchObject(free);
  });

  test("when only others see its dataset from then on", async () => {
    const work = await makeWork();
    await call("POST", `/datasets/${org.slug}/${work.dataset}/members/`, { user: ben.uid });
    const path = `/datasets/${org.slug}/${work.dataset}/`;
    expect((await call("PATCH", path, { access: "assigned" })).status).toBe(200);
    await expectAnasIsFree(work);
  });

  test("when only others annotate in its project from then on", async () => {
    const work = await makeWork();
    const people = createTrpcCaller(org).projects.people;
    await people.set({ uid: work.project, user: ben.uid, roles: ["annotator"] });
    await people.set({ uid: work.project, user: ana.uid, roles: ["annotator"] });
    const path = `/projects/${org.slug}/${work.project}/`;
    expect((await call("PATCH", path, { annotators_open: false })).status).toBe(200);
    await runJobs([endLost]);
    expect(await read(work.anas)).toMatchObject({ status: "in_progress", leaseUser: ana.uid });
    await people.remove({ uid: work.project, user_uid: ana.uid });
    await expectAnasIsFree(work);
  });
});

test("what is open again after its member left is given to another: a rejected result, and a skipped task", async () => {
  const { project, tasks } = await makeTasks(org, 2);
  const [submitted = "", skipped = ""] = tasks;
  for (const uid of tasks) await call("PATCH", `/tasks/${uid}/`, { assignee: ana.username });
  const { body: result } = await call<ResultResource>(
    "POST",
    `/tasks/${submitted}/results/`,
    { annotations: [] },
    ana.key,
  );
  expect((await call("POST", `/tasks/${skipped}/skip/`, { reason: "damaged" }, ana.key)).status).toBe(200);
  await createTrpcCaller(org, ana).organizations.leave();
  await runJobs([endLost]);
  expect(await read(submitted)).toMatchObject({ status: "completed", assigneeId: ana.uid });
  expect((await call("POST", `/results/${result.uid}/reject/`, {})).status).toBe(200);
  expect((await call("POST", `/tasks/${skipped}/unskip/`, {})).status).toBe(200);
  const given = [await nextTask(project, ben), await nextTask(project, ben)];
  expect(given.map(({ body }) => body.task.uid)).toEqual([submitted, skipped]);
});

test("canceling a project ends all of 50 leases, and their drafts are deleted 30 days later", async () => {
  const { project, tasks, dataset } = await makeTasks(org, 51);
  const held = await Promise.all(tasks.slice(0, 50).map((uid, at) => begin(uid, at % 2 ? ana : ben)));
  expect((await call("POST", `/projects/${project}/cancel/`)).status).toBe(200);
  await Promise.all([runJobs([endLost]), runJobs([endLost])]);
  const after = await prisma.task.findMany({ where: { projectId: project }, include: { draft: true, item: true } });
  expect(after).toHaveLength(51);
  for (const task of after) {
    expect(task).toMatchObject(free);
    expect(task.item.status).toBe("unattempted");
  }
  const ended = after.flatMap(({ draft }) => draft ?? []);
  expect(ended.map(({ endedAt }) => endedAt)).toEqual(Array.from({ length: 50 }, () => expect.any(Date)));
  const [first = ""] = tasks;
  const late = await saveDraft(first, held[0] ?? { who: ana, lease: "", client: "" }, 2, 1, [
    put(makeBox(randomUUID())),
  ]);
  expect([late.status, late.body.code]).toEqual([409, "lease_lost"]);
  const batch = await prisma.workBatch.aggregate({ where: { projectId: project }, _sum: { startedCount: true } });
  expect(batch._sum.startedCount).toBe(0);
  expect((await call<ProjectResource>("GET", `/projects/${org.slug}/${project}/`)).body.status).toBe("canceled");
  const item = after[0]?.itemId ?? "";
  const shown = await call<ItemResource>("GET", `/datasets/${org.slug}/${dataset}/items/${item}/`);
  expect(shown.body.status).toBe("unattempted");
  const days = (count: number) => new Date(Date.now() - count * 24 * 60 * 60_000);
  const drafts = { task: { projectId: project } };
  await prisma.taskDraft.updateMany({ where: drafts, data: { endedAt: days(29) } });
  await deleteEndedDrafts();
  expect(await prisma.taskDraft.count({ where: drafts })).toBe(50);
  await prisma.taskDraft.updateMany({ where: drafts, data: { endedAt: days(31) } });
  await deleteEndedDrafts();
  expect(await prisma.taskDraft.count({ where: drafts })).toBe(0);
});
