import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { OpenedTask } from "@/server/features/tasks/labelling-resource";
import type { TaskResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeBox, makeTasks, nextTask, put, saveDraft, startLabelling } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** Tasks that nobody labels. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
});
const call = requestsWith(() => org.key);

type Refused = Record<"reason" | "text" | "status" | "lease", string[]> & { code: string; by: string | null };
const skip = (uid: string, body: object, who: { key: string } = ana) =>
  call<TaskResource & Refused>("POST", `/tasks/${uid}/skip/`, body, who.key);
const unskip = (uid: string, who: { key: string } = org) =>
  call<TaskResource & Refused>("POST", `/tasks/${uid}/unskip/`, undefined, who.key);
const getProject = async (uid: string) => (await call<ProjectResource>("GET", `/projects/${org.slug}/${uid}/`)).body;
const read = (uid: string) => prisma.task.findUniqueOrThrow({ where: { uid }, include: { item: true, draft: true } });
/** How many deliveries a webhook for every event of tasks and results has. */
async function subscribe() {
  const { body } = await call<{ uid: string }>("POST", "/webhooks/", {
    target_url: `https://example.com/${randomUUID()}`,
    events: ["task.completed", "result.submitted", "result.accepted", "result.rejected"],
  });
  return () => prisma.webhookDelivery.count({ where: { subscriptionId: body.uid } });
}

describe("skipping", () => {
  test("completes a task without a result or an event, ends its lease and keeps what is drawn", async () => {
    const { project, uid, labeller } = await startLabelling(org, ana, 2);
    await saveDraft(uid, labeller, 1, 0, [put(makeBox(randomUUID()))]);
    const countEvents = await subscribe();
    const { status, body } = await skip(uid, {
      lease: labeller.lease,
      reason: "damaged",
      text: "The lens is covered.",
    });
    expect([status, body]).toMatchObject([
      200,
      { status: "completed", state: "skipped", skip_reason: "damaged", skip_text: "The lens is covered." },
    ]);
    expect(await read(uid)).toMatchObject({
      leaseUser: null,
      leaseHash: null,
      item: { status: "ready_for_annotation" },
      draft: { shapeCount: 1, endedAt: expect.any(Date) },
    });
    expect(await getProject(project)).toMatchObject({ status: "active", completed_task_count: 1, skipped_count: 1 });
    expect(await countEvents()).toBe(0);
    const [entry] = await prisma.auditEntry.findMany({ where: { targetId: uid }, orderBy: { uid: "desc" } });
    expect(entry).toMatchObject({
      action: "task.skipped",
      after: { reason: "damaged", text: "The lens is covered." },
    });
    expect((await saveDraft(uid, labeller, 2, 1, [put(makeBox(randomUUID()))])).body).toMatchObject({
      code: "lease_lost",
    });
    expect((await skip(uid, { reason: "unclear" })).body.status).toEqual(["This task is skipped."]);
    const results = await call("POST", `/tasks/${uid}/results/`, { annotations: [] }, ana.key);
    expect([results.status, results.body]).toEqual([400, { status: ["This task is skipped."] }]);
  });

  test("the last task completes its project, and one that is labelled after all makes it active again", async () => {
    const { project, tasks } = await makeTasks(org, 2);
    const [first = "", second = ""] = tasks;
    expect((await skip(first, { reason: "unclear" })).status).toBe(200);
    await call("POST", `/tasks/${second}/results/`, { annotations: [] }, ana.key);
    expect(await getProject(project)).toMatchObject({ status: "completed", completed_task_count: 2, skipped_count: 1 });
    expect((await unskip(first, ana)).status).toBe(403);
    const { status, body } = await unskip(first);
    expect([status, body]).toMatchObject([200, { state: "todo", skip_reason: null, skip_text: "", assignee: null }]);
    expect(await getProject(project)).toMatchObject({ status: "active", completed_task_count: 1, skipped_count: 0 });
    expect((await unskip(first)).body.status).toEqual(["This task is pending."]);
    expect((await nextTask(project, ben)).body.task.uid).toBe(first);
  });

  test("a task that is labelled after all goes to who drew something on it, whose draft goes on", async () => {
    const { project, uid, labeller } = await startLabelling(org, ana);
    await saveDraft(uid, labeller, 1, 0, [put(makeBox(randomUUID()))]);
    await skip(uid, { lease: labeller.lease, reason: "wrong_data" });
    expect((await unskip(uid)).body).toMatchObject({ state: "todo", assignee: ana.username });
    expect(await read(uid)).toMatchObject({ draft: { shapeCount: 1, endedAt: null } });
    const again = (await nextTask(project, ana)).body;
    expect([again.task.uid, again.draft?.shapes.length]).toEqual([uid, 1]);
  });

  test("is done by who has the lease, and without one by nobody while somebody else works on it", async () => {
    const { first } = await makeTasks(org, 1);
    const opened = await call<OpenedTask>("POST", `/tasks/${first}/open/`, { lease: true }, ana.key);
    const lease = opened.body.lease?.token;
    expect((await skip(first, { reason: "damaged" }, ben)).status).toBe(403);
    expect(await skip(first, { reason: "damaged" }, org)).toMatchObject({
      status: 409,
      body: { code: "lease_taken", by: ana.username },
    });
    expect(await skip(first, { reason: "damaged", lease: "0".repeat(64) })).toMatchObject({
      status: 409,
      body: { code: "lease_lost", by: ana.username },
    });
    expect((await skip(first, { reason: "damaged", lease })).status).toBe(200);
  });

  test("is refused with no reason, an unknown one, and another one that nothing explains", async () => {
    const { first } = await makeTasks(org, 1);
    for (const [body, field] of [
      [{}, "reason"],
      [{ reason: "boring" }, "reason"],
      [{ reason: ["damaged"] }, "reason"],
      [{ reason: "other" }, "text"],
      [{ reason: "other", text: " \n" }, "text"],
      [{ reason: "damaged", text: "x".repeat(1_001) }, "text"],
      [{ reason: "damaged", lease: "x" }, "lease"],
    ] as const) {
      const refused = await skip(first, body);
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
    }
    expect(await read(first)).toMatchObject({ status: "pending", skipReason: null });
    expect((await skip(first, { reason: "other", text: "<b>=1+1</b>" })).body.skip_text).toBe("<b>=1+1</b>");
  });

  test("gives the next task in the same request, and never the skipped one", async () => {
    const { project, uid, labeller } = await startLabelling(org, ana, 2);
    const trpc = createTrpcCaller(org, ana);
    const done = await trpc.tasks.skip({ uid, lease: labeller.lease, reason: "unclear", next: { project } });
    expect(done.task.state).toBe("skipped");
    expect(done.next?.task.uid).not.toBe(uid);
    const lease = done.next?.lease?.token;
    const last = await trpc.tasks.skip({ uid: done.next?.task.uid ?? "", lease, reason: "unclear", next: { project } });
    expect(last.next).toBeNull();
    expect(await getProject(project)).toMatchObject({ status: "completed", skipped_count: 2 });
    await expect(trpc.tasks.unskip({ uid })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("and submitting the same task at once: one of them wins, and everything is counted once", async () => {
    const { project, tasks } = await makeTasks(org, 12);
    const outcomes = await Promise.all(
      tasks.flatMap((uid) => [
        skip(uid, { reason: "damaged" }).then(({ status }) => ({ uid, status })),
        call("POST", `/tasks/${uid}/results/`, { annotations: [] }, ana.key).then(({ status }) => ({ uid, status })),
      ]),
    );
    for (const uid of tasks) {
      const [one, two] = outcomes.filter((each) => each.uid === uid).map(({ status }) => status);
      expect([one, two]).toSatisfy((pair: unknown) => ["200,400", "400,201"].includes(String(pair)));
    }
    const skipped = outcomes.filter(({ status }) => status === 200).length;
    expect(await getProject(project)).toMatchObject({
      status: "completed",
      completed_task_count: 12,
      skipped_count: skipped,
    });
    expect(await prisma.result.count({ where: { projectId: project } })).toBe(12 - skipped);
    const batches = await prisma.workBatch.aggregate({ where: { projectId: project }, _sum: { completedCount: true } });
    expect(batches._sum.completedCount).toBe(12);
  });

  test("two admins who undo it at once count it back once", async () => {
    const { project, first } = await makeTasks(org, 1);
    await skip(first, { reason: "damaged" });
    const both = await Promise.all([unskip(first), unskip(first)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(await getProject(project)).toMatchObject({ completed_task_count: 0, skipped_count: 0 });
  });

  test("deleting the item of a skipped task takes it from the counts", async () => {
    const { project, dataset, tasks } = await makeTasks(org, 2);
    const [first = ""] = tasks;
    await skip(first, { reason: "damaged" });
    const { itemId } = await read(first);
    expect((await call("DELETE", `/datasets/${org.slug}/${dataset}/items/${itemId}/`)).status).toBe(204);
    expect(await getProject(project)).toMatchObject({ task_count: 1, completed_task_count: 0, skipped_count: 0 });
  });

  test("tasks of another organization are not found, and read-only members skip none", async () => {
    const { first } = await makeTasks(org, 1);
    const [other, viewer] = await Promise.all([makeOrganization(), addMember(org, "member", { readOnly: true })]);
    expect((await skip(first, { reason: "damaged" }, other)).status).toBe(404);
    expect((await unskip(first, other)).status).toBe(404);
    expect((await skip(first, { reason: "damaged" }, viewer)).status).toBe(403);
    expect((await skip(uuidv7(), { reason: "damaged" })).status).toBe(404);
  });
});
