import { beforeAll, expect, test } from "vitest";
import type { WorkBatchResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** When a batch is due, and who gets what nobody has begun of it. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
let project: string;
let tasks: string[];
let batch: string;
const call = requestsWith(() => org.key);
const due = "2026-03-01T12:00:00.000Z";

beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
  ({ project, tasks } = await makeTasks(org, 3));
  ({ uid: batch } = await prisma.workBatch.findFirstOrThrow({ where: { projectId: project } }));
  await call("POST", `/tasks/${tasks[0]}/open/`, {}, ben.key);
});

const update = (body: object, key = org.key) => call<WorkBatchResource>("PATCH", `/work-batches/${batch}/`, body, key);
const listAssignees = async () =>
  (await prisma.task.findMany({ where: { batchId: batch }, orderBy: { uid: "asc" } })).map((task) => task.assigneeId);

test("assigns the tasks that nobody has begun, and keeps when the batch is due", async () => {
  const { status, body } = await update({ assignee: ana.username, due });
  expect([status, body.due]).toEqual([200, due]);
  expect(await listAssignees()).toEqual([ben.uid, ana.uid, ana.uid]);
  const [entry] = await prisma.auditEntry.findMany({
    where: { organizationId: org.uid, action: "work_batch.updated" },
    orderBy: { uid: "desc" },
  });
  expect(entry?.after).toMatchObject({ due, assignee: ana.username, count: 2 });
});

test("what is left out stays as it is, and null takes it back", async () => {
  expect((await update({ assignee: null })).body.due).toBe(due);
  expect(await listAssignees()).toEqual([ben.uid, null, null]);
  expect((await update({})).body.due).toBe(due);
  expect((await createTrpcCaller(org).batches.update({ uid: batch, due: null })).due).toBeNull();
});

test("refuses strangers, times that are none, and whoever is no admin", async () => {
  const stranger = await addMember(await makeOrganization());
  for (const body of [{ assignee: stranger.uid }, { assignee: "nobody-here" }, { due: "soon" }])
    expect((await update(body)).status).toBe(400);
  expect((await update({ due }, ana.key)).status).toBe(403);
  const foreign = createTrpcCaller(await makeOrganization());
  await expect(foreign.batches.update({ uid: batch, due })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("assigns only annotators, and nothing of a project that is over", async () => {
  await prisma.project.update({ where: { uid: project }, data: { annotatorsOpen: false } });
  expect((await update({ assignee: ana.uid })).status).toBe(400);
  await prisma.project.update({ where: { uid: project }, data: { annotatorsOpen: true, status: "archived" } });
  expect((await update({ assignee: ana.uid })).status).toBe(400);
  expect(await listAssignees()).toEqual([ben.uid, null, null]);
});
