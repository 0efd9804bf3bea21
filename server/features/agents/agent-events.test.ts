import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agentPushes } from "@/server/features/agents/push-service";
import type { ExecutionResource, RegisteredAgent } from "@/server/features/agents/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { Outbox } from "@/server/platform/outbox/outbox";
import type { Page } from "@/server/platform/pagination";
import { uuidv7 } from "@/server/platform/uid";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { requestsWith } from "@/server/testing/requests";

/** What an agent learns from an event about a result, and what is kept of its answer. */

let org: TestOrganization;
/** Submits results; nobody decides their own. */
let annotator: TestMember;
const receivers: Receiver[] = [];
let restore = () => {};
beforeAll(() => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
});
afterAll(async () => {
  restore();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});
beforeEach(async () => {
  org = await makeOrganization();
  annotator = await addMember(org);
});

const call = requestsWith(() => org.key);

/** A receiver that responds with this body; it is closed after the tests. */
async function makeReceiver(body: string): Promise<Receiver> {
  const receiver = await startReceiver((_received, response) => response.writeHead(200).end(body));
  receivers.push(receiver);
  return receiver;
}

const register = async (body: object = {}): Promise<RegisteredAgent> =>
  (await call<RegisteredAgent>("POST", "/agents/", { name: unique(), events: ["result.submitted"], ...body })).body;

const listExecutions = async (agent: RegisteredAgent, query = "", key = org.key) =>
  (await call<Page<ExecutionResource>>("GET", `/agents/${agent.uid}/executions/${query}`, undefined, key)).body;

const box = (attributes: object = {}) => ({
  label: "car",
  type: "bbox",
  coordinates: { x: 1, y: 2, width: 3, height: 4 },
  attributes,
});

/** Submits these annotations for the only task of a new project. */
async function submit(annotations: readonly object[]): Promise<ResultResource> {
  const dataset = await pictures(org, 1);
  const project = { name: unique(), task_type: "image-annotation", datasets: [dataset.uid] };
  const { uid } = (await call<ProjectResource>("POST", "/projects/", project)).body;
  await call("POST", `/projects/${uid}/approve/`);
  const [task] = (await call<Page<TaskResource>>("GET", `/tasks/?project=${uid}`)).body.results;
  return (await call<ResultResource>("POST", `/tasks/${task?.uid}/results/`, { annotations }, annotator.key)).body;
}

const about = ({ dataset_item }: ResultResource, count: number) => ({
  dataset_item_uid: dataset_item,
  annotation_count: count,
  submitted_by: annotator.username,
});

describe("an event about a result", () => {
  test("contains its annotations for agents that poll, agents that are called, and webhooks", async () => {
    const receiver = await makeReceiver("{}");
    const polling = await register();
    const called = await register({ callback_url: `${receiver.url}/agent` });
    const target_url = `${receiver.url}/hook`;
    await call("POST", "/webhooks/", { target_url, events: ["result.submitted"] });
    const result = await submit([box({ occluded: true })]);
    const expected = {
      event: "result.submitted",
      result_uid: result.uid,
      result_data: [box({ occluded: true })],
      result_metadata: about(result, 1),
    };
    await new Outbox(agentPushes, org.uid).drain();
    await new Outbox(webhookDeliveries, org.uid).drain();
    for (const agent of [polling, called])
      expect((await listExecutions(agent)).results[0]?.event_payload).toMatchObject(expected);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as object);
    expect(bodies).toHaveLength(2);
    for (const body of bodies) expect(body).toMatchObject(expected);
    const [stored] = await prisma.webhookDelivery.findMany({ where: { organizationId: org.uid } });
    expect(Object.keys(stored?.payload as object)).not.toContain("result_data");
  });

  test("says who decided and why once the result is decided, and not before", async () => {
    const agent = await register({ events: ["result.submitted", "result.rejected"] });
    const result = await submit([]);
    await call("POST", `/results/${result.uid}/reject/`, { reason: "one is missing" });
    const [rejected, submitted] = (await listExecutions(agent)).results;
    expect(submitted?.event_payload.result_metadata).toEqual(about(result, 0));
    expect(rejected?.event_payload.result_metadata).toEqual({
      ...about(result, 0),
      reason: "one is missing",
      decided_by: org.owner.username,
    });
  });

  test("contains how many annotations there are in place of more than 1 MiB of them", async () => {
    const agent = await register();
    const result = await submit(Array.from({ length: 600 }, () => box({ note: "x".repeat(2_000) })));
    const [execution] = (await listExecutions(agent)).results;
    expect(execution?.event_payload).toMatchObject({ result_data: null, result_metadata: about(result, 600) });
  });

  test("contains nothing of a result that was deleted since", async () => {
    const agent = await register();
    const result = await submit([box()]);
    await prisma.result.delete({ where: { uid: result.uid } });
    const [execution] = (await listExecutions(agent)).results;
    expect(execution?.event_payload).toMatchObject({ result_uid: result.uid, result_data: null, result_metadata: {} });
  });

  test("is not listed for members who do not see its project", async () => {
    const agent = await register();
    const result = await submit([box()]);
    await prisma.project.update({ where: { uid: result.project }, data: { access: "assigned" } });
    expect((await listExecutions(agent, "", annotator.key)).results).toEqual([]);
    expect((await listExecutions(agent)).results).toHaveLength(1);
  });
});

test("a page of executions ends early at 16 MiB of annotations, and the next page continues", async () => {
  const agent = await register();
  const result = await submit([box()]);
  await prisma.result.update({ where: { uid: result.uid }, data: { annotationBytes: 1024 * 1024 - 100 } });
  await prisma.agentExecution.createMany({
    data: Array.from({ length: 20 }, () => ({
      uid: uuidv7(),
      organizationId: org.uid,
      agentId: agent.uid,
      eventType: "result.submitted",
      eventPayload: { event: "result.submitted", result_uid: result.uid },
      resultId: result.uid,
      deadline: new Date("2099-01-01"),
    })),
  });
  const first = await listExecutions(agent);
  expect([first.results.length, first.results.at(-1)?.event_payload.result_data]).toEqual([16, [box()]]);
  const rest = await listExecutions(agent, first.next?.slice(first.next.indexOf("?")));
  expect([rest.results.length, rest.next]).toEqual([5, null]);
  expect(new Set([...first.results, ...rest.results].map(({ uid }) => uid)).size).toBe(21);
});

describe("what a callback responds", () => {
  const respond = async (response: string) => {
    const receiver = await makeReceiver(response);
    const agent = await register({ callback_url: receiver.url });
    await submit([]);
    await new Outbox(agentPushes, org.uid).drain();
    const [execution] = (await listExecutions(agent)).results;
    return [execution?.status, execution?.response_payload];
  };

  test.each([
    ["a short action", { action: "flag", reason: "see 3", metadata: { score: 0.2 }, more: 1 }, {}],
    ["an action without more", { action: "skip" }, { reason: "", metadata: {} }],
    ["a large action", { action: "flag", reason: "y".repeat(2_048), metadata: { log: "x".repeat(60_000) } }, {}],
    ["a reason that is too long", { action: "flag", reason: "y".repeat(3_000) }, { reason: "y".repeat(2_048) }],
    ["metadata that is too large", { action: "flag", metadata: { log: "x".repeat(70_000) } }, { metadata: {} }],
  ])("is readable on the execution: %s", async (_, sent, instead) => {
    const { action, reason = "", metadata = {} } = sent as Record<string, unknown>;
    expect(await respond(JSON.stringify(sent))).toEqual(["completed", { action, reason, metadata, ...instead }]);
  });

  test("may contain escaped characters beyond the basic plane, and characters that cannot be stored", async () => {
    expect(await respond(String.raw`{"action": "flag", "reason": "\ud83d\ude00 \u0000"}`)).toEqual([
      "completed",
      { action: "flag", reason: "😀 \ufffd", metadata: {} },
    ]);
  });

  test("is readable without an action, too, until there is one", async () => {
    expect(await respond(JSON.stringify({ queued: 3 }))).toEqual(["running", { queued: 3 }]);
  });
});
