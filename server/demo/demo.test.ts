import { expect, test, vi } from "vitest";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { startDemo } from "@/server/demo/service";
import { timeOutExecutions } from "@/server/features/agents/executions-service";
import { createImport } from "@/server/features/imports/service";
import { createWebhook } from "@/server/features/webhooks/service";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { makeDemoDuring } from "@/server/testing/demo-jobs";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller } from "@/server/testing/requests";

/** Resolves when the demo fleet is no longer being created. */
async function untilMade(me: ReturnType<typeof createTrpcCaller>): Promise<void> {
  const isMade = async () => (await me.demo.status()).state !== "making";
  await vi.waitUntil(isMade, { timeout: 110_000, interval: 200 });
}

test(
  "the demo fleet is created once in the background, and one call removes it",
  // Recordings are created, uploaded and processed.
  { timeout: 120_000 },
  async () => {
    const org = await makeOrganization();
    const own = await makeOwnData(org);
    const me = createTrpcCaller(org);
    expect((await me.demo.status()).state).toBe("none");
    expect((await startDemo(org.ctx, { quick: true })).state).toBe("making");
    expect((await me.demo.start()).state).toBe("making");
    await makeDemoDuring(org.uid, untilMade(me));
    await timeOutExecutions();

    const status = await me.demo.status();
    expect(status).toMatchObject({ state: "ready", devices: 12, processed: 10, uploaded: 10 });
    expect(status.alerts).toBeGreaterThanOrEqual(15);
    const where = { organizationId: org.uid };
    const states = await prisma.alert.groupBy({ by: ["status"], where });
    expect(states.map((each) => each.status).sort()).toEqual(["acknowledged", "open", "resolved"]);
    await expect(me.demo.start()).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await me.demo.steps()).noisy?.name).toBe("Motor warm");
    await expectSentAndDecided(org.uid);
    await expectHalfDone(org, me);

    const { uid: project } = await prisma.project.findFirstOrThrow({ where });
    const unfinished = await createImport(org.ctx, project, { file_name: "instances.json", size_bytes: 10 });
    await me.demo.remove();
    const removals = await queuedJobs(jobs.deleteStoredKeys);
    expect(removals.flatMap(({ payload }) => payload["keys"])).toContain(
      `annotation-imports/${org.uid}/${unfinished.uid}`,
    );
    expect(await me.demo.status()).toMatchObject({ state: "none", devices: 0, alerts: 0 });
    expect(await countRows(org.uid)).toEqual(own);
  },
);

/** A device and a webhook of the organization's own, which the demo leaves alone. */
async function makeOwnData(org: TestOrganization): Promise<Record<string, number>> {
  await makeDevice(org, { name: "own" });
  await createWebhook(org.ctx, { target_url: "https://example.com/own", events: [...platformEventTypes] });
  return countRows(org.uid);
}

const ownedBy = (organizationId: string) => ({ where: { organizationId } });

/** The number of rows of everything that the demo creates. */
async function countRows(uid: string): Promise<Record<string, number>> {
  return {
    devices: await prisma.device.count(ownedBy(uid)),
    groups: await prisma.deviceGroup.count(ownedBy(uid)),
    recordings: await prisma.recording.count(ownedBy(uid)),
    rules: await prisma.rule.count(ownedBy(uid)),
    alerts: await prisma.alert.count(ownedBy(uid)),
    channels: await prisma.channel.count(ownedBy(uid)),
    webhooks: await prisma.webhookSubscription.count(ownedBy(uid)),
    deliveries: await prisma.webhookDelivery.count(ownedBy(uid)),
    agents: await prisma.agent.count(ownedBy(uid)),
    executions: await prisma.agentExecution.count(ownedBy(uid)),
    datasets: await prisma.dataset.count(ownedBy(uid)),
    items: await prisma.item.count(ownedBy(uid)),
    slices: await prisma.slice.count(ownedBy(uid)),
    projects: await prisma.project.count(ownedBy(uid)),
    tasks: await prisma.task.count(ownedBy(uid)),
    results: await prisma.result.count(ownedBy(uid)),
    issues: await prisma.issue.count(ownedBy(uid)),
    drafts: await prisma.taskDraft.count(ownedBy(uid)),
    exports: await prisma.export.count(ownedBy(uid)),
  };
}

async function expectSentAndDecided(uid: string): Promise<void> {
  const messages = await prisma.notification.groupBy({
    by: ["status"],
    where: { channel: { organizationId: uid, demo: true } },
    _count: true,
  });
  expect(messages.map(({ status }) => status)).toEqual(["delivered"]);

  // The organization's own webhook hears nothing of the demo.
  const deliveries = await prisma.webhookDelivery.findMany(ownedBy(uid));
  const [subscription] = await prisma.webhookSubscription.findMany({ where: { organizationId: uid, demo: true } });
  expect(new Set(deliveries.map(({ subscriptionId }) => subscriptionId))).toEqual(new Set([subscription?.uid]));
  const failing = deliveries.filter(({ status }) => status !== "delivered");
  expect(failing.map(({ eventType, responseStatus }) => [eventType, responseStatus])).toEqual([
    ["export.completed", 422],
  ]);
  expect(deliveries.length).toBeGreaterThan(30);

  const exported = await prisma.export.findMany({ ...ownedBy(uid), orderBy: { uid: "asc" } });
  expect(exported.map(({ status, demo }) => [status, demo])).toEqual([
    ["exported", true],
    ["exported", true],
  ]);
  const moments = await prisma.dataset.findFirstOrThrow({ where: { organizationId: uid, isSequence: true } });
  expect(moments).toMatchObject({ demo: true, status: "created", sliceCount: 2 });
  expect(moments.itemCount).toBeGreaterThanOrEqual(5);
  expect(await prisma.sequence.count({ where: { datasetId: moments.uid } })).toBeGreaterThanOrEqual(1);
  const executions = await prisma.agentExecution.findMany(ownedBy(uid));
  const count = (is: (each: (typeof executions)[number]) => boolean) => executions.filter(is).length;
  expect(count(({ action }) => action === "approve")).toBeGreaterThanOrEqual(5);
  expect(count(({ action, reason }) => action === "reject" && reason !== "")).toBeGreaterThanOrEqual(2);
  expect(count(({ status }) => status === "timed_out")).toBeGreaterThanOrEqual(1);
  expect(count(({ status }) => status === "running")).toBe(1);
  const slice = await prisma.slice.findFirst({ where: { organizationId: uid, name: "Accepted pallets" } });
  expect(slice?.itemCount).toBe(count(({ action }) => action === "approve"));
}

/** Half of the demo's pictures are done, and the one who asked for it finds something to review and something to correct. */
async function expectHalfDone(org: TestOrganization, me: ReturnType<typeof createTrpcCaller>): Promise<void> {
  const { uid: project } = await prisma.project.findFirstOrThrow({ where: { organizationId: org.uid } });
  expect(await me.projects.overviewOf({ uid: project })).toMatchObject({
    ...{ demo: true, task_count: 24, completed_count: 12, accepted_count: 10, rejected_count: 4 },
  });
  const { results: tasks } = await me.tasks.queue({ tab: "all", project, limit: 100 });
  const inState = (wanted: string) => tasks.filter(({ state }) => state === wanted);
  expect(["accepted", "submitted", "rework", "todo"].map((state) => inState(state).length)).toEqual([10, 2, 4, 8]);

  const { results: waiting } = await me.results.queue({ project });
  expect(waiting.map(({ is_own, submitted_by }) => [is_own, submitted_by])).toEqual([
    [false, "Mira (demo)"],
    [false, "Mira (demo)"],
  ]);
  const issue = await prisma.issue.findFirstOrThrow(ownedBy(org.uid));
  expect(issue).toMatchObject({ state: "open", round: 1, kind: "extra", byName: "Ben (demo)" });
  const found = await me.tasks.editor({ uid: issue.taskId });
  expect(found.task.state).toBe("rework");
  const pinned = found.draft?.shapes.find(({ id }) => id === issue.shapeId);
  expect(pinned?.type === "bbox" && Math.min(pinned.coordinates.width, pinned.coordinates.height)).toBeLessThan(12);
  // What came back is worked on before what nobody began.
  const next = await me.tasks.next({ project });
  expect(next?.task.state).toBe("rework");
}

test("the first steps are ticked for each person by what happened, and stay dismissed", async () => {
  const org = await makeOrganization();
  const me = createTrpcCaller(org);
  expect(await me.demo.steps()).toMatchObject({ dismissed: false, done: { evidence: false, device: false } });
  expect((await me.demo.tick({ step: "evidence" })).done.evidence).toBe(true);
  const { uid } = await makeDevice(org);
  await me.devices.update({ uid, change: { status: "online" } });
  expect((await me.demo.steps()).done.device).toBe(true);
  await me.demo.dismiss({ dismissed: true });
  expect((await me.demo.steps()).dismissed).toBe(true);
});
