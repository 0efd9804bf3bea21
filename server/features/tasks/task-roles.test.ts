import { beforeAll, describe, expect, test } from "vitest";
import type { ExecutionResource } from "@/server/features/agents/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

/** Who works on tasks and who decides results. */

let org: TestOrganization;
let member: TestMember;
let other: TestMember;
let tasks: TaskResource[];
const call = requestsWith(() => org.key);
beforeAll(async () => {
  org = await makeOrganization();
  [member, other] = await Promise.all([addMember(org), addMember(org)]);
  const dataset = await pictures(org, 6);
  const body = { name: unique(), task_type: "image-annotation", datasets: [dataset.uid] };
  const project = (await call<{ uid: string }>("POST", "/projects/", body)).body.uid;
  await call("POST", `/projects/${project}/approve/`);
  tasks = (await call<Page<TaskResource>>("GET", `/tasks/?project=${project}`)).body.results;
});

const submit = async (at: number, key = member.key) =>
  (await call<ResultResource>("POST", `/tasks/${tasks[at]?.uid}/results/`, { annotations: [] }, key)).body;
const register = async (body: object = {}) =>
  (await call<{ uid: string }>("POST", "/agents/", { name: unique(), events: ["result.submitted"], ...body })).body.uid;
const lastExecution = async (agent: string) =>
  (await call<Page<ExecutionResource>>("GET", `/agents/${agent}/executions/`)).body.results[0]?.uid ?? "";
const act = (execution: string, action: string, key: string) =>
  call("POST", "/agent-actions/", { execution, action }, key);

describe("a task", () => {
  test("is taken and returned by a member, and given to somebody else by an admin", async () => {
    const path = `/tasks/${tasks[0]?.uid}/`;
    const assign = async (assignee: string | null, key: string) =>
      (await call("PATCH", path, { assignee }, key)).status;
    expect(await assign(other.username, member.key)).toBe(403);
    expect(await assign(member.username, member.key)).toBe(200);
    expect(await assign(other.username, other.key)).toBe(403);
    expect((await call("PATCH", path, { assignee: 3 }, other.key)).status).toBe(403);
    expect(await assign(null, member.key)).toBe(200);
    expect(await assign(member.uid, org.key)).toBe(200);
  });

  test("of another person is neither opened nor submitted by a member", async () => {
    const path = `/tasks/${tasks[1]?.uid}/`;
    await call("PATCH", path, { assignee: other.username });
    const annotations: unknown[] = [];
    expect((await call("POST", `${path}open/`, undefined, member.key)).status).toBe(403);
    expect((await call("POST", `${path}results/`, { annotations }, member.key)).status).toBe(403);
    expect((await call("POST", `${path}results/`, { annotations: 3 }, member.key)).status).toBe(403);
    expect((await call("POST", `${path}open/`, undefined, other.key)).status).toBe(200);
    expect((await call("POST", `${path}results/`, { annotations }, other.key)).status).toBe(201);
  });
});

describe("a result", () => {
  test("is decided by admins, and by nobody who submitted it", async () => {
    const theirs = await submit(2);
    expect((await call("POST", `/results/${theirs.uid}/accept/`, {}, other.key)).status).toBe(403);
    expect((await call("POST", `/results/${theirs.uid}/accept/`, {})).status).toBe(200);
    const own = await submit(3, org.key);
    const response = await call("POST", `/results/${own.uid}/accept/`, {});
    expect([response.status, Object.keys(response.body)]).toEqual([400, ["non_field_errors"]]);
    expect((await call<ResultResource>("GET", `/results/${own.uid}/`)).body.status).toBe("submitted");
  });

  test("is not decided by its author through an agent, and the execution stays open for others", async () => {
    const agent = await register();
    const own = await submit(4);
    const execution = await lastExecution(agent);
    for (const action of ["approve", "reject"]) {
      const response = await act(execution, action, member.key);
      expect([response.status, Object.keys(response.body)]).toEqual([400, ["execution"]]);
    }
    expect((await act(execution, "approve", other.key)).status).toBe(200);
    expect((await call<ResultResource>("GET", `/results/${own.uid}/`)).body.status).toBe("accepted");
  });

  test("that is pushed to an agent is not decided by a member in its place", async () => {
    const agent = await register({ callback_url: "https://hooks.example.com/agent" });
    await submit(5);
    const execution = await lastExecution(agent);
    expect((await act(execution, "approve", other.key)).status).toBe(403);
    expect((await act(execution, "approve", org.key)).status).toBe(200);
  });
});
