import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { TaskResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let dataset: DatasetResource;

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  dataset = await pictures(org, 4);
});

const call = requestsWith(() => org.key);
const screens = () => createTrpcCaller(org).projects;

async function make(body: object = {}): Promise<ProjectResource> {
  const made = await call<ProjectResource>("POST", "/projects/", {
    name: unique("project"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [{ name: "robot" }, { name: "cart" }],
    ...body,
  });
  expect(made.status).toBe(201);
  return made.body;
}

/** Submits a result with a box of each of the labels for the task at a place. */
async function submit(project: string, at: number, labels: readonly string[]): Promise<void> {
  const tasks = (await call<Page<TaskResource>>("GET", `/tasks/?project=${project}`)).body.results;
  const annotations = labels.map((label) => ({
    label,
    type: "bbox",
    coordinates: { x: 1, y: 1, width: 2, height: 2 },
  }));
  const { status } = await call("POST", `/tasks/${tasks[at]?.uid}/results/`, { annotations });
  expect(status).toBe(201);
}

describe("the list of projects", () => {
  test("has the counts, target and members of each, by status and by name, page by page", async () => {
    const name = unique("Yard");
    const first = await make({ name: `${name} b`, quality_target: { threshold: 0.9 }, access: "assigned" });
    const second = await make({ name: `${name} a` });
    await call("POST", `/projects/${org.slug}/${first.uid}/members/`, {
      user: (await addMember(org)).uid,
    });
    await screens().step({ uid: second.uid, step: "approve" });
    await submit(second.uid, 0, ["robot"]);
    const search = name.slice(2);
    const { results } = await screens().overview({ search });
    expect(results).toMatchObject([
      {
        uid: second.uid,
        status: "active",
        task_count: 4,
        completed_count: 1,
        accepted_count: 0,
        access: "organization",
      },
      {
        uid: first.uid,
        status: "pending-approval",
        task_count: 0,
        member_count: 1,
        quality_target: { metric: "acceptance_rate", threshold: 0.9 },
        created_by_uid: org.owner.uid,
      },
    ]);
    const uids = async (filters: object) =>
      (await screens().overview({ search, ...filters })).results.map(({ uid }) => uid);
    expect(await uids({ status: "active,paused" })).toEqual([second.uid]);
    expect(await uids({ ordering: "-name" })).toEqual([first.uid, second.uid]);
    const page = await screens().overview({ search, ordering: "name", limit: 1 });
    expect(page.results.map(({ uid }) => uid)).toEqual([second.uid]);
    expect(await uids({ ordering: "name", limit: 1, cursor: page.next })).toEqual([first.uid]);
  });

  test("leaves out those of other organizations and those that the caller is not assigned to", async () => {
    const { uid, name } = await make({ access: "assigned" });
    const member = await addMember(org);
    expect((await createTrpcCaller(other).projects.overview({ search: name })).results).toEqual([]);
    for (const stranger of [createTrpcCaller(other), createTrpcCaller(org, member)]) {
      expect((await stranger.projects.overview({ search: name })).results).toEqual([]);
      for (const read of [
        () => stranger.projects.overviewOf({ uid }),
        () => stranger.projects.batches({ project: uid }),
        () => stranger.projects.labelCounts({ uid }),
      ])
        await expect(read()).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });
});

describe("the page of a project", () => {
  test("says who took which step and when, newest first, beside datasets that the reader sees", async () => {
    const hidden = await pictures(org, 1);
    const { uid } = await make({ datasets: [dataset.uid, hidden.uid] });
    await screens().step({ uid, step: "approve" });
    await screens().step({ uid, step: "pause" });
    const found = await screens().overviewOf({ uid });
    expect(found.steps).toMatchObject([
      { status: "paused", by: org.owner.username },
      { status: "active", by: org.owner.username },
    ]);
    expect(found.datasets).toMatchObject([
      { uid: dataset.uid, item_count: 4, pending_count: 0 },
      { uid: hidden.uid, item_count: 1 },
    ]);
    expect(found.labels).toMatchObject([
      { name: "robot", number: 0 },
      { name: "cart", number: 1 },
    ]);
    await prisma.dataset.update({ where: { uid: hidden.uid }, data: { access: "assigned" } });
    const member = createTrpcCaller(org, await addMember(org));
    expect((await member.projects.overviewOf({ uid })).datasets.map((each) => each.uid)).toEqual([dataset.uid]);
    expect((await screens().batches({ project: uid })).results).toMatchObject([{ number: 1, task_count: 5 }]);
  });

  test("counts the results of each label under every name that it ever had, rejected ones left out", async () => {
    const { uid, labels } = await make();
    await screens().step({ uid, step: "approve" });
    await submit(uid, 0, ["robot", "robot", "cart"]);
    await submit(uid, 1, ["robot"]);
    await submit(uid, 2, ["cart"]);
    const [last] = await prisma.result.findMany({ where: { projectId: uid }, orderBy: { uid: "desc" }, take: 1 });
    await prisma.result.update({ where: { uid: last?.uid ?? "" }, data: { status: "rejected" } });
    const [robot, cart] = labels;
    await screens().update({ uid, change: { labels: [{ id: robot?.id, name: "machine" }, { name: "cart" }] } });
    expect(await screens().labelCounts({ uid })).toEqual({ [robot?.id ?? ""]: 2, [cart?.id ?? ""]: 1 });
  });

  test("a step that does not start from the status is refused, as is every step of a member", async () => {
    const { uid } = await make();
    await expect(screens().step({ uid, step: "resume" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    const member = createTrpcCaller(org, await addMember(org));
    await expect(member.projects.step({ uid, step: "approve" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("the guide of a project", () => {
  test("is written, copied with the project, shown on its page and in the editor, and has at most 65,536 characters", async () => {
    const project = await make({ guide: "## Robots" });
    await screens().update({ uid: project.uid, change: { guide: "## Robots and carts" } });
    const copy = await call<ProjectResource>("POST", "/projects/create-from-existing/", { project: project.uid });
    for (const { uid } of [project, copy.body])
      expect((await screens().overviewOf({ uid })).guide).toBe("## Robots and carts");
    await screens().step({ uid: project.uid, step: "approve" });
    const [task] = (await call<Page<TaskResource>>("GET", `/tasks/?project=${project.uid}`)).body.results;
    const editor = await call<{ project: { guide: string } }>("GET", `/tasks/${task?.uid}/editor/`);
    expect(editor.body.project.guide).toBe("## Robots and carts");
    const path = `/projects/${org.slug}/${project.uid}/`;
    expect((await call("PATCH", path, { guide: "é".repeat(64 * 1024) })).status).toBe(200);
    const refused = await call("PATCH", path, { guide: `é${"é".repeat(64 * 1024)}` });
    expect([refused.status, refused.body]).toEqual([
      400,
      expect.objectContaining({ guide: ["Ensure this field has no more than 65536 characters."] }),
    ]);
  });
});

describe("what a new project may be made of", () => {
  test("is the chosen datasets first and those of the searched name; nobody else's", async () => {
    const more = await pictures(org, 1);
    const theirs = await pictures(other, 1);
    const chosen = [dataset.uid, theirs.uid];
    const found = await screens().sources({ chosen, search: more.name });
    expect(found).toMatchObject([
      { kind: "dataset", uid: dataset.uid, name: dataset.name, data_type: "image", item_count: 4, pending_count: 0 },
      { uid: more.uid, name: more.name, data_type: "image", item_count: 1, pending_count: 0 },
    ]);
    const made = await screens().create({
      name: "Two",
      task_type: "image-annotation",
      datasets: [dataset.uid, more.uid],
    });
    await screens().step({ uid: made.uid, step: "approve" });
    expect(await screens().overviewOf({ uid: made.uid })).toMatchObject({ status: "active", task_count: 5 });
    await expect(
      screens().create({ name: "Theirs", task_type: "image-annotation", datasets: [theirs.uid] }),
    ).rejects.toThrow(/does not exist/);
  });
});
