import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { isSampled } from "@/domain/tasks/sampling";
import type { ProjectResource } from "@/server/features/projects/resource";
import { decideResult } from "@/server/features/tasks/decision-service";
import type { ResultResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeTasks } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** Projects of which a share is reviewed. */

let org: TestOrganization;
let labeller: TestMember;
let reviewer: TestMember;
/** A subscription to acceptances. */
let hook: string;
beforeAll(async () => {
  org = await makeOrganization();
  [labeller, reviewer] = await Promise.all([addMember(org), addMember(org, "admin")]);
  const body = { target_url: "https://example.com/samples", events: ["result.accepted"] };
  hook = (await call<{ uid: string }>("POST", "/webhooks/", body)).body.uid;
});
const call = requestsWith(() => org.key);

const submit = async (task: string) =>
  (await call<ResultResource>("POST", `/tasks/${task}/results/`, { annotations: [] }, labeller.key)).body.uid;
const decide = (uid: string, verb: "accept" | "reject") => call("POST", `/results/${uid}/${verb}/`, {}, reviewer.key);

/** A project of one batch that reviews a share, with submitted results, of which the first ones are the sample. */
async function sampled(count: number, sample: number, change: object = {}) {
  const { project, tasks } = await makeTasks(org, count);
  const path = `/projects/${org.slug}/${project}/`;
  const patched = await call<ProjectResource>("PATCH", path, { review: "share", review_share: 20, ...change });
  expect([patched.status, patched.body]).toMatchObject([200, { review: "share", review_share: 20 }]);
  const uids: string[] = [];
  for (const [at, task] of tasks.entries()) {
    const uid = await submit(task);
    uids.push(uid);
    await prisma.result.update({ where: { uid }, data: { sampled: at < sample } });
  }
  const read = async () => {
    const rows = await prisma.result.findMany({ where: { projectId: project }, orderBy: { uid: "asc" } });
    const { body } = await call<ProjectResource>("GET", path);
    return {
      statuses: rows.map(({ status }) => status),
      sampled: rows.map((row) => row.sampled),
      by: rows.map(({ decidedBy }) => decidedBy),
      counts: [body.completed_task_count, body.accepted_count, body.rejected_count],
      // Where an event of the result is once, as it must be.
      events: await prisma.webhookDelivery.count({
        where: { subscriptionId: hook, objectId: { in: rows.map(({ uid }) => uid) } },
      }),
    };
  };
  return { project, tasks, uids, read };
}

test("who is in the sample follows from the uid and the share when a result is submitted", async () => {
  const { project, tasks } = await makeTasks(org, 12);
  await call("PATCH", `/projects/${org.slug}/${project}/`, { review: "share", review_share: 40 });
  for (const task of tasks.slice(1)) await submit(task);
  const rows = await prisma.result.findMany({ where: { projectId: project } });
  expect(rows).toHaveLength(11);
  for (const row of rows) expect(row.sampled).toBe(isSampled(row.uid, 40));
  for (const review_share of [0, 101, 1.5, "20"])
    expect((await call("PATCH", `/projects/${org.slug}/${project}/`, { review_share })).status).toBe(400);
});

describe("when a batch is done and its sample is decided,", () => {
  test("the rest is accepted once by the sample, if it was good enough", async () => {
    const { uids, read } = await sampled(5, 2);
    await decide(uids[0] ?? "", "accept");
    expect((await read()).counts).toEqual([5, 1, 0]);
    await decide(uids[1] ?? "", "accept");
    const by = "sample of batch 1";
    expect(await read()).toMatchObject({
      statuses: ["accepted", "accepted", "accepted", "accepted", "accepted"],
      by: [reviewer.username, reviewer.username, by, by, by],
      counts: [5, 5, 0],
      events: 5,
    });
    const audited = await prisma.auditEntry.findMany({ where: { targetId: uids[4], action: "result.accepted" } });
    expect(audited).toMatchObject([{ actorName: by }]);
    expect((await decide(uids[4] ?? "", "reject")).status).toBe(400);
  });

  test("the rest joins the sample if it was not; what came back is in it, too", async () => {
    const { tasks, uids, read } = await sampled(4, 2);
    await decide(uids[0] ?? "", "reject");
    await decide(uids[1] ?? "", "accept");
    expect((await read()).statuses).toEqual(["rejected", "accepted", "submitted", "submitted"]);
    const again = await submit(tasks[0] ?? "");
    expect((await read()).sampled).toEqual([true, true, false, false, true]);
    await decide(again, "accept");
    expect(await read()).toMatchObject({
      statuses: ["rejected", "accepted", "submitted", "submitted", "accepted"],
      sampled: [true, true, true, true, true],
      counts: [4, 2, 1],
    });
    for (const uid of uids.slice(2)) await decide(uid, "accept");
    expect((await read()).counts).toEqual([4, 4, 1]);
  });

  test("the target of the project says how good it has to be", async () => {
    const { tasks, uids, read } = await sampled(4, 2, { quality_target: { threshold: 0.6 } });
    await decide(uids[0] ?? "", "reject");
    await decide(uids[1] ?? "", "accept");
    await decide(await submit(tasks[0] ?? ""), "accept");
    expect((await read()).statuses).toEqual(["rejected", "accepted", "accepted", "accepted", "accepted"]);
  });

  test("one that was corrected counts as not accepted, and decisions of agents count", async () => {
    const { uids, read } = await sampled(3, 2);
    await decideResult(org.ctx, uids[0] ?? "", "accept", {});
    const revision = await call("POST", `/results/${uids[1]}/revise/`, { annotations: [], key: randomUUID() });
    expect(revision.status).toBe(200);
    expect((await read()).sampled.slice(0, 3)).toEqual([true, true, true]);
    expect((await read()).counts).toEqual([3, 2, 0]);

    const good = await sampled(3, 1);
    await decideResult(org.ctx, good.uids[0] ?? "", "accept", {});
    expect((await good.read()).statuses).toEqual(["accepted", "accepted", "accepted"]);
  });

  test("the last submission ends it, when the sample was decided before", async () => {
    const { project, tasks } = await makeTasks(org, 3);
    await call("PATCH", `/projects/${org.slug}/${project}/`, { review: "share", review_share: 1 });
    const [first, second] = [await submit(tasks[0] ?? ""), await submit(tasks[1] ?? "")];
    await prisma.result.update({ where: { uid: first }, data: { sampled: true } });
    await prisma.result.update({ where: { uid: second }, data: { sampled: false } });
    await decide(first, "accept");
    const last = await submit(tasks[2] ?? "");
    const rest = isSampled(last, 1) ? "submitted" : "accepted";
    const rows = await prisma.result.findMany({ where: { projectId: project }, orderBy: { uid: "asc" } });
    expect(rows.map(({ status }) => status)).toEqual(["accepted", rest, rest]);
  });

  test("a task that is skipped last ends it, too", async () => {
    const { project, tasks } = await makeTasks(org, 3);
    await call("PATCH", `/projects/${org.slug}/${project}/`, { review: "share", review_share: 20 });
    const [first, second] = [await submit(tasks[0] ?? ""), await submit(tasks[1] ?? "")];
    await prisma.result.update({ where: { uid: first }, data: { sampled: true } });
    await prisma.result.update({ where: { uid: second }, data: { sampled: false } });
    await decide(first, "accept");
    expect((await call("POST", `/tasks/${tasks[2]}/skip/`, { reason: "damaged" }, labeller.key)).status).toBe(200);
    expect(await prisma.result.findUnique({ where: { uid: second } })).toMatchObject({ status: "accepted" });
  });

  test("a batch of which nothing is in the sample gets one result, which speaks for it", async () => {
    const { tasks, uids, read } = await sampled(3, 0);
    await prisma.result.deleteMany({ where: { taskId: tasks[2] } });
    await prisma.result.updateMany({ where: { uid: { in: uids } }, data: { sampled: false } });
    await prisma.task.update({ where: { uid: tasks[2] }, data: { status: "pending" } });
    await prisma.workBatch.updateMany({ where: { tasks: { some: { uid: tasks[2] } } }, data: { completedCount: 2 } });
    await prisma.project.updateMany({
      where: { tasks: { some: { uid: tasks[2] } } },
      data: { completedCount: 2, status: "active", reviewShare: 1 },
    });
    uids[2] = await submit(tasks[2] ?? "");
    const after = await read();
    expect(after.sampled.filter((each) => each)).toHaveLength(1);
    expect(after.counts).toEqual([3, 0, 0]);
    await decide(uids[after.sampled.indexOf(true)] ?? "", "accept");
    expect((await read()).counts).toEqual([3, 3, 0]);
  });

  test("and the two last decisions come at once, the rest is accepted once", async () => {
    for (let round = 0; round < 5; round++) {
      const { uids, read } = await sampled(6, 2);
      const answers = await Promise.all(uids.slice(0, 2).map((uid) => decide(uid, "accept")));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await read()).toMatchObject({ counts: [6, 6, 0], events: 6 });
    }
  });
});

test("an acceptance that is taken back is decided again by a person", async () => {
  const { uids, read } = await sampled(2, 1);
  await decide(uids[0] ?? "", "accept");
  for (const uid of uids) await call("POST", `/results/${uid}/reopen/`, {});
  await decide(uids[0] ?? "", "accept");
  expect(await read()).toMatchObject({ statuses: ["accepted", "submitted"], sampled: [true, true] });
});

test("the queue has the sample, and the rest for who asks for it", async () => {
  const { project, uids } = await sampled(4, 1);
  const { results } = createTrpcCaller(org, reviewer);
  const list = async (filters: object) => (await results.queue({ project, ...filters })).results.map(({ uid }) => uid);
  expect(await list({})).toEqual(uids.slice(0, 1));
  expect(await list({ sample: "rest" })).toEqual(uids.slice(1));
  expect(await list({ sample: "all" })).toEqual(uids);
  await call("PATCH", `/projects/${org.slug}/${project}/`, { review: "all" });
  expect(await list({})).toEqual(uids);
});
