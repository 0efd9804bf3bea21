import { beforeAll, describe, expect, test } from "vitest";
import type { ProjectPersonResource, ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** Who labels in a project and who decides its results. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
let dataset: string;
const call = requestsWith(() => org.key);

beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org)]);
  dataset = (await pictures(org, 4)).uid;
});

async function makeActive(body: object = {}): Promise<ProjectResource> {
  const common = { name: unique("project"), task_type: "image-annotation", datasets: [dataset] };
  const made = await call<ProjectResource>("POST", "/projects/", { ...common, ...body });
  expect(made.status).toBe(201);
  await call("POST", `/projects/${made.body.uid}/approve/`);
  return made.body;
}

const listTasks = async (project: string) =>
  (await call<Page<TaskResource>>("GET", `/tasks/?project=${project}`)).body.results;
const toPath = (project: string) => `/projects/${org.slug}/${project}/people/`;
const makePerson = (project: string, { username }: TestMember, ...roles: string[]) =>
  call<ProjectPersonResource>("POST", toPath(project), { user: username, roles });

describe("the people of a project", () => {
  test("are set, listed for every member, changed and removed by admins, and written to the audit log", async () => {
    const { uid } = await makeActive();
    expect((await makePerson(uid, ana, "reviewer", "annotator")).body).toEqual({
      user_uid: ana.uid,
      username: ana.username,
      roles: ["annotator", "reviewer"],
      has_access: true,
    });
    expect((await makePerson(uid, ana, "reviewer")).body.roles).toEqual(["reviewer"]);
    await makePerson(uid, ben, "annotator");
    const listed = await call<Page<ProjectPersonResource>>("GET", toPath(uid), undefined, ben.key);
    expect(new Map(listed.body.results.map(({ username, roles }) => [username, roles]))).toEqual(
      new Map([
        [ana.username, ["reviewer"]],
        [ben.username, ["annotator"]],
      ]),
    );
    expect((await createTrpcCaller(org, ben).projects.people.list({ uid })).results).toEqual(listed.body.results);
    expect((await call("POST", toPath(uid), { user: ben.uid, roles: ["reviewer"] }, ben.key)).status).toBe(403);
    expect((await call("DELETE", `${toPath(uid)}${ana.uid}/`)).status).toBe(204);
    expect((await call("DELETE", `${toPath(uid)}${ana.uid}/`)).status).toBe(404);
    const entries = await prisma.auditEntry.findMany({
      where: { targetId: uid, action: "project.people_changed" },
      orderBy: { uid: "asc" },
    });
    expect(entries.map(({ after }) => after)).toEqual([
      { username: ana.username, roles: ["reviewer", "annotator"] },
      { username: ana.username, roles: ["reviewer"] },
      { username: ben.username, roles: ["annotator"] },
      { username: ana.username, roles: [] },
    ]);
  });

  test("get the access of a project that only assigned members see, and keep none when they leave", async () => {
    const { uid } = await makeActive({ access: "assigned" });
    const carl = await addMember(org);
    expect((await call("GET", toPath(uid), undefined, carl.key)).status).toBe(404);
    expect((await makePerson(uid, carl, "annotator")).body.has_access).toBe(true);
    expect((await call("GET", toPath(uid), undefined, carl.key)).status).toBe(200);
    await call("DELETE", `/projects/${org.slug}/${uid}/members/${carl.uid}/`);
    expect((await call<Page<ProjectPersonResource>>("GET", toPath(uid))).body.results[0]?.has_access).toBe(false);
    const { uid: membership } = await prisma.membership.findFirstOrThrow({ where: { userId: carl.uid } });
    expect((await call("DELETE", `/organizations/${org.slug}/members/${membership}/`)).status).toBe(204);
    expect((await call<Page<ProjectPersonResource>>("GET", toPath(uid))).body.results).toEqual([]);
    expect(await prisma.projectPerson.count({ where: { userId: carl.uid } })).toBe(0);
  });

  test.each([
    [{ user: "nobody", roles: ["annotator"] }, { user: ['"nobody" is not a member.'] }],
    [{ user: "ana", roles: [] }, { roles: [expect.any(String)] }],
    [{ user: "ana", roles: ["owner"] }, { roles: [expect.stringContaining("owner")] }],
  ])("%j is refused", async (body, error) => {
    const { uid } = await makeActive();
    expect(await call("POST", toPath(uid), body)).toMatchObject({ status: 400, body: error });
  });
});

test("a project whose annotators are listed is labelled by them and admins only", async () => {
  const { uid, annotators_open: isOpen } = await makeActive({ annotators_open: false });
  expect(isOpen).toBe(false);
  await makePerson(uid, ana, "annotator");
  await makePerson(uid, ben, "reviewer");
  const [first, second] = await listTasks(uid);
  const status = async (path: string, body: object, key: string) => (await call("POST", path, body, key)).status;
  expect(await status(`/tasks/${first?.uid}/open/`, {}, ben.key)).toBe(403);
  expect(await status(`/tasks/${first?.uid}/results/`, { annotations: [] }, ben.key)).toBe(403);
  expect(await status("/tasks/next/", { project: uid }, ben.key)).toBe(204);
  const taken = await call("PATCH", `/tasks/${first?.uid}/`, { assignee: ben.username });
  expect(taken).toMatchObject({
    status: 400,
    body: { assignee: [`"${ben.username}" is no annotator of this project.`] },
  });
  expect(await status("/tasks/next/", { project: uid }, ana.key)).toBe(200);
  expect(await status(`/tasks/${second?.uid}/results/`, { annotations: [] }, org.key)).toBe(201);
  await call("PATCH", `/projects/${org.slug}/${uid}/`, { annotators_open: true });
  expect(await status("/tasks/next/", { project: uid }, ben.key)).toBe(200);
});

test("a result is decided by reviewers of its project and by admins, before anything else of the request is read", async () => {
  const { uid } = await makeActive();
  const tasks = await listTasks(uid);
  const submit = async (at: number) =>
    (await call<ResultResource>("POST", `/tasks/${tasks[at]?.uid}/results/`, { annotations: [] }, ana.key)).body.uid;
  const accept = async (result: string, key: string, body: object = {}) =>
    (await call("POST", `/results/${result}/accept/`, body, key)).status;
  const [first, second] = [await submit(0), await submit(1)];
  expect([await accept(first, ben.key), await accept(first, ben.key, { reason: 3 })]).toEqual([403, 403]);
  await makePerson((await makeActive()).uid, ben, "reviewer");
  expect(await accept(first, ben.key)).toBe(403);
  await makePerson(uid, ben, "reviewer");
  expect([await accept(first, ben.key, { reason: 3 }), await accept(first, ben.key)]).toEqual([400, 200]);
  await makePerson(uid, ana, "reviewer");
  // A reviewer, but the author.
  expect([await accept(second, ana.key), await accept(second, org.key)]).toEqual([400, 200]);
});

describe("a project without review", () => {
  test("accepts results when they are submitted, as Muster, with both events and every count once", async () => {
    const { uid } = await makeActive({ review: "none", quality_target: { threshold: 0.9 } });
    const tasks = await listTasks(uid);
    const uids: string[] = [];
    for (const task of tasks) {
      const { body } = await call<ResultResource>("POST", `/tasks/${task.uid}/results/`, { annotations: [] }, ana.key);
      expect(body).toMatchObject({ status: "accepted", submitted_by: ana.username, decided_by: "Muster" });
      uids.push(body.uid);
      expect((await call<TaskResource>("GET", `/tasks/${task.uid}/`)).body).toMatchObject({ state: "accepted" });
    }
    const project = (await call<ProjectResource>("GET", `/projects/${org.slug}/${uid}/`)).body;
    expect(project).toMatchObject({ status: "completed", completed_task_count: 4, accepted_count: 4, review: "none" });
    const entries = await prisma.auditEntry.findMany({ where: { targetId: uids[0] ?? "" }, orderBy: { uid: "asc" } });
    expect(entries.map(({ action, actorName }) => [action, actorName])).toEqual([
      ["result.submitted", expect.any(String)],
      ["result.accepted", "Muster"],
    ]);
    const item = await prisma.item.findUniqueOrThrow({ where: { uid: tasks[0]?.dataset_item ?? "" } });
    expect(item.status).toBe("customer_approved");
  });

  test("is copied with its settings", async () => {
    const { uid } = await makeActive({ review: "none", annotators_open: false });
    const copy = await call<ProjectResource>("POST", "/projects/create-from-existing/", { project: uid });
    expect(copy.body).toMatchObject({ review: "none", annotators_open: false, status: "pending-approval" });
  });
});
