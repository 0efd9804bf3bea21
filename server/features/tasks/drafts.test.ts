import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { ProjectResource } from "@/server/features/projects/resource";
import { deleteEndedDrafts, releaseLeftDrafts } from "@/server/features/tasks/kept-drafts-service";
import type { DraftResource } from "@/server/features/tasks/labelling-resource";
import { releaseLeases } from "@/server/features/tasks/lease-service";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { databaseMs } from "@/server/platform/clock";
import { prisma } from "@/server/platform/db";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeBox as box, nextTask as next, put, saveDraft as save, startLabelling } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** What is drawn on a task before it is submitted: nothing is lost, doubled or overwritten. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
});
const call = requestsWith(() => org.key);

const start = () => startLabelling(org, ana);
const read = async (uid: string) => (await call<DraftResource>("GET", `/tasks/${uid}/draft/`)).body;
const endLease = (uid: string) =>
  prisma.task.update({ where: { uid }, data: { leaseUntil: new Date(databaseMs() - 60_000) } });
const stored = (uid: string) => prisma.taskDraft.findUniqueOrThrow({ where: { taskId: uid } });

describe("a draft", () => {
  test("holds the shapes that were put, placed and not dropped, in their order, and says who changed it last", async () => {
    const { uid, labeller: client, draft } = await start();
    expect([draft, await read(uid)]).toEqual([null, { version: 0, by: null, shapes: [], updated_at: null }]);
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const first = [put(box(a)), put(box(b, 2, 1)), put(box(c, 3, 2))];
    expect((await save(uid, client, 3, 0, first)).body).toEqual({ version: 1, n: 3 });
    const rest = [
      { op: "place", id: a, position: 5 },
      { op: "drop", id: b },
      { op: "place", id: b, position: 9 },
      { op: "drop", id: randomUUID() },
      put(box(c, 4, 2)),
      { op: "place", id: c, position: 2.5 },
    ];
    expect((await save(uid, client, 9, 1, rest)).body).toEqual({ version: 2, n: 9 });
    const shapes = [box(c, 4, 2.5), box(a, 1, 5)];
    expect(await read(uid)).toMatchObject({ version: 2, by: ana.username, shapes });
    const editor = await createTrpcCaller(org, ben).tasks.editor({ uid });
    expect(editor.draft).toMatchObject({ version: 2, by: ana.username, shapes });
    const bytes = shapes.reduce((sum, shape) => sum + JSON.stringify(shape).length, 0);
    const { bytes: counted, shapeCount } = await stored(uid);
    expect([shapeCount, Math.abs(counted - bytes) < 10]).toEqual([2, true]);
  });

  test("takes a request once: what arrives again, alone or with more, changes nothing twice", async () => {
    const { uid, labeller: client } = await start();
    const [a, b] = [randomUUID(), randomUUID()];
    const one = await save(uid, client, 1, 0, [put(box(a))]);
    expect((await save(uid, client, 1, 0, [put(box(a, 99))])).body).toEqual(one.body);
    // The answer was lost, and the same changes come with another one.
    const more = [put(box(a)), { op: "drop", id: a }, put(box(b))];
    expect((await save(uid, client, 3, 0, more)).body).toEqual({ version: 2, n: 3 });
    expect((await save(uid, client, 2, 0, more.slice(0, 2))).body).toEqual({ version: 2, n: 3 });
    expect((await read(uid)).shapes).toEqual([box(b)]);
    const twice = await Promise.all([1, 2, 3].map(() => save(uid, client, 4, 2, [put(box(b, 7))])));
    expect(twice.map(({ body }) => body)).toEqual([1, 2, 3].map(() => ({ version: 3, n: 4 })));
  });

  test("is not written over by who has not seen what others did", async () => {
    const { uid, labeller: client } = await start();
    const [a, b] = [randomUUID(), randomUUID()];
    await save(uid, client, 1, 0, [put(box(a))]);
    const other = { ...client, client: randomUUID() };
    const moved = { status: 409, body: { code: "draft_moved", version: 1 } };
    expect(await save(uid, other, 1, 0, [put(box(a, 50))])).toMatchObject(moved);
    expect(await save(uid, other, 1, 2, [put(box(a, 50))])).toMatchObject(moved);
    expect((await save(uid, other, 1, 1, [put(box(b))])).body).toEqual({ version: 2, n: 1 });
    expect(await save(uid, client, 2, 1, [{ op: "drop", id: a }])).toMatchObject({ body: { version: 2 } });
    // What it sent before is still known by its own version.
    expect((await save(uid, client, 1, 0, [put(box(a))])).body).toEqual({ version: 1, n: 1 });
    expect((await read(uid)).shapes).toHaveLength(2);
  });

  test("keeps its label: one that is left out of the project is retired, and removed once nothing has it", async () => {
    const { uid, project, labeller } = await start();
    const id = randomUUID();
    await save(uid, labeller, 1, 0, [put(box(id))]);
    const change = async (labels: object[]) =>
      (await call<ProjectResource>("PATCH", `/projects/${org.slug}/${project}/`, { labels })).body.labels;
    const van = { name: "van" };
    expect(await change([van])).toMatchObject([van, { id: "0", name: "car", retired: true }]);
    await save(uid, labeller, 2, 1, [put({ ...box(id), label_id: "1" })]);
    expect(await change([van])).toMatchObject([{ ...van, id: "1" }]);
  });

  test("remembers the hundred clients that changed it last", async () => {
    const { uid, labeller: client } = await start();
    await save(uid, client, 1, 0, []);
    for (let at = 0; at < 102; at++)
      await save(uid, { ...client, client: randomUUID() }, 1, at, [put(box(randomUUID()))]);
    const { clients } = await stored(uid);
    expect(Object.keys(clients ?? {})).toHaveLength(100);
  });

  test("names the change that is wrong, and has limits", async () => {
    const { uid, labeller: client } = await start();
    const id = randomUUID();
    const wrong = { ...box(id), coordinates: { x: 0, y: 0, width: -1, height: 1 } };
    const ops = [put(box(id)), put(box(id)), put(box(id)), { op: "put", id, shape: wrong }];
    const refused = await save(uid, client, 4, 0, ops);
    expect([refused.status, refused.body.ops[0]]).toEqual([
      400,
      expect.stringMatching(/^3\.shape\.coordinates\.width: /),
    ]);
    for (const bad of [
      { op: "put", id: randomUUID(), shape: box(id) },
      {
        op: "put",
        id,
        shape: {
          ...box(id),
          type: "polygon",
          coordinates: {
            points: [
              [0, 0],
              [1, 1],
            ],
          },
        },
      },
      { op: "place", id, position: "NaN" },
      { op: "erase", id },
    ])
      expect((await save(uid, client, 1, 0, [bad])).status).toBe(400);
    expect((await save(uid, client, 0, 0, [put(box(id))])).status).toBe(400);
    const large = Array.from({ length: 20 }, () => {
      const text = "x".repeat(60 * 1024);
      return put({ ...box(randomUUID()), attributes: { text } });
    });
    expect((await save(uid, client, 20, 0, large)).status).toBe(413);
    expect((await read(uid)).version).toBe(0);
    await save(uid, client, 1, 0, [put(box(id))]);
    await prisma.taskDraft.update({ where: { taskId: uid }, data: { shapeCount: 10_000 } });
    expect((await save(uid, client, 2, 1, [put(box(randomUUID()))])).body.ops).toEqual([
      "A draft has at most 10000 shapes.",
    ]);
    expect((await save(uid, client, 2, 1, [put(box(id, 3))])).status).toBe(200);
    await prisma.taskDraft.update({ where: { taskId: uid }, data: { bytes: 8 * 1024 * 1024 } });
    expect((await save(uid, client, 3, 2, [put(box(randomUUID()))])).status).toBe(400);
    expect((await read(uid)).shapes).toEqual([box(id, 3)]);
  });
});

describe("saving a draft", () => {
  test("renews the lease, and counts the seconds of work", async () => {
    const { uid, labeller: client } = await start();
    const until = new Date(databaseMs() + 60_000);
    await prisma.task.update({ where: { uid }, data: { leaseUntil: until } });
    await save(uid, client, 1, 0, [put(box(randomUUID()))], 40);
    const { leaseUntil, seconds } = await prisma.task.findUniqueOrThrow({ where: { uid } });
    expect([leaseUntil !== null && leaseUntil > until, seconds]).toEqual([true, 40]);
  });

  test("goes on after the lease was over, also when the task waits again, unless somebody else got it", async () => {
    const { project, uid, labeller: client } = await start();
    await endLease(uid);
    const a = randomUUID();
    expect((await save(uid, client, 1, 0, [put(box(a))])).status).toBe(200);
    await endLease(uid);
    await releaseLeases();
    // Who drew something is given the task again.
    const task = async () => (await call<TaskResource>("GET", `/tasks/${uid}/`)).body;
    expect(await task()).toMatchObject({ state: "todo", assignee: ana.username });
    expect((await next(project, ben)).status).toBe(204);
    expect((await save(uid, client, 2, 1, [put(box(a, 2))])).body).toEqual({ version: 2, n: 2 });
    expect(await task()).toMatchObject({ state: "in_work", assignee: ana.username });
    await call("POST", `/projects/${project}/pause/`);
    await endLease(uid);
    await releaseLeases();
    expect((await save(uid, client, 3, 2, [put(box(a, 3))])).status).toBe(200);
    await call("POST", `/projects/${project}/resume/`);
    await call("PATCH", `/tasks/${uid}/`, { assignee: ben.username });
    const lost = await save(uid, client, 4, 3, [put(box(a, 4))]);
    expect(lost).toMatchObject({ status: 409, body: { code: "lease_lost", by: null } });
    const given = (await next(project, ben)).body;
    expect(given).toMatchObject({ task: { uid }, draft: { version: 3, by: ana.username, shapes: [box(a, 3)] } });
    expect(await save(uid, client, 4, 3, [])).toMatchObject({ status: 409, body: { by: ben.username } });
  });

  test("keeps a task for who began it for seven days, and then gives it to others with what is drawn", async () => {
    const { project, uid, labeller: client } = await start();
    await save(uid, client, 1, 0, [put(box(randomUUID()))]);
    await endLease(uid);
    await releaseLeases();
    await releaseLeftDrafts();
    expect((await next(project, ben)).status).toBe(204);
    const updatedAt = new Date(databaseMs() - 7 * 24 * 60 * 60_000 - 1_000);
    await prisma.taskDraft.update({ where: { taskId: uid }, data: { updatedAt } });
    expect(await releaseLeftDrafts()).toBeGreaterThan(0);
    expect((await next(project, ben)).body).toMatchObject({ task: { uid }, draft: { version: 1 } });
  });

  test("ends with the task: it is kept for 30 days, and goes on when the task comes back", async () => {
    const { uid, labeller: client } = await start();
    await save(uid, client, 1, 0, [put(box(randomUUID()))]);
    const annotations = [{ label: "car", type: "classification", coordinates: {} }];
    const submit = () => call<ResultResource>("POST", `/tasks/${uid}/results/`, { annotations }, ana.key);
    const result = (await submit()).body.uid;
    expect((await stored(uid)).endedAt).not.toBeNull();
    await call("POST", `/results/${result}/reject/`, {});
    expect(await stored(uid)).toMatchObject({ endedAt: null, fromResult: result });
    await submit();
    await deleteEndedDrafts();
    expect((await read(uid)).shapes).toHaveLength(1);
    const endedAt = new Date(databaseMs() - 30 * 24 * 60 * 60_000 - 1_000);
    await prisma.taskDraft.update({ where: { taskId: uid }, data: { endedAt } });
    await deleteEndedDrafts();
    expect(await read(uid)).toMatchObject({ version: 0, shapes: [] });
    expect(await prisma.draftShape.count({ where: { taskId: uid } })).toBe(0);
  });

  test("is refused to read-only members, to people who may not work on the task, and with another lease", async () => {
    const { uid, labeller: client } = await start();
    const viewer = await addMember(org, "member", { readOnly: true });
    const other = await start();
    const ops = [put(box(randomUUID()))];
    expect((await save(uid, { ...client, who: viewer }, 1, 0, ops)).status).toBe(403);
    expect((await save(uid, { ...client, lease: other.labeller.lease }, 1, 0, ops)).status).toBe(409);
    expect((await save(randomUUID(), client, 1, 0, ops)).status).toBe(404);
    await call("POST", `/tasks/${uid}/results/`, { annotations: [] }, ana.key);
    expect(await save(uid, client, 1, 0, ops)).toMatchObject({ status: 409, body: { by: null } });
  });
});
