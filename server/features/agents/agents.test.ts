import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { timeOutExecutions } from "@/server/features/agents/executions-service";
import { agentPushes } from "@/server/features/agents/push-service";
import type {
  AgentDetail,
  ActionTaken,
  ExecutionResource,
  PingQueued,
  RegisteredAgent,
} from "@/server/features/agents/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
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
import { countShare } from "@/server/testing/generated-cases";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
/** Submits results; nobody decides their own. */
let annotator: TestMember;
const receivers: Receiver[] = [];
/** Starts a receiver that responds with a status and a body; it is closed after the tests. */
async function makeReceiver(status = 200, body = "ok"): Promise<Receiver> {
  const receiver = await startReceiver((_received, response) => response.writeHead(status).end(body));
  receivers.push(receiver);
  return receiver;
}
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
const register = (body: object = {}) =>
  call<RegisteredAgent>("POST", "/agents/", { name: unique("agent"), events: ["result.submitted"], ...body });
const listExecutions = async (uid: string, query = "") =>
  (await call<Page<ExecutionResource>>("GET", `/agents/${uid}/executions/${query}`)).body.results;
const act = (execution: string, action: string, more: object = {}) =>
  call<ActionTaken>("POST", "/agent-actions/", { execution, action, ...more });
const drain = (at?: Date) => new Outbox(agentPushes, org.uid).drain(at);
const later = (seconds: number) => new Date(Date.now() + seconds * 1_000);

/** Creates a project with `count` tasks; `submit` submits a result for one of them. */
async function project(count = 1) {
  const dataset = await pictures(org, count);
  const { body } = await call<ProjectResource>("POST", "/projects/", {
    name: unique(),
    task_type: "image-annotation",
    datasets: [dataset.uid],
  });
  await call("POST", `/projects/${body.uid}/approve/`);
  const tasks = (await call<Page<TaskResource>>("GET", `/tasks/?project=${body.uid}`)).body.results;
  return {
    uid: body.uid,
    submit: async (at = 0) =>
      (await call<ResultResource>("POST", `/tasks/${tasks[at]?.uid}/results/`, { annotations: [] }, annotator.key))
        .body,
  };
}
const getResult = async (uid: string) => (await call<ResultResource>("GET", `/results/${uid}/`)).body;

describe("an agent", () => {
  test("is registered once per name, and its secret is in the first response only", async () => {
    const first = await register({ description: "checks" });
    expect([first.status, first.body.secret?.startsWith("whsec_"), first.body]).toMatchObject([
      201,
      true,
      { description: "checks", callback_url: "", is_active: true, project: null, task_types: [] },
    ]);
    const again = await register({ name: first.body.name, events: ["task.completed"], is_active: false });
    expect([again.status, again.body.uid, again.body.secret, again.body.events, again.body.description]).toEqual([
      200,
      first.body.uid,
      undefined,
      ["task.completed"],
      "checks",
    ]);
    expect((await register({ name: first.body.name.toUpperCase() })).status).toBe(201);
    const detail = await call<AgentDetail>("GET", `/agents/${first.body.uid}/`);
    expect([detail.body.execution_stats, "secret" in detail.body]).toEqual([{}, false]);
  });

  test("is listed page by page, newest first, in its own organization only, without its secret", async () => {
    const own = await makeOrganization();
    const made: string[] = [];
    for (let n = 0; n < 3; n++)
      made.unshift(
        (
          await call<RegisteredAgent>(
            "POST",
            "/agents/",
            { name: unique("agent"), events: ["result.submitted"] },
            own.key,
          )
        ).body.uid,
      );
    const first = (
      await call<Page<RegisteredAgent> & { next: string | null }>("GET", "/agents/?limit=2", undefined, own.key)
    ).body;
    const rest = (
      await call<Page<RegisteredAgent>>(
        "GET",
        first.next?.slice(first.next.indexOf("/agents/")) ?? "",
        undefined,
        own.key,
      )
    ).body;
    expect([...first.results, ...rest.results].map(({ uid }) => uid)).toEqual(made);
    expect(first.results.every(({ secret }) => secret === undefined)).toBe(true);
    const other = await makeOrganization();
    expect((await call<Page<RegisteredAgent>>("GET", "/agents/", undefined, other.key)).body.results).toEqual([]);
  });

  test("registered by eight concurrent requests is created once, with one secret", async () => {
    const name = unique();
    const responses = await Promise.all(Array.from({ length: 8 }, () => register({ name })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(responses.filter(({ body }) => body.secret !== undefined)).toHaveLength(1);
    expect(new Set(responses.map(({ body }) => body.uid)).size).toBe(1);
  });

  test("is replaced by PUT, changed by PATCH, and deleted with its executions", async () => {
    const { body } = await register({ description: "old", task_types: ["image-annotation"] });
    const other = await register();
    const path = `/agents/${body.uid}/`;
    const patched = await call<RegisteredAgent>("PATCH", path, { description: "new" });
    expect([patched.body.description, patched.body.task_types]).toEqual(["new", ["image-annotation"]]);
    const put = await call<RegisteredAgent>("PUT", path, { name: body.name, events: ["export.failed"] });
    expect([put.status, put.body.description, put.body.task_types, put.body.events]).toEqual([
      200,
      "",
      [],
      ["export.failed"],
    ]);
    expect(Object.keys((await call("PUT", path, { name: body.name })).body)).toEqual(["events"]);
    expect((await call("PATCH", path, { name: other.body.name })).body.name).toEqual([
      "An agent with this name already exists.",
    ]);
    const secret = async () => (await prisma.agent.findUnique({ where: { uid: body.uid } }))?.secretSealed;
    const before = await secret();
    await call("PATCH", path, { secret: "another secret" });
    expect(await secret()).toBe(before);
    await call("POST", `${path}test/`);
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await prisma.agentExecution.count({ where: { agentId: body.uid } })).toBe(0);
  });

  test.each([
    ["callback_url", { callback_url: "ftp://example.com/" }],
    ["callback_url", { callback_url: "https://example.com/#x" }],
    ["events", { events: [] }],
    ["events", { events: ["auto_label.completed"] }],
    ["events", { events: ["quality.alert"] }],
    ["project", { project: uuidv7() }],
    ["task_types", { task_types: [" "] }],
    ["task_types", { task_types: ["x".repeat(101)] }],
    ["name", { name: " " }],
  ])("is refused for an invalid %s: %j", async (field, body) => {
    const response = await register(body);
    expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
  });
});

test("an agent takes any type of task, and is warned of those that no task has", async () => {
  const types = ["box", "image-annotation", "bounding_box"];
  const { status, body } = await register({ task_types: types });
  expect([status, body.task_types, body.warnings]).toEqual([201, types, ["box", "bounding_box"]]);
  const path = `/agents/${body.uid}/`;
  const detail = await call<AgentDetail>("GET", path);
  const changed = await call<RegisteredAgent>("PATCH", path, { task_types: ["video-annotation"] });
  expect([detail.body.warnings, changed.body.warnings]).toEqual([["box", "bounding_box"], []]);
});

describe("an execution", () => {
  test("is created in the event's transaction for each active agent whose filters match", async () => {
    const [one, two] = [await project(), await project()];
    const agents = {
      all: (await register()).body,
      ofOne: (await register({ project: one.uid })).body,
      ofTwo: (await register({ project: two.uid })).body,
      images: (await register({ task_types: ["image-annotation"] })).body,
      videos: (await register({ task_types: ["video-annotation"] })).body,
      off: (await register({ is_active: false })).body,
      otherEvents: (await register({ events: ["export.completed"] })).body,
    };
    const result = await one.submit();
    const counts = await Promise.all(Object.values(agents).map(async ({ uid }) => (await listExecutions(uid)).length));
    expect(counts).toEqual([1, 1, 0, 1, 0, 0, 0]);
    const [execution] = await listExecutions(agents.all.uid);
    expect(execution).toMatchObject({
      registration: agents.all.uid,
      event_type: "result.submitted",
      status: "pending",
      action: null,
      task: result.task,
      result: result.uid,
      event_payload: { event: "result.submitted", result_uid: result.uid, project_uid: one.uid },
      response_payload: null,
      started_at: null,
    });
    expect(await listExecutions(agents.all.uid, `?project=${two.uid}`)).toEqual([]);
    expect(await listExecutions(agents.all.uid, "?status=completed,failed")).toEqual([]);
    expect(await listExecutions(agents.all.uid, `?task_types=image-annotation&status=pending`)).toHaveLength(1);
  });

  test.each([
    ["approve", "accepted"],
    ["reject", "rejected"],
    ["flag", "submitted"],
    ["skip", "submitted"],
  ])("answered with %s leaves the result %s", async (action, status) => {
    const { body: agent } = await register();
    const result = await (await project()).submit();
    const [execution] = await listExecutions(agent.uid);
    const taken = await act(execution?.uid ?? "", action, { reason: "seen", metadata: { score: 1 } });
    expect([taken.status, taken.body]).toEqual([
      200,
      { detail: "The action was recorded.", execution_uid: execution?.uid, action },
    ]);
    expect((await getResult(result.uid)).status).toBe(status);
    const [after] = await listExecutions(agent.uid);
    expect([after?.status, after?.action, after?.completed_at !== null]).toEqual(["completed", action, true]);
    expect(after?.response_payload).toEqual({ action, reason: "seen", metadata: { score: 1 } });
    const again = await act(execution?.uid ?? "", action);
    expect([again.status, again.body.execution]).toEqual([
      400,
      ["This execution is completed; actions are taken while it is pending or running."],
    ]);
    expect((await call<AgentDetail>("GET", `/agents/${agent.uid}/`)).body.execution_stats).toEqual({ completed: 1 });
  });

  test("is not open to another organization, and refuses an unknown action or one that is too large", async () => {
    const { body: agent } = await register();
    const ping = await call<PingQueued>("POST", `/agents/${agent.uid}/test/`);
    expect([ping.status, ping.body.has_callback]).toEqual([202, false]);
    const outsider = await makeOrganization();
    const execution = ping.body.execution_uid;
    for (const [uid, key] of [
      [execution, outsider.key],
      [uuidv7(), org.key],
    ]) {
      const { status, body } = await call("POST", "/agent-actions/", { execution: uid, action: "skip" }, key);
      expect([status, body.execution]).toEqual([400, [`Invalid pk "${uid}" - object does not exist.`]]);
    }
    expect(Object.keys((await act(execution, "maybe")).body)).toEqual(["action"]);
    expect(Object.keys((await act(execution, "skip", { reason: "x".repeat(2_049) })).body)).toEqual(["reason"]);
    expect(Object.keys((await act(execution, "skip", { metadata: { x: "y".repeat(65_536) } })).body)).toEqual([
      "metadata",
    ]);
    expect((await act(execution, "skip")).status).toBe(200);
  });

  // All races take several seconds while other tests use the same cores.
  const races = countShare(1_000);
  const whenBusy = { timeout: 60_000 };
  test(`is either acted on or timed out, never both, in each of ${races} races`, whenBusy, async () => {
    const { body: agent } = await register();
    const now = Date.now();
    const uids = Array.from({ length: races }, () => uuidv7());
    await prisma.agentExecution.createMany({
      data: uids.map((uid, at) => ({
        uid,
        organizationId: org.uid,
        agentId: agent.uid,
        eventType: "test.ping",
        eventPayload: {},
        deadline: new Date(now + 150 + at),
      })),
    });
    const statuses = await Promise.all([
      ...uids.map(async (uid, at) => {
        // oxlint-disable-next-line no-restricted-globals -- the race is with the deadline
        await new Promise((resolve) => setTimeout(resolve, 100 + at));
        return (await act(uid, "skip")).status;
      }),
      ...Array.from({ length: 120 }, async (_, at) => {
        // oxlint-disable-next-line no-restricted-globals -- the race is with the deadline
        await new Promise((resolve) => setTimeout(resolve, 100 + at * 10));
        await timeOutExecutions();
        return 0;
      }),
    ]);
    // oxlint-disable-next-line no-restricted-globals -- the race is with the deadline
    await new Promise((resolve) => setTimeout(resolve, 300));
    await timeOutExecutions();
    const rows = await prisma.agentExecution.findMany({ where: { agentId: agent.uid } });
    const [acted, late] = [
      rows.filter(({ status }) => status === "completed"),
      rows.filter(({ status }) => status === "timed_out"),
    ];
    expect(acted.length + late.length).toBe(races);
    expect(acted.length).toBe(statuses.filter((status) => status === 200).length);
    expect([acted.every(({ action }) => action === "skip"), late.every(({ action }) => action === null)]).toEqual([
      true,
      true,
    ]);
  });
});

describe("an agent with a callback URL", () => {
  test("receives a signed execution, which is running from then on until its action", async () => {
    const receiver = await makeReceiver();
    const { body: agent } = await register({ callback_url: receiver.url });
    const result = await (await project()).submit();
    await drain();
    const [pushed] = receiver.received;
    const [execution] = await listExecutions(agent.uid);
    expect(JSON.parse(pushed?.body ?? "")).toMatchObject({
      event: "result.submitted",
      result_uid: result.uid,
      execution_uid: execution?.uid,
    });
    expect(pushed?.headers["x-service-signature"]).toBe(
      createHmac("sha256", agent.secret ?? "")
        .update(pushed?.body ?? "")
        .digest("hex"),
    );
    expect(() =>
      new Webhook(agent.secret ?? "").verify(pushed?.body ?? "", pushed?.headers as Record<string, string>),
    ).not.toThrow();
    expect([pushed?.headers["x-service-event"], pushed?.headers["x-service-delivery"]]).toEqual([
      "result.submitted",
      execution?.uid,
    ]);
    expect([execution?.status, execution?.started_at !== null]).toEqual(["running", true]);
    await act(execution?.uid ?? "", "approve");
    expect((await getResult(result.uid)).status).toBe("accepted");
  });

  test("completes an execution by an action in its response", async () => {
    const receiver = await makeReceiver(200, JSON.stringify({ action: "reject", reason: "blurred" }));
    const { body: agent } = await register({ callback_url: receiver.url });
    const result = await (await project()).submit();
    await drain();
    const [execution] = await listExecutions(agent.uid);
    expect([execution?.status, execution?.action, execution?.response_payload]).toEqual([
      "completed",
      "reject",
      { action: "reject", reason: "blurred", metadata: {} },
    ]);
    expect(await getResult(result.uid)).toMatchObject({
      status: "rejected",
      reason: "blurred",
      decided_by: agent.name,
    });
  });

  test("is retried after 5 and 30 seconds, after which the execution is failed", async () => {
    const receiver = await makeReceiver(500, "no");
    const { body: agent } = await register({ callback_url: receiver.url });
    const ping = await call<PingQueued>("POST", `/agents/${agent.uid}/test/`);
    expect(ping.body.has_callback).toBe(true);
    const attempts: [number, string | undefined][] = [];
    for (const seconds of [0, 4, 6, 35, 40]) {
      await drain(later(seconds));
      attempts.push([receiver.received.length, (await listExecutions(agent.uid))[0]?.status]);
    }
    expect(attempts).toEqual([
      [1, "pending"],
      [1, "pending"],
      [2, "pending"],
      [2, "pending"],
      [3, "failed"],
    ]);
    expect((await listExecutions(agent.uid))[0]?.error_message).toBe("The receiver answered 500.");
    expect((await act(ping.body.execution_uid, "skip")).body.execution).toEqual([
      "This execution is failed; actions are taken while it is pending or running.",
    ]);
  });
});
