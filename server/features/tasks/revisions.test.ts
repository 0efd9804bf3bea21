import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { ItemResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import { decideResult } from "@/server/features/tasks/decision-service";
import type { ResultResource, TaskResource, WorkBatchResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeLabellingProject } from "@/server/testing/labelling";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let labeller: TestMember;
let reviewer: TestMember;
/** A subscription to what happens to results. */
let hook: string;
beforeAll(async () => {
  org = await makeOrganization();
  labeller = await addMember(org, "member");
  reviewer = await addMember(org, "member");
  const events = ["result.submitted", "result.accepted", "result.rejected"];
  const body = { target_url: "https://example.com/revisions", events };
  hook = (await call<{ uid: string }>("POST", "/webhooks/", body)).body.uid;
});
const call = requestsWith(() => org.key);

const box = (x: number) => ({ label: "car", type: "bbox", coordinates: { x, y: 2, width: 10, height: 10 } });

/** A project with one task, whose result the labeller has submitted. */
async function submitted() {
  const { uid: project, dataset } = await makeLabellingProject(org);
  const people = `/projects/${org.slug}/${project}/people/`;
  expect((await call("POST", people, { user: reviewer.uid, roles: ["reviewer"] })).status).toBeLessThan(300);
  const [task] = (await call<Page<TaskResource>>("GET", `/tasks/?project=${project}`)).body.results;
  if (!task) throw new Error("the project has no task");
  const sent = { annotations: [box(1), box(20)] };
  const result = (await call<ResultResource>("POST", `/tasks/${task.uid}/results/`, sent, labeller.key)).body;
  const read = async () => {
    const results = (await call<Page<ResultResource>>("GET", `/tasks/${task.uid}/results/`)).body.results;
    const counts = (await call<ProjectResource>("GET", `/projects/${org.slug}/${project}/`)).body;
    const item = `/datasets/${org.slug}/${dataset}/items/${task.dataset_item}/`;
    const { annotationCount } = await prisma.item.findUniqueOrThrow({ where: { uid: task.dataset_item } });
    return {
      results: results.map(({ status }) => status),
      task: (await call<TaskResource>("GET", `/tasks/${task.uid}/`)).body.state,
      item: (await call<ItemResource>("GET", item)).body.status,
      completed: (await call<WorkBatchResource>("GET", `/work-batches/${task.work_batch}/`)).body.completed_count,
      counts: [counts.completed_task_count, counts.accepted_count, counts.rejected_count, counts.superseded_count],
      annotations: annotationCount,
      events: await readEvents([result.uid, ...results.map(({ uid }) => uid)]),
    };
  };
  return { task, result, read };
}

/** The events about results, oldest first. */
const readEvents = async (uids: readonly string[]): Promise<string[]> =>
  (
    await prisma.webhookDelivery.findMany({
      where: { subscriptionId: hook, objectId: { in: [...uids] } },
      orderBy: { uid: "asc" },
    })
  ).map(({ eventType }) => eventType);

const revise = (uid: string, body: object, key = reviewer.key) =>
  call<ResultResource>("POST", `/results/${uid}/revise/`, body, key);

test("a corrected result is accepted in place of the one that it names, once for each key", async () => {
  const { result, task, read } = await submitted();
  const body = { annotations: [box(5)], note: "too far left", key: randomUUID() };
  const revision = await revise(result.uid, body);
  expect([revision.status, revision.body]).toMatchObject([
    200,
    { status: "accepted", revises: result.uid, submitted_by: reviewer.username, reason: "too far left" },
  ]);
  const old = (await call<ResultResource>("GET", `/results/${result.uid}/`)).body;
  expect(old).toMatchObject({
    status: "rejected",
    reason: `corrected by ${reviewer.username}`,
    superseded_by: revision.body.uid,
    annotations: result.annotations,
  });
  const after = await read();
  expect(after).toMatchObject({
    results: ["accepted", "rejected"],
    task: "accepted",
    item: "customer_approved",
    completed: 1,
    counts: [1, 1, 0, 1],
    annotations: 1,
    events: ["result.submitted", "result.rejected", "result.accepted"],
  });
  expect((await revise(result.uid, body)).body).toEqual(revision.body);
  expect(await read()).toEqual(after);
  expect((await revise(result.uid, { ...body, key: randomUUID() })).body).toEqual({
    status: ["This result is rejected already."],
  });
  expect((await revise(result.uid, { ...body, key: randomUUID() }, labeller.key)).status).toBe(403);
  expect((await call<TaskResource>("GET", `/tasks/${task.uid}/`)).body.status).toBe("completed");
});

test("nobody corrects a result of their own, nor with labels or shapes that could not be submitted", async () => {
  const { result, read } = await submitted();
  const before = await read();
  const key = randomUUID();
  await prisma.result.update({ where: { uid: result.uid }, data: { submittedById: reviewer.uid } });
  expect((await revise(result.uid, { annotations: [], key })).status).toBe(400);
  await prisma.result.update({ where: { uid: result.uid }, data: { submittedById: labeller.uid } });
  expect((await revise(result.uid, { annotations: [{ ...box(1), label: "tree" }], key })).body).toHaveProperty(
    "annotations",
  );
  expect((await revise(result.uid, { annotations: [box(500)], key })).body).toHaveProperty("annotations");
  expect(await read()).toEqual(before);
});

test("an admin takes an acceptance back, after which the result is decided again", async () => {
  const { result, read } = await submitted();
  const before = await read();
  expect((await call("POST", `/results/${result.uid}/accept/`, {}, reviewer.key)).status).toBe(200);
  const reopen = (key: string) =>
    call<ResultResource>("POST", `/results/${result.uid}/reopen/`, { note: "wrong picture" }, key);
  expect((await reopen(reviewer.key)).status).toBe(403);
  const opened = await reopen(org.key);
  expect([opened.status, opened.body]).toMatchObject([
    200,
    { status: "submitted", decided_by: null, decided_at: null, reason: "" },
  ]);
  expect(await read()).toEqual({ ...before, events: ["result.submitted", "result.accepted"] });
  expect((await reopen(org.key)).body).toEqual({ status: ["This result is submitted."] });
  expect((await call("POST", `/results/${result.uid}/reject/`, {}, reviewer.key)).status).toBe(200);
  expect(await read()).toMatchObject({ task: "rework", item: "rework_required", counts: [0, 0, 1, 0] });
});

test("of decisions and corrections at the same time one wins, and everything moves once", async () => {
  for (let round = 0; round < 8; round++) {
    const { result, read } = await submitted();
    const { uid } = result;
    const decide = (verb: string) => call("POST", `/results/${uid}/${verb}/`, {}, reviewer.key);
    const byAgent = decideResult(org.ctx, uid, "accept", {}).then(
      () => 200,
      () => 400,
    );
    const answers = await Promise.all([
      decide("accept").then(({ status }) => status),
      revise(uid, { annotations: [box(5)], key: randomUUID() }).then(({ status }) => status),
      byAgent,
      decide("reject").then(({ status }) => status),
    ]);
    expect(answers.toSorted()).toEqual([200, 400, 400, 400]);
    const accepted = { task: "accepted", item: "customer_approved", completed: 1 };
    const expected = [
      { ...accepted, results: ["accepted"], counts: [1, 1, 0, 0], annotations: 2 },
      { ...accepted, results: ["accepted", "rejected"], counts: [1, 1, 0, 1], annotations: 1 },
      { ...accepted, results: ["accepted"], counts: [1, 1, 0, 0], annotations: 2 },
      {
        task: "rework",
        item: "rework_required",
        completed: 0,
        results: ["rejected"],
        counts: [0, 0, 1, 0],
        annotations: 0,
      },
    ][answers.indexOf(200)];
    const { events, ...after } = await read();
    expect(after).toEqual(expected);
    expect(events).toEqual(
      [
        ["result.submitted", "result.accepted"],
        ["result.submitted", "result.rejected", "result.accepted"],
        ["result.submitted", "result.accepted"],
        ["result.submitted", "result.rejected"],
      ][answers.indexOf(200)],
    );
  }
});
