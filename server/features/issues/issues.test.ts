import { beforeAll, describe, expect, test } from "vitest";
import type { ExecutionResource } from "@/server/features/agents/resource";
import type { IssueCommentResource, IssueResource } from "@/server/features/issues/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
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
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** What people and agents find wrong with a task. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
let carl: TestMember;
let project: ProjectResource;
let tasks: TaskResource[];
const call = requestsWith(() => org.key);

beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben, carl] = await Promise.all([addMember(org), addMember(org), addMember(org)]);
  const dataset = (await pictures(org, 8)).uid;
  const body = { name: unique("project"), task_type: "image-annotation", datasets: [dataset] };
  project = (await call<ProjectResource>("POST", "/projects/", body)).body;
  await call("POST", `/projects/${project.uid}/approve/`);
  await call("POST", `/projects/${org.slug}/${project.uid}/people/`, { user: ben.uid, roles: ["reviewer"] });
  tasks = (await call<Page<TaskResource>>("GET", `/tasks/?project=${project.uid}`)).body.results;
});

/** The nth task, which Ana took. */
async function takeTask(at: number): Promise<string> {
  const uid = tasks[at]?.uid ?? "";
  expect((await call("PATCH", `/tasks/${uid}/`, { assignee: ana.username })).status).toBe(200);
  return uid;
}
const submit = async (task: string) =>
  (await call<ResultResource>("POST", `/tasks/${task}/results/`, { annotations: [] }, ana.key)).body.uid;
const open = (task: string, body: object, key: string) =>
  call<IssueResource>("POST", `/tasks/${task}/issues/`, body, key);
const list = async (task: string, query = "") =>
  (await call<Page<IssueResource>>("GET", `/tasks/${task}/issues/${query}`)).body.results;

describe("an issue", () => {
  test("is opened, answered and resolved by who works on the task, and opened again by reviewers only", async () => {
    const task = await takeTask(0);
    const asked = await open(task, { kind: "question", text: "Is the shadow part of it?", point: [10.5, 4] }, ana.key);
    expect(asked).toMatchObject({
      status: 201,
      body: {
        task,
        project: project.uid,
        result: null,
        round: 1,
        point: [10.5, 4],
        shape: null,
        state: "open",
        by: ana.username,
        comments: [],
      },
    });
    const path = `/issues/${asked.body.uid}/`;
    const answered = await call<IssueCommentResource>("POST", `${path}comments/`, { text: "No." }, ben.key);
    expect(answered).toMatchObject({ status: 201, body: { by: ben.username, text: "No." } });
    expect((await list(task))[0]?.comments).toEqual([answered.body]);
    const resolved = await call<IssueResource>("PATCH", path, { state: "resolved" }, ana.key);
    expect(resolved.body).toMatchObject({ state: "resolved", resolved_by: ana.username });
    expect(await list(task, "?state=open")).toEqual([]);
    const reopen = (key: string) => call<IssueResource>("PATCH", path, { state: "open" }, key);
    expect((await reopen(ana.key)).status).toBe(403);
    expect((await reopen(ben.key)).body).toMatchObject({ state: "open", resolved_by: null, resolved_at: null });
    expect(await list(task)).toHaveLength(1);
    const screen = createTrpcCaller(org, ben).issues;
    expect((await screen.list({ uid: task })).results).toEqual(await list(task));
  });

  test("of another person's task is read by members and not touched, before its body is read", async () => {
    const task = await takeTask(1);
    const { uid } = (await open(task, { kind: "other" }, ana.key)).body;
    expect(await list(task)).toHaveLength(1);
    const status = async (method: "POST" | "PATCH", path: string, body: object) =>
      (await call(method, path, body, carl.key)).status;
    for (const body of [{ kind: "other" }, { kind: 3 }])
      expect(await status("POST", `/tasks/${task}/issues/`, body)).toBe(403);
    for (const body of [{ state: "resolved" }, { state: 3 }])
      expect(await status("PATCH", `/issues/${uid}/`, body)).toBe(403);
    for (const body of [{ text: "a" }, {}]) expect(await status("POST", `/issues/${uid}/comments/`, body)).toBe(403);
    const stranger = await makeOrganization();
    expect((await call("PATCH", `/issues/${uid}/`, { state: "resolved" }, stranger.key)).status).toBe(404);
  });

  test.each([
    [{ kind: "ugly" }, ["kind"]],
    [{}, ["kind"]],
    [{ kind: "other", point: [1] }, ["point"]],
    [{ kind: "other", point: [1e8, 0] }, ["point"]],
    [{ kind: "other", shape: "a" }, ["shape"]],
    [{ kind: "other", text: "x".repeat(4_097) }, ["text"]],
  ])("%j is refused", async (body, members) => {
    const response = await open(tasks[0]?.uid ?? "", body, ana.key);
    expect([response.status, Object.keys(response.body)]).toEqual([400, members]);
  });

  test("is one of at most a thousand of a task", async () => {
    const task = await takeTask(2);
    const common = {
      organizationId: org.uid,
      projectId: project.uid,
      taskId: task,
      round: 1,
      kind: "other",
      byName: "a",
    };
    await prisma.issue.createMany({ data: Array.from({ length: 1_000 }, () => ({ ...common, uid: uuidv7() })) });
    expect((await open(task, { kind: "other" }, ana.key)).status).toBe(400);
  });
});

describe("a rejection", () => {
  test("pins what is wrong to its result and round; those of the next round have its number", async () => {
    const task = await takeTask(3);
    const shape = uuidv7();
    const first = await submit(task);
    const issues = [
      { kind: "wrong_place", shape, text: "Too large" },
      { kind: "missing", point: [3, 4] },
    ];
    const rejected = await call("POST", `/results/${first}/reject/`, { reason: "see issues", issues }, ben.key);
    expect(rejected.status).toBe(200);
    expect(await list(task)).toMatchObject([
      { kind: "wrong_place", shape, result: first, round: 1, by: ben.username, text: "Too large" },
      { kind: "missing", point: [3, 4], result: first, round: 1 },
    ]);
    const second = await submit(task);
    const pinned = (await open(task, { kind: "extra" }, ben.key)).body;
    expect(pinned).toMatchObject({ round: 2, result: second });
  });

  test("of what was corrected before is still of the first round", async () => {
    const task = await takeTask(6);
    const body = { annotations: [], key: uuidv7() };
    const corrected = await call<ResultResource>("POST", `/results/${await submit(task)}/revise/`, body, ben.key);
    expect(corrected.body).toMatchObject({ status: "accepted" });
    expect((await call("POST", `/results/${corrected.body.uid}/reopen/`, {})).status).toBe(200);
    const queue = await createTrpcCaller(org).results.queue({ project: project.uid });
    expect(queue.results.find(({ uid }) => uid === corrected.body.uid)?.round).toBe(1);
    const issues = [{ kind: "missing" }];
    expect((await call("POST", `/results/${corrected.body.uid}/reject/`, { issues })).status).toBe(200);
    expect(await list(task)).toMatchObject([{ round: 1 }]);
  });

  test("that is refused pins nothing", async () => {
    const task = await takeTask(4);
    const result = await submit(task);
    const issues = [{ kind: "missing" }];
    expect((await call("POST", `/results/${result}/reject/`, { issues: [{ kind: "a" }] }, ben.key)).status).toBe(400);
    expect((await call("POST", `/results/${result}/reject/`, { issues }, ana.key)).status).toBe(403);
    await call("POST", `/results/${result}/accept/`, {}, ben.key);
    expect((await call("POST", `/results/${result}/reject/`, { issues }, ben.key)).status).toBe(400);
    expect(await list(task)).toEqual([]);
  });
});

test("what an agent flags is pinned to the task as a question", async () => {
  const agent = { name: unique("agent"), events: ["result.submitted"] };
  const { uid } = (await call<{ uid: string }>("POST", "/agents/", agent)).body;
  const task = await takeTask(5);
  const result = await submit(task);
  const executions = await call<Page<ExecutionResource>>("GET", `/agents/${uid}/executions/`);
  const execution = executions.body.results[0]?.uid ?? "";
  const act = { execution, action: "flag", reason: "Two carts overlap" };
  expect((await call("POST", "/agent-actions/", act, carl.key)).status).toBe(200);
  expect(await list(task)).toMatchObject([{ kind: "question", text: "Two carts overlap", result, by: carl.username }]);
  expect((await call<ResultResource>("GET", `/results/${result}/`)).body.status).toBe("submitted");
});
