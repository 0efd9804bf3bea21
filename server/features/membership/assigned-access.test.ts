import { beforeAll, describe, expect, test } from "vitest";
import type { AssignedMember } from "@/server/features/membership/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { uuidv7 } from "@/server/platform/uid";
import { addMember, makeOrganization, unique, type TestMember } from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";
import { slugOfMark } from "@/server/testing/seed-data-loop";
import { seedOrganization, type Seeded } from "@/server/testing/seed-organization";

/** A dataset or project with `access: "assigned"`, and what hangs on it, for members who are not assigned. */

let org: Awaited<ReturnType<typeof makeOrganization>>;
let by: Seeded["by"];
let slug: string;
let assigned: TestMember;
let other: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  const mark = unique("assigned");
  ({ by } = await seedOrganization(org, mark));
  slug = slugOfMark(mark);
  [assigned, other] = await Promise.all([addMember(org), addMember(org)]);
});

const get = (who: { key: string }, path: string) => request("GET", path, { key: who.key });
const status = async (who: { key: string }, method: string, path: string, body?: unknown) =>
  (await request(method, path, { key: who.key, ...(body !== undefined && { body }) })).status;
const dataset = () => `/datasets/${org.slug}/${slug}/`;
const project = () => `/projects/${org.slug}/${by.project}/`;

/** What the key reads: the status of each object, and how many results each list has. */
async function readAll(who: { key: string }, objects: readonly string[], lists: readonly string[]) {
  return {
    objects: await Promise.all(objects.map(async (path) => [path, (await get(who, path)).status])),
    lists: await Promise.all(
      lists.map(async (path) => {
        const { body } = await get(who, path);
        return [path, body.results.length, body.count ?? body.results.length];
      }),
    ),
  };
}
const seen = (paths: readonly string[], lists: readonly string[], count: 0 | 1, code: number) => ({
  objects: paths.map((path) => [path, code]),
  lists: lists.map((path) => [path, count, count]),
});

describe("a dataset with assigned access", () => {
  const objects = () => [
    dataset(),
    `${dataset()}items/`,
    `${dataset()}items/${by.item}/`,
    `${dataset()}moments/`,
    `${dataset()}moments/${by.moment}/`,
    `${dataset()}sequences/`,
    `${dataset()}sequences/${by.sequence}/`,
    `/slices/dataset/${by.dataset}/`,
    `/slices/${org.slug}/${slug}/`,
    `/slices/${org.slug}/${slug}/items/list/`,
    `/tasks/${by.task}/`,
    `/tasks/${by.task}/results/`,
    `/results/${by.result}/`,
    `/models/runs/${by.run}/`,
    `/models/runs/${by.run}/predictions/`,
    `/exports/${by.export}/`,
  ];
  const lists = () => [
    "/datasets/",
    `/datasets/${org.slug}/list/`,
    `/slices/${org.slug}/list/`,
    "/tasks/",
    "/models/runs/",
    "/exports/",
  ];

  beforeAll(async () => {
    // The seed counts no slices, and its export selects nothing.
    await prisma.organization.update({ where: { uid: org.uid }, data: { sliceCount: 1 } });
    await prisma.dataset.update({ where: { uid: by.dataset }, data: { sliceCount: 1 } });
    await prisma.export.update({
      where: { uid: by.export },
      data: { datasets: [], slices: [by.slice], projects: [] },
    });
  });

  test("is seen with everything that hangs on it while its access is the organization's", async () => {
    expect(await readAll(other, objects(), lists())).toEqual(seen(objects(), lists(), 1, 200));
  });

  test("is absent for other members, with everything that hangs on it, and there for admins", async () => {
    expect((await request("PATCH", dataset(), { key: org.key, body: { access: "assigned" } })).body.access).toBe(
      "assigned",
    );
    expect(await readAll(other, objects(), lists())).toEqual(seen(objects(), lists(), 0, 404));
    expect(await readAll(org, objects(), lists())).toEqual(seen(objects(), lists(), 1, 200));
    expect((await get(other, project())).body.datasets).toEqual([]);
  });

  test("of which a project is exported is in no export of others, and its items in no run", async () => {
    const exported = { name: "x", format: "YOLO", datasets: [], slices: [], projects: [] };
    for (const selection of [{ datasets: [by.dataset] }, { slices: [by.slice] }, { projects: [by.project] }])
      expect(await status(other, "POST", "/exports/", { ...exported, ...selection })).toBe(400);
    const target = { dataset_uid: by.dataset, dataset_item_uids: [by.item] };
    expect(await status(other, "POST", `/models/integrations/${by.integration}/predict/`, [target])).toBe(400);
    const invoked = { integration_uid: by.integration, dataset_item_uid: by.item };
    expect(await status(other, "POST", "/inference/invoke/", invoked)).toBe(400);
    expect(await status(other, "POST", "/slices/", { name: unique(), dataset: by.dataset })).toBe(400);
    expect(await status(other, "POST", `/fleet/recordings/${by.recording}/to-dataset/`, { dataset: by.dataset })).toBe(
      400,
    );
  });

  test("takes no upload of others, with a valid body or another", async () => {
    const path = `${dataset()}upload/init/`;
    expect(await status(other, "POST", path, { files: [{ path: "a.png", size_bytes: 1 }] })).toBe(404);
    expect(await status(other, "POST", path, {})).toBe(404);
    expect(await status(other, "POST", `/tasks/${by.task}/open/`)).toBe(404);
  });

  test("is seen by a member from the moment of the assignment to its end", async () => {
    const add = (user: string) =>
      request<AssignedMember>("POST", `${dataset()}members/`, { key: org.key, body: { user } });
    const first = await add(assigned.username);
    expect([first.status, first.body]).toMatchObject([201, { user_uid: assigned.uid, username: assigned.username }]);
    expect((await add(assigned.uid)).body).toEqual(first.body);
    expect((await add("nobody")).status).toBe(400);
    const { body } = await get(org, `${dataset()}members/`);
    expect(body.results).toContainEqual(first.body);
    expect(await readAll(assigned, objects(), lists())).toEqual(seen(objects(), lists(), 1, 200));
    expect(await status(assigned, "GET", `${dataset()}members/`)).toBe(403);
    expect(await status(org, "DELETE", `${dataset()}members/${assigned.uid}/`)).toBe(204);
    expect(await status(org, "DELETE", `${dataset()}members/${assigned.uid}/`)).toBe(404);
    expect(await readAll(assigned, objects(), lists())).toEqual(seen(objects(), lists(), 0, 404));
  });
});

describe("a project with assigned access", () => {
  const objects = () => [
    project(),
    `/tasks/${by.task}/`,
    `/tasks/${by.task}/results/`,
    `/results/${by.result}/`,
    `/work-batches/${by.workBatch}/`,
    `/exports/${by.export}/`,
  ];
  const lists = () => [`/projects/${org.slug}/`, "/tasks/", "/work-batches/", "/exports/"];

  beforeAll(async () => {
    await prisma.dataset.update({ where: { uid: by.dataset }, data: { access: "organization" } });
    await prisma.export.update({ where: { uid: by.export }, data: { slices: [], projects: [by.project] } });
  });

  test("is absent for other members, with everything that hangs on it, and seen by those assigned", async () => {
    expect(await readAll(other, objects(), lists())).toEqual(seen(objects(), lists(), 1, 200));
    expect(await status(org, "PATCH", project(), { access: "assigned" })).toBe(200);
    expect(await readAll(other, objects(), lists())).toEqual(seen(objects(), lists(), 0, 404));
    expect(await status(org, "POST", `${project()}members/`, { user: assigned.uid })).toBe(201);
    expect(await readAll(assigned, objects(), lists())).toEqual(seen(objects(), lists(), 1, 200));
    expect(await readAll(org, objects(), lists())).toEqual(seen(objects(), lists(), 1, 200));
  });

  test("is not acted on by others through an agent", async () => {
    await prisma.agentExecution.update({
      where: { uid: by.execution },
      data: {
        projectId: by.project,
        taskId: by.task,
        resultId: by.result,
        status: "pending",
        completedAt: null,
        deadline: new Date("2099-01-01"),
      },
    });
    await prisma.agent.update({ where: { uid: by.agent }, data: { callbackUrl: "" } });
    const action = { execution: by.execution, action: "skip" };
    const refused = await request("POST", "/agent-actions/", { key: other.key, body: action });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["execution"]]);
    expect(await status(assigned, "POST", "/agent-actions/", action)).toBe(200);
  });

  test("is not seen again by a member who was removed and came back", async () => {
    const membership = await prisma.membership.findFirstOrThrow({
      where: { organizationId: org.uid, userId: assigned.uid },
    });
    expect(await status(org, "DELETE", `/organizations/${org.slug}/members/${membership.uid}/`)).toBe(204);
    const again = await addMember(org, "member", { user: assigned });
    expect(await readAll(again, objects(), lists())).toEqual(seen(objects(), lists(), 0, 404));
  });
});

describe.each([
  ["dataset", dataset],
  ["project", project],
])("the members assigned to a %s", (kind, path) => {
  test("are read page by page, written to the audit log, and are members of the organization", async () => {
    const people = await Promise.all([addMember(org), addMember(org), addMember(org)]);
    const members = `${path()}members/`;
    for (const { uid } of people) expect(await status(org, "POST", members, { user: uid })).toBe(201);
    const seenUids: string[] = [];
    for (let next: string | null = `${members}?limit=1`; next !== null;) {
      const { body }: { body: Page<AssignedMember> } = await request("GET", next, { key: org.key });
      expect(body.results).toHaveLength(1);
      seenUids.push(...body.results.map(({ user_uid: uid }) => uid));
      ({ next } = body);
    }
    expect(seenUids).toEqual(expect.arrayContaining(people.map(({ uid }) => uid)));
    expect(new Set(seenUids).size).toBe(seenUids.length);

    const stranger = await makeOrganization();
    expect(await status(org, "POST", members, { user: stranger.owner.uid })).toBe(400);
    expect(await status(stranger, "GET", members)).toBe(404);
    expect(await status(org, "DELETE", `${members}${people[0]?.uid}/`)).toBe(204);
    const entries = await prisma.auditEntry.findMany({
      where: { organizationId: org.uid, action: { startsWith: `${kind}.member_` } },
      orderBy: { uid: "desc" },
      take: 4,
      select: { action: true },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      `${kind}.member_removed`,
      ...people.map(() => `${kind}.member_added`),
    ]);
  });

  test("are shown, assigned and unassigned in the dashboard, by admins alone", async () => {
    const person = await addMember(org);
    const toCalls = (who: Parameters<typeof createTrpcCaller>[1]) => {
      const { datasets, projects } = createTrpcCaller(org, who);
      const at = { owner: org.slug, slug };
      const user = { user_uid: person.uid };
      return kind === "dataset"
        ? {
            list: () => datasets.members.list(at),
            add: () => datasets.members.add({ ...at, user: person.uid }),
            remove: () => datasets.members.remove({ ...at, ...user }),
          }
        : {
            list: () => projects.members.list({ uid: by.project }),
            add: () => projects.members.add({ uid: by.project, user: person.uid }),
            remove: () => projects.members.remove({ uid: by.project, ...user }),
          };
    };
    const calls = toCalls(org.owner);
    const isListed = async () => (await calls.list()).results.some(({ user_uid: uid }) => uid === person.uid);
    expect(await isListed()).toBe(false);
    await calls.add();
    expect(await isListed()).toBe(true);
    for (const refused of Object.values(toCalls(person)))
      await expect(refused()).rejects.toMatchObject({ code: "FORBIDDEN" });
    await calls.remove();
    expect(await isListed()).toBe(false);
  });
});

test("what was made from a dataset with assigned access stays hidden from other members after its deletion", async () => {
  const home = await makeOrganization();
  const mark = unique("gone");
  const seeded = await seedOrganization(home, mark);
  const member = await addMember(home);
  const { dataset: datasetUid, slice, project: projectUid, run, export: ofDataset } = seeded.by;
  const sources = {
    ofDataset: { datasets: [datasetUid] },
    ofSlice: { slices: [slice] },
    ofProject: { projects: [projectUid] },
  };
  const exports = { ofDataset, ofSlice: uuidv7(), ofProject: uuidv7(), ofAnother: uuidv7() };
  const none = { datasets: [], slices: [], projects: [] };
  await prisma.export.update({ where: { uid: ofDataset }, data: { ...none, ...sources.ofDataset } });
  const made = { organizationId: home.uid, format: "YOLO", status: "exported", ...none };
  await prisma.export.createMany({
    data: [
      { ...made, uid: exports.ofSlice, name: "of a slice", ...sources.ofSlice },
      { ...made, uid: exports.ofProject, name: "of a project", ...sources.ofProject },
      { ...made, uid: exports.ofAnother, name: "of another dataset", datasets: [uuidv7()] },
    ],
  });
  const paths = [...Object.values(exports).map((uid) => `/exports/${uid}/`), `/models/runs/${run}/`];
  const statuses = (who: { key: string }) => Promise.all(paths.map(async (path) => (await get(who, path)).status));
  expect(await statuses(member)).toEqual([200, 200, 200, 200, 200]);
  await prisma.dataset.update({ where: { uid: datasetUid }, data: { access: "assigned" } });
  expect(await statuses(member)).toEqual([404, 404, 404, 200, 404]);
  await prisma.project.update({ where: { uid: projectUid }, data: { status: "archived" } });
  const of = `${home.slug}/${slugOfMark(mark)}`;
  expect(await status(home, "DELETE", `/slices/${of}/`)).toBe(204);
  expect(await statuses(member)).toEqual([404, 404, 404, 200, 404]);
  expect(await status(home, "DELETE", `/datasets/${of}/`)).toBe(204);
  expect(await statuses(member)).toEqual([404, 404, 404, 200, 404]);
  expect(await statuses(home)).toEqual([200, 200, 200, 200, 200]);
});
