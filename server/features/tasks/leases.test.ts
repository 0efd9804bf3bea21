import { beforeAll, describe, expect, test } from "vitest";
import type { ItemResource } from "@/server/features/datasets/resource";
import type { LeaseResource, OpenedTask, TaskForEditor } from "@/server/features/tasks/labelling-resource";
import { releaseLeases } from "@/server/features/tasks/lease-service";
import type { ResultResource, TaskResource, WorkBatchResource } from "@/server/features/tasks/resource";
import { databaseMs } from "@/server/platform/clock";
import { prisma } from "@/server/platform/db";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** Who works on what: leases of tasks, and which task is given out next. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
});
const call = requestsWith(() => org.key);

const next = (project: string, who: TestMember, body: object = {}) =>
  call<TaskForEditor>("POST", "/tasks/next/", { project, ...body }, who.key);
const nextUid = async (project: string, who: TestMember, body: object = {}) => {
  const { status, body: found } = await next(project, who, body);
  return status === 204 ? null : found.task.uid;
};
const open = (uid: string, who: TestMember, lease = true) =>
  call<OpenedTask>("POST", `/tasks/${uid}/open/`, { lease }, who.key);
const takeOver = (uid: string, who: { key: string }) =>
  call<LeaseResource>("POST", `/tasks/${uid}/take-over/`, undefined, who.key);
const held = (uid: string, verb: "renew" | "release", lease: string | undefined, who: { key: string }, seconds = 0) =>
  call<LeaseResource & { code: string; by: string | null }>(
    "POST",
    `/tasks/${uid}/${verb}/`,
    { lease, seconds },
    who.key,
  );
const read = async (uid: string) => (await call<TaskResource>("GET", `/tasks/${uid}/`)).body;
const inMinutes = (minutes: number) => new Date(databaseMs() + minutes * 60_000);
const endLease = (uid: string) => prisma.task.update({ where: { uid }, data: { leaseUntil: inMinutes(-1) } });

describe("a lease", () => {
  test("belongs to one page: others learn who has it and until when, and nobody else renews or releases it", async () => {
    const { first } = await makeTasks(org, 1);
    const opened = await open(first, ana);
    expect([opened.status, opened.body.state, opened.body.assignee]).toEqual([200, "in_work", ana.username]);
    const token = opened.body.lease?.token;
    const taken = { code: "lease_taken", by: ana.username, until: opened.body.lease?.until };
    for (const who of [ben, ana, org.owner]) {
      const refused = await open(first, who);
      expect([refused.status, refused.body]).toMatchObject([409, taken]);
    }
    expect((await takeOver(first, ben)).body).toMatchObject(taken);
    expect(await held(first, "renew", "0".repeat(64), ben)).toMatchObject({
      status: 409,
      body: { code: "lease_lost", by: ana.username },
    });
    expect((await held(first, "renew", token, ana, 60)).status).toBe(200);
    expect((await prisma.task.findUniqueOrThrow({ where: { uid: first } })).seconds).toBe(60);
    const released = await held(first, "release", token, ana, 30);
    expect([released.status, released.body]).toMatchObject([200, { state: "todo", assignee: null }]);
    expect((await prisma.task.findUniqueOrThrow({ where: { uid: first } })).seconds).toBe(90);
    expect((await held(first, "renew", token, ana)).body).toMatchObject({ code: "lease_lost", by: null });
    expect((await open(first, ben)).status).toBe(200);
  });

  test("is taken over by the same person and by admins, and the page that had it learns by whom", async () => {
    const { first } = await makeTasks(org, 1);
    const one = (await open(first, ana)).body.lease?.token;
    const two = (await takeOver(first, ana)).body.token;
    expect((await held(first, "renew", one, ana)).body).toMatchObject({ code: "lease_lost", by: ana.username });
    expect((await held(first, "renew", two, ana)).status).toBe(200);
    expect((await takeOver(first, org)).status).toBe(200);
    expect((await held(first, "release", two, ana)).body).toMatchObject({ code: "lease_lost", by: org.owner.username });
    expect((await read(first)).assignee).toBe(org.owner.username);
  });

  test("that is over is not renewed, and its task waits again with its counts, but stays with whom an admin chose", async () => {
    const { first, tasks, dataset } = await makeTasks(org, 2);
    const chosen = tasks[1] ?? "";
    await call("PATCH", `/tasks/${chosen}/`, { assignee: ana.username });
    const token = (await open(first, ana)).body.lease?.token;
    await open(chosen, ana);
    const ours = async () => Promise.all([read(first), read(chosen)]);
    await releaseLeases();
    expect((await ours()).map(({ state }) => state)).toEqual(["in_work", "in_work"]);
    await Promise.all([endLease(first), endLease(chosen)]);
    expect((await held(first, "renew", token, ana)).body).toMatchObject({ code: "lease_lost", by: null });
    await Promise.all([releaseLeases(), releaseLeases()]);
    const [own, given] = await ours();
    expect([own.state, own.assignee, given.state, given.assignee]).toEqual(["todo", null, "todo", ana.username]);
    const batch = (await call<WorkBatchResource>("GET", `/work-batches/${own.work_batch}/`)).body;
    expect([batch.started_count, batch.status]).toEqual([0, "pending"]);
    const item = await call<ItemResource>("GET", `/datasets/${org.slug}/${dataset}/items/${own.dataset_item}/`);
    expect(item.body.status).toBe("ready_for_annotation");
  });

  test("ends when the task is submitted or assigned to somebody else, and is not given while the project is paused", async () => {
    const { project, tasks } = await makeTasks(org, 3);
    const [submitted = "", given = "", paused = ""] = tasks;
    const tokens = await Promise.all([submitted, given].map(async (uid) => (await open(uid, ana)).body.lease?.token));
    await call("POST", `/tasks/${submitted}/results/`, { annotations: [] }, ana.key);
    await call("PATCH", `/tasks/${given}/`, { assignee: ben.username });
    expect((await held(submitted, "renew", tokens[0], ana)).body).toMatchObject({ code: "lease_lost" });
    const lost = await createTrpcCaller(org, org.owner)
      .tasks.renew({ uid: given, lease: tokens[1] ?? "", seconds: 0 })
      .catch((error: unknown) => error);
    expect(lost).toMatchObject({ code: "CONFLICT" });
    await call("POST", `/projects/${project}/pause/`);
    expect([(await open(paused, ana)).status, (await open(given, ben)).status]).toEqual([400, 400]);
    expect((await next(project, ana)).status).toBe(400);
    expect(await releaseLeases(inMinutes(-60))).toBe(0);
  });
});

describe("the next task", () => {
  test("is one's own in work, then one's rework, then what is assigned, then what nobody has, by priority", async () => {
    const { project, tasks } = await makeTasks(org, 6);
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = tasks;
    const submitted = await call<ResultResource>("POST", `/tasks/${a}/results/`, { annotations: [] }, ana.key);
    await call("PATCH", `/tasks/${a}/`, { assignee: ana.username });
    await call("POST", `/results/${submitted.body.uid}/reject/`, {});
    await open(b, ana, false);
    await call("PATCH", `/tasks/${c}/`, { assignee: ana.username });
    await call("PATCH", `/tasks/${d}/`, { assignee: ben.username });
    await prisma.task.update({ where: { uid: f }, data: { priority: 5 } });
    const got: (string | null)[] = [];
    for (let at = 0; at < 6; at++) got.push(await nextUid(project, ana));
    expect(got).toEqual([b, a, c, f, e, null]);
    expect(await nextUid(project, ben)).toBe(d);
  });

  test("comes with its item, labels, place and earlier results, passes over what is named, and leaves nothing begun behind", async () => {
    const { project, tasks } = await makeTasks(org, 2);
    const [first = "", second = ""] = tasks;
    const given = (await next(project, ana, { not: [first] })).body;
    expect(given).toMatchObject({
      task: { uid: second, state: "in_work", assignee: ana.username },
      item: { uid: given.task.dataset_item, metadata: { width: 64, height: 48 } },
      project: { uid: project, status: "active", labels: [{ name: "car" }] },
      earlier: [],
      lease: { token: expect.stringMatching(/^[0-9a-f]{64}$/) },
      place: { batch: 1, at: 2, of: 2 },
    });
    const shown = await call<TaskForEditor>("GET", `/tasks/${second}/editor/`, undefined, ben.key);
    expect([shown.status, shown.body.lease, shown.body.task.uid]).toEqual([200, null, second]);
    await call("PATCH", `/tasks/${second}/`, { assignee: null });
    expect(await nextUid(project, ben)).toBe(second);
  });

  test("is named ahead, without being taken, to those who may be given it", async () => {
    const { project, tasks } = await makeTasks(org, 3);
    const [first = "", second = "", third = ""] = tasks;
    const viewer = await addMember(org, "member", { readOnly: true });
    const hint = async (uid: string, { key }: { key: string }) =>
      (await call<TaskForEditor>("GET", `/tasks/${uid}/editor/`, undefined, key)).body.next_hint;
    const given = (await next(project, ana)).body;
    expect([given.task.uid, given.next_hint]).toEqual([first, second]);
    expect([await hint(first, ben), await hint(first, viewer), (await read(second)).state]).toEqual([
      second,
      null,
      "todo",
    ]);
    await call("PATCH", `/tasks/${second}/`, { assignee: ben.uid });
    expect([await hint(first, ana), await hint(first, ben)]).toEqual([third, second]);
    expect(await nextUid(project, ana)).toBe(third);
    expect(await hint(third, ana)).toBeNull();
    await call("POST", `/tasks/${second}/results/`, { annotations: [] });
    expect(await hint(second, ana)).toBeNull();
  });

  test("is given to one of many who ask at once, until there is none", async () => {
    const { project, tasks } = await makeTasks(org, 30);
    const people = [ana, ben, org.owner];
    const got: string[] = [];
    const work = async (who: TestMember) => {
      for (;;) {
        const uid = await nextUid(project, who);
        if (uid === null) return;
        got.push(uid);
      }
    };
    await Promise.all(Array.from({ length: 9 }, (_, at) => work(people[at % 3] ?? ana)));
    expect(got.toSorted()).toEqual(tasks.toSorted());
  });

  test("is refused to read-only members and for a project of nobody's", async () => {
    const { project } = await makeTasks(org, 1);
    const viewer = await addMember(org, "member", { readOnly: true });
    expect((await next(project, viewer)).status).toBe(403);
    expect((await next("00000000-0000-7000-8000-000000000001", ana)).status).toBe(400);
  });
});
