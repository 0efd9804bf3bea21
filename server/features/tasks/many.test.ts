import { beforeAll, describe, expect, test } from "vitest";
import type { ChangedTasks } from "@/server/features/tasks/labelling-resource";
import type { WorkBatchResource } from "@/server/features/tasks/resource";
import { lockTasks } from "@/server/features/tasks/service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, transaction } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { uuidv7 } from "@/server/platform/uid";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** What is done with many tasks at once. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
});
const call = requestsWith(() => org.key);

type Verb = "assign" | "prioritise" | "release" | "unskip";
const many = (verb: Verb, body: object, key?: string) => call<ChangedTasks>("POST", `/tasks/${verb}/`, body, key);
const read = (uid = "") => prisma.task.findUniqueOrThrow({ where: { uid } });

describe("assigning", () => {
  test("gives tasks to a member and ends the lease of another; what is done is named and left", async () => {
    const { tasks } = await makeTasks(org, 3);
    const [first = "", second = "", third = ""] = tasks;
    await call("POST", `/tasks/${first}/open/`, { lease: true }, ben.key);
    await call("POST", `/tasks/${third}/results/`, { annotations: [] });
    const unknown = await many("assign", { uids: [first, uuidv7()], assignee: ana.username });
    expect([unknown.status, unknown.body]).toEqual([400, { uids: ["1: There is no such task."] }]);
    const { status, body } = await many("assign", { uids: [first, second, third], assignee: ana.username });
    expect([status, body]).toEqual([
      200,
      {
        changed: 2,
        failed: [{ uid: third, error: "This task is completed." }],
      },
    ]);
    expect(await read(first)).toMatchObject({
      assigneeId: ana.uid,
      assignedBy: "admin",
      leaseUser: null,
      leaseHash: null,
    });
    expect(await read(second)).toMatchObject({ assigneeId: ana.uid, status: "pending" });
    const [entry] = await prisma.auditEntry.findMany({ where: { action: "tasks.assigned" }, orderBy: { uid: "desc" } });
    expect(entry?.after).toEqual({ assignee: ana.username, count: 2 });
    await many("assign", { uids: [second], assignee: null });
    expect(await read(second)).toMatchObject({ assigneeId: null, assignedBy: null });
  });

  test("a member takes at most twenty for themselves, none of another's, and gives none to others", async () => {
    const { tasks } = await makeTasks(org, 22);
    const as = (body: object) => many("assign", body, ana.key);
    expect((await as({ uids: tasks.slice(0, 1), assignee: ben.username })).status).toBe(403);
    expect((await as({ uids: tasks.slice(0, 21), assignee: ana.username })).status).toBe(400);
    await many("assign", { uids: tasks.slice(0, 1), assignee: ben.username });
    const taken = await as({ uids: tasks.slice(0, 20), assignee: ana.uid });
    expect(taken.body).toEqual({
      changed: 19,
      failed: [{ uid: tasks[0], error: `It is assigned to ${ben.username}.` }],
    });
    expect(await read(tasks[5])).toMatchObject({ assigneeId: ana.uid, assignedBy: "self" });
    expect((await as({ uids: tasks.slice(1, 3), assignee: null })).body.changed).toBe(2);
    for (const verb of ["prioritise", "release", "unskip"] as const)
      expect((await many(verb, { uids: tasks, priority: 1 }, ana.key)).status).toBe(403);
  });
});

describe("a filter", () => {
  test("is applied only while it holds what the caller saw", async () => {
    const { project, tasks } = await makeTasks(org, 3);
    await many("assign", { uids: tasks.slice(0, 1), assignee: ana.username });
    const filter = { tab: "unassigned", project };
    const moved = await many("prioritise", { filter, expected: 3, priority: 7 });
    expect([moved.status, moved.body]).toMatchObject([409, { code: "count", expected: 3, now: 2 }]);
    expect(await read(tasks[1])).toMatchObject({ priority: 0 });
    expect((await many("prioritise", { filter, expected: 2, priority: 7 })).body).toEqual({ changed: 2, failed: [] });
    expect(await Promise.all(tasks.map(async (uid) => (await read(uid)).priority))).toEqual([0, 7, 7]);
    for (const body of [{}, { filter }, { filter, uids: tasks, expected: 2 }, { uids: ["x"] }])
      expect((await many("prioritise", { ...body, priority: 1 })).status).toBe(400);
    for (const priority of [101, -101, 1.5, "1"])
      expect((await many("prioritise", { uids: tasks, priority })).status).toBe(400);
  });
});

test("releasing ends leases, and counts what is begun once", async () => {
  const { project, tasks } = await makeTasks(org, 3);
  for (const uid of tasks.slice(0, 2)) await call("POST", `/tasks/${uid}/open/`, { lease: true }, ana.key);
  const released = await createTrpcCaller(org).tasks.releaseMany({ uids: tasks });
  expect(released).toEqual({ changed: 2, failed: [{ uid: tasks[2], error: "Nobody works on it." }] });
  expect(await read(tasks[0])).toMatchObject({ status: "pending", assigneeId: null, leaseUser: null });
  const batches = (await call<Page<WorkBatchResource>>("GET", `/work-batches/?project=${project}`)).body.results;
  expect(batches).toMatchObject([{ started_count: 0, completed_count: 0 }]);
});

test("unskipping has tasks of several projects labelled, counts each back once, and makes completed projects active", async () => {
  const both = await Promise.all([makeTasks(org, 2), makeTasks(org, 2)]);
  const uids = both.flatMap(({ tasks }) => tasks);
  const [first = "", second = "", third = "", fourth = ""] = uids;
  await many("assign", { uids: [second], assignee: ana.username });
  for (const uid of [first, second, third]) await call("POST", `/tasks/${uid}/skip/`, { reason: "damaged" });
  const of = async () =>
    (
      await prisma.project.findMany({
        where: { uid: { in: both.map(({ project }) => project) } },
        orderBy: { uid: "asc" },
      })
    ).map(({ status, completedCount, skippedCount }) => [status, completedCount, skippedCount]);
  const counts = async () => (await of()).toSorted();
  expect(await counts()).toEqual([
    ["active", 1, 1],
    ["completed", 2, 2],
  ]);
  const unskipped = await Promise.all([many("unskip", { uids }), many("unskip", { uids })]);
  expect(unskipped.map(({ body }) => body.changed).toSorted()).toEqual([0, 3]);
  const notSkipped = { uid: fourth, error: "This task is not skipped." };
  expect(unskipped.map(({ body }) => body.failed)).toContainEqual([notSkipped]);
  expect(await counts()).toEqual([
    ["active", 0, 0],
    ["active", 0, 0],
  ]);
  for (const uid of [first, third])
    expect(await read(uid)).toMatchObject({ status: "pending", skipReason: null, assigneeId: null });
  expect(await read(second)).toMatchObject({ status: "pending", assigneeId: ana.uid });
  const entries = await prisma.auditEntry.findMany({ where: { action: "tasks.unskipped", organizationId: org.uid } });
  expect(
    entries.map(({ after }) => after).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
  ).toEqual([{ count: 1 }, { count: 2 }]);
  await call("POST", `/tasks/${fourth}/skip/`, { reason: "damaged" });
  await call("POST", `/projects/${both[1].project}/cancel/`);
  expect((await many("unskip", { uids: [fourth] })).body).toEqual({
    changed: 0,
    failed: [{ uid: fourth, error: "Its project is canceled." }],
  });
});

test("tasks of another organization are not found, and stay as they are", async () => {
  const { tasks } = await makeTasks(org, 1);
  const other = await makeOrganization();
  expect((await many("assign", { uids: tasks, assignee: other.owner.username }, other.key)).status).toBe(400);
  expect(await read(tasks[0])).toMatchObject({ assigneeId: null });
});

test("tasks are locked until the end of the transaction that changes them", async () => {
  const { first } = await makeTasks(org, 1);
  await transaction(org.ctx, async (tx) => {
    await lockTasks(tx, [first]);
    const another = execute(org.ctx, Prisma.sql`select uid from tasks where uid = ${first} for update nowait`);
    await expect(another).rejects.toThrow("could not obtain lock");
  });
});

test("skipping many leaves out those that wait, each for its reason, and names those that somebody works on", async () => {
  const { project, tasks } = await makeTasks(org, 4);
  const [first = "", second = "", third = "", fourth = ""] = tasks;
  await call("POST", `/tasks/${third}/open/`, { lease: true }, ana.key);
  await call("POST", `/tasks/${fourth}/skip/`, { reason: "damaged" });
  const skipMany = (given: Parameters<ReturnType<typeof createTrpcCaller>["tasks"]["skipMany"]>[0]) =>
    createTrpcCaller(org).tasks.skipMany(given);
  const changed = await skipMany({
    tasks: [
      { uid: first, reason: "unclear" },
      { uid: second, reason: "other", text: "not our yard" },
      { uid: third, reason: "damaged" },
      { uid: fourth, reason: "damaged" },
    ],
  });
  expect(changed).toEqual({
    changed: 2,
    failed: [
      { uid: third, error: `${ana.username} works on this task.` },
      { uid: fourth, error: "This task is skipped." },
    ],
  });
  expect([await read(first), await read(second)]).toMatchObject([
    { status: "completed", skipReason: "unclear", skipText: "" },
    { status: "completed", skipReason: "other", skipText: "not our yard" },
  ]);
  expect(await prisma.project.findUniqueOrThrow({ where: { uid: project } })).toMatchObject({
    completedCount: 3,
    skippedCount: 3,
  });
  await expect(skipMany({ tasks: [{ uid: first, reason: "other" }] })).rejects.toMatchObject({ code: "BAD_REQUEST" });
});
