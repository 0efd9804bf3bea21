import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { agentPushes } from "@/server/features/agents/push-service";
import type { AgentDetail, ExecutionResource, PingQueued, RegisteredAgent } from "@/server/features/agents/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { Outbox } from "@/server/platform/outbox/outbox";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { startReceiver } from "@/server/testing/receiver";
import { requestsWith, createTrpcCaller } from "@/server/testing/requests";

/** What the page of an agent shows and does. */

let org: TestOrganization;
let annotator: TestMember;
let restore = () => {};
const closing: (() => Promise<unknown>)[] = [];
beforeAll(() => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
});
afterAll(async () => {
  restore();
  await Promise.all(closing.map((close) => close()));
});
beforeEach(async () => {
  org = await makeOrganization();
  annotator = await addMember(org);
});

const call = requestsWith(() => org.key);
const owner = () => createTrpcCaller(org, org.owner);
const register = async (body: object = {}): Promise<RegisteredAgent> =>
  (await call<RegisteredAgent>("POST", "/agents/", { name: unique(), events: ["result.submitted"], ...body })).body;
const listExecutions = async (uid: string, query = "") =>
  (await call<Page<ExecutionResource>>("GET", `/agents/${uid}/executions/${query}`)).body.results;
const readLastSeen = async (uid: string) => (await call<AgentDetail>("GET", `/agents/${uid}/`)).body.last_seen_at;

/** A project with `count` tasks; resolves to a function that submits a result for one of them. */
async function makeTasks(count = 1) {
  const dataset = await pictures(org, count);
  const project = { name: unique(), task_type: "image-annotation", datasets: [dataset.uid] };
  const { uid } = (await call<ProjectResource>("POST", "/projects/", project)).body;
  await call("POST", `/projects/${uid}/approve/`);
  const tasks = (await call<Page<TaskResource>>("GET", `/tasks/?project=${uid}`)).body.results;
  return async (at = 0) =>
    (await call<ResultResource>("POST", `/tasks/${tasks[at]?.uid}/results/`, { annotations: [] }, annotator.key)).body;
}

/** Starts a receiver that responds with these statuses in turn, the last one from then on. */
async function makeReceiver(...statuses: number[]) {
  let at = 0;
  const receiver = await startReceiver((_received, response) =>
    response.writeHead(statuses[Math.min(at++, statuses.length - 1)] ?? 200).end("{}"),
  );
  closing.push(() => receiver.close());
  return receiver;
}

test("an agent that polls is seen when a key asks for its executions, but not when a person looks at them", async () => {
  const agent = await register();
  await owner().agents.executions({ uid: agent.uid });
  expect(await readLastSeen(agent.uid)).toBeNull();
  await listExecutions(agent.uid);
  await expect.poll(() => readLastSeen(agent.uid)).not.toBeNull();
  const first = await readLastSeen(agent.uid);
  await listExecutions(agent.uid);
  await owner().agents.update({ uid: agent.uid, change: { description: "changed" } });
  expect(await readLastSeen(agent.uid)).toBe(first);
});

test("an agent with a callback is seen when it receives something, and not by requests for its executions", async () => {
  const receiver = await makeReceiver(500, 200);
  const agent = await register({ callback_url: receiver.url });
  await call("POST", `/agents/${agent.uid}/test/`);
  await new Outbox(agentPushes, org.uid).drain();
  await listExecutions(agent.uid);
  expect(await readLastSeen(agent.uid)).toBeNull();
  await new Outbox(agentPushes, org.uid).drain(new Date(Date.now() + 10_000));
  await expect.poll(() => readLastSeen(agent.uid)).not.toBeNull();
});

test("executions are filtered by event, action and time", async () => {
  const agent = await register();
  const submit = await makeTasks(2);
  await submit();
  const ping = await call<PingQueued>("POST", `/agents/${agent.uid}/test/`);
  await call("POST", "/agent-actions/", { execution: ping.body.execution_uid, action: "skip", reason: "a test" });
  const types = async (query: string) => (await listExecutions(agent.uid, query)).map((each) => each.event_type);
  expect(await types("")).toEqual(["test.ping", "result.submitted"]);
  expect(await types("?event_type=result.submitted")).toEqual(["result.submitted"]);
  expect(await types("?action=skip,flag")).toEqual(["test.ping"]);
  expect(await types("?action=approve")).toEqual([]);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(await types(`?since=${later}`)).toEqual([]);
  expect(await types("?since=2020-01-01T00:00:00Z&event_type=test.ping&action=skip&status=completed")).toEqual([
    "test.ping",
  ]);
  expect((await call("GET", `/agents/${agent.uid}/executions/?action=maybe`)).body).toMatchObject({
    action: [expect.any(String)],
  });
});

test("an execution says who acted and why: a key for the agent, or a person by hand", async () => {
  const agent = await register();
  const submit = await makeTasks(2);
  await submit(0);
  const byHand = await submit(1);
  const [second, first] = await listExecutions(agent.uid);
  const before = { reason: "", metadata: {}, acted_by: null, by_hand: false, attempts: 0 };
  expect(first).toMatchObject(before);
  await call("POST", "/agent-actions/", { execution: first?.uid, action: "approve", metadata: { score: 1 } });
  await owner().agents.act({ execution: second?.uid ?? "", action: "reject", reason: "blurred" });
  const [afterSecond, afterFirst] = await listExecutions(agent.uid);
  expect(afterFirst).toMatchObject({
    reason: "",
    metadata: { score: 1 },
    acted_by: org.owner.username,
    by_hand: false,
  });
  expect(afterSecond).toMatchObject({ reason: "blurred", acted_by: org.owner.username, by_hand: true });
  expect((await call<ResultResource>("GET", `/results/${byHand.uid}/`)).body).toMatchObject({
    status: "rejected",
    reason: "blurred",
    decided_by: org.owner.username,
  });
});

test("by hand acts who may decide results, and nobody about their own", async () => {
  const agent = await register();
  await (
    await makeTasks()
  )();
  const [execution] = await listExecutions(agent.uid);
  const input = { execution: execution?.uid ?? "", action: "approve" } as const;
  await expect(createTrpcCaller(org, annotator).agents.act(input)).rejects.toMatchObject({ code: "FORBIDDEN" });
  await prisma.membership.updateMany({ where: { userId: annotator.uid }, data: { role: "admin" } });
  await expect(createTrpcCaller(org, { ...annotator, role: "admin" }).agents.act(input)).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
  const outsider = await makeOrganization();
  await expect(createTrpcCaller(outsider, outsider.owner).agents.act(input)).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
  await expect(
    createTrpcCaller(outsider, outsider.owner).agents.execution({ uid: input.execution }),
  ).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("each attempt to send an execution is kept, and a failed one is sent again with its uid", async () => {
  const receiver = await makeReceiver(503, 503, 503, 200);
  const agent = await register({ callback_url: receiver.url });
  const { execution_uid: uid } = (await call<PingQueued>("POST", `/agents/${agent.uid}/test/`)).body;
  await expect(owner().agents.resend({ uid })).rejects.toMatchObject({ code: "CONFLICT" });
  for (const seconds of [0, 10, 60]) await new Outbox(agentPushes, org.uid).drain(new Date(Date.now() + seconds * 1e3));
  const failed = await owner().agents.execution({ uid });
  expect([failed.status, failed.attempts, failed.attempt_log.map((each) => each.status_code)]).toEqual([
    "failed",
    3,
    [503, 503, 503],
  ]);
  await expect(createTrpcCaller(org, annotator).agents.resend({ uid })).rejects.toMatchObject({ code: "FORBIDDEN" });
  const again = await owner().agents.resend({ uid });
  expect([again.status, again.error_message, again.completed_at]).toEqual(["pending", null, null]);
  expect(Date.parse(again.deadline)).toBeGreaterThanOrEqual(Date.parse(failed.deadline));
  await new Outbox(agentPushes, org.uid).drain(new Date(Date.now() + 1_000));
  const received = await owner().agents.execution({ uid });
  expect([received.status, received.attempt_log.length, received.attempt_log[3]]).toMatchObject([
    "running",
    4,
    { ok: true, status_code: 200, error: null },
  ]);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { execution_uid: string }).execution_uid)).toEqual(
    Array.from({ length: 4 }, () => uid),
  );
  await expect(owner().agents.resend({ uid })).rejects.toMatchObject({ code: "CONFLICT" });
});

test("nothing is sent again to an agent that polls", async () => {
  const agent = await register();
  const { execution_uid: uid } = (await call<PingQueued>("POST", `/agents/${agent.uid}/test/`)).body;
  await prisma.agentExecution.update({ where: { uid }, data: { status: "failed" } });
  await expect(owner().agents.resend({ uid })).rejects.toMatchObject({ code: "CONFLICT" });
});

test("the agent that a name would change is found by the exact name, in its own organization only", async () => {
  const agent = await register({ name: "Label check" });
  expect(await owner().agents.named({ name: "Label check" })).toMatchObject({ uid: agent.uid });
  expect(await owner().agents.named({ name: "label check" })).toBeNull();
  const outsider = await makeOrganization();
  expect(await createTrpcCaller(outsider, outsider.owner).agents.named({ name: "Label check" })).toBeNull();
});
