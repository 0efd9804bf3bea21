import { beforeEach, expect, test } from "vitest";
import { AgentListFilters, ExecutionListFilters } from "@/domain/agents/schema";
import { registerAgent } from "@/server/features/agents/service";
import { prisma } from "@/server/platform/db";
import { uidFloor, uuidv7 } from "@/server/platform/uid";
import { listAgentOverviews } from "@/server/read-models/agents/agent-list";
import { listExecutionOverviews } from "@/server/read-models/agents/execution-list";
import { pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
beforeEach(async () => {
  org = await makeOrganization();
});
const call = requestsWith(() => org.key);

const register = (input: object = {}) =>
  registerAgent(org.ctx, { name: unique("agent"), events: ["result.submitted"], ...input });
const readOverview = async (uid: string) =>
  (await listAgentOverviews(org.ctx, AgentListFilters.parse({}))).results.find((agent) => agent.uid === uid);

/** Writes an execution that was created `hours` ago and took `tookMs`. */
async function addExecution(
  agentId: string,
  status: string,
  { hours = 0, tookMs = 1_000, ...more }: { hours?: number; tookMs?: number } & Record<string, unknown> = {},
) {
  const createdAt = new Date(Date.now() - hours * 3_600_000);
  const uid = hours === 0 ? uuidv7() : uidFloor(null, createdAt.getTime()).slice(0, 24) + uuidv7().slice(24);
  const completedAt = status === "pending" ? null : new Date(createdAt.getTime() + tookMs);
  const common = { organizationId: org.uid, agentId, eventType: "result.submitted", eventPayload: {}, status };
  await prisma.agentExecution.create({
    data: { uid, ...common, deadline: new Date("2099-01-01"), createdAt, completedAt, ...more },
  });
  return uid;
}

/** A project with `count` submitted results, by somebody else than the owner. */
async function submitResults(count: number) {
  const annotator = await addMember(org);
  const dataset = await pictures(org, count);
  const project = { name: unique("Crossings"), task_type: "image-annotation", datasets: [dataset.uid] };
  const { uid } = (await call<{ uid: string }>("POST", "/projects/", project)).body;
  await call("POST", `/projects/${uid}/approve/`);
  const tasks = (await call<{ results: { uid: string; name: string }[] }>("GET", `/tasks/?project=${uid}`)).body
    .results;
  const results = [];
  for (const task of tasks) {
    const path = `/tasks/${task.uid}/results/`;
    const { body } = await call<{ uid: string }>("POST", path, { annotations: [] }, annotator.key);
    results.push({ uid: body.uid, task });
  }
  return { project: { uid, name: project.name }, results };
}

test("the list counts the last 24 hours, the agent's own time to decide and what waits", async () => {
  const agent = await register();
  for (const tookMs of [1_000, 3_000, 5_000]) await addExecution(agent.uid, "completed", { action: "skip", tookMs });
  await addExecution(agent.uid, "completed", { action: "skip", tookMs: 900_000, byHand: true });
  await addExecution(agent.uid, "completed", { action: "skip", tookMs: 900_000, hours: 25 });
  await addExecution(agent.uid, "failed");
  await addExecution(agent.uid, "timed_out", { hours: 2 });
  await addExecution(agent.uid, "timed_out", { hours: 30 });
  await addExecution(agent.uid, "pending");
  expect(await readOverview(agent.uid)).toMatchObject({
    done: 4,
    failed: 1,
    timed_out: 1,
    p50_ms: 3_000,
    waiting: 1,
    decided: 0,
    overruled: 0,
  });
  const quiet = await register();
  expect(await readOverview(quiet.uid)).toMatchObject({ done: 0, p50_ms: null, waiting: 0 });
});

test("a decision counts as overruled where a person decided otherwise, and not where another agent did", async () => {
  const [agent, other] = [await register(), await register()];
  const { results } = await submitResults(5);
  const decide = (at: number, status: string) =>
    prisma.result.update({ where: { uid: results[at]?.uid ?? "" }, data: { status } });
  const judge = (agentId: string, at: number, action: string, more: object = {}) =>
    addExecution(agentId, "completed", { action, resultId: results[at]?.uid, ...more });
  await decide(0, "accepted");
  await judge(agent.uid, 0, "approve");
  await decide(1, "rejected");
  await judge(agent.uid, 1, "approve");
  await decide(2, "rejected");
  await judge(agent.uid, 2, "approve");
  await judge(other.uid, 2, "reject");
  await decide(3, "accepted");
  await judge(agent.uid, 3, "reject");
  await judge(agent.uid, 3, "approve", { byHand: true });
  await judge(agent.uid, 4, "flag");
  await addExecution(agent.uid, "completed", { action: "approve", resultId: uuidv7() });
  expect(await readOverview(agent.uid)).toMatchObject({ decided: 4, overruled: 2 });
  expect(await readOverview(other.uid)).toMatchObject({ decided: 1, overruled: 0 });
});

test("the list is filtered by name, mode and whether agents are active, and names their projects", async () => {
  const { project } = await submitResults(1);
  const polling = await register({ name: "Label check", project: project.uid });
  const pushed = await register({ name: "Trainer", callback_url: "https://example.com/agent", is_active: false });
  const names = async (filters: object) =>
    (await listAgentOverviews(org.ctx, AgentListFilters.parse(filters))).results.map(({ name }) => name);
  expect(await names({})).toEqual([pushed.name, polling.name]);
  expect(await names({ search: "LABEL" })).toEqual([polling.name]);
  expect(await names({ search: "%" })).toEqual([]);
  expect(await names({ mode: "push" })).toEqual([pushed.name]);
  expect(await names({ mode: "push,poll", is_active: "true" })).toEqual([polling.name]);
  expect(await readOverview(polling.uid)).toMatchObject({ project_name: project.name });
  const outsider = await makeOrganization();
  expect((await listAgentOverviews(outsider.ctx, AgentListFilters.parse({}))).results).toEqual([]);
});

test("an execution in the list names its task and project, and how the result stands", async () => {
  const agent = await register();
  const { project, results } = await submitResults(2);
  await call("POST", `/results/${results[0]?.uid}/accept/`);
  const list = async (filters: object = {}) =>
    (await listExecutionOverviews(org.ctx, agent.uid, ExecutionListFilters.parse(filters))).results;
  const [submitted, accepted] = await list();
  expect(accepted).toMatchObject({
    about: results[0]?.task.name,
    project_name: project.name,
    result_status: "accepted",
    decided_by: org.owner.username,
    own_result: false,
    status: "pending",
  });
  expect(submitted).toMatchObject({ about: results[1]?.task.name, result_status: "submitted", decided_by: null });
  expect(accepted && "event_payload" in accepted).toBe(false);
  expect(await list({ since: "-1h", event_type: "result.submitted" })).toHaveLength(2);
  expect(await list({ status: "failed" })).toEqual([]);
  const { rejects } = expect(listExecutionOverviews((await makeOrganization()).ctx, agent.uid, { limit: 10 }));
  await rejects.toMatchObject({ code: "not_found" });
});

test("pages of a list whose time moves follow each other", async () => {
  const agent = await register();
  for (let n = 0; n < 5; n++) await addExecution(agent.uid, "pending");
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const filters = ExecutionListFilters.parse({ since: "-1h", limit: "2", ...(cursor && { cursor }) });
    const page = await listExecutionOverviews(org.ctx, agent.uid, filters);
    seen.push(...page.results.map(({ uid }) => uid));
    cursor = page.next ?? undefined;
  } while (cursor);
  expect(new Set(seen).size).toBe(5);
});
