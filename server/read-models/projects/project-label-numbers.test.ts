import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource } from "@/server/features/tasks/resource";
import { pool, prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { readLabelNumbers } from "@/server/read-models/projects/project-label-numbers";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** What was submitted with each label, and what became of it. */

let org: TestOrganization;
let ana: TestMember;
let project: string;
let tasks: string[];
const call = requestsWith(() => org.key);
const [carId, cartId] = [randomUUID(), randomUUID()];
const makeShape = (label: string, id: string = randomUUID()) => ({
  label,
  type: "bbox",
  coordinates: { x: 1, y: 1, width: 2, height: 2 },
  attributes: { id },
});

const submit = async (at: number, ...annotations: object[]) =>
  (await call<ResultResource>("POST", `/tasks/${tasks[at]}/results/`, { annotations }, ana.key)).body.uid;

beforeAll(async () => {
  org = await makeOrganization();
  ana = await addMember(org);
  const dataset = await pictures(org, 4);
  const body = {
    name: unique("p"),
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [{ name: "automobile" }, { name: "cart" }, { name: "person" }],
  };
  const { uid, labels } = (await call<ProjectResource>("POST", "/projects/", body)).body;
  project = uid;
  await call("POST", `/projects/${uid}/approve/`);
  const found = await prisma.task.findMany({ where: { projectId: uid }, orderBy: { uid: "asc" } });
  tasks = found.map((task) => task.uid);
  const accepted = await submit(0, makeShape("automobile"), makeShape("automobile"), makeShape("cart"));
  const renamed = labels.map((label) => (label.name === "automobile" ? { ...label, name: "car" } : label));
  await createTrpcCaller(org).projects.update({ uid, change: { labels: renamed } });
  const rejected = await submit(1, makeShape("car", carId), makeShape("cart", cartId), makeShape("cart"));
  const corrected = await submit(2, makeShape("car"));
  await submit(3, makeShape("car"), makeShape("car"));
  await call("POST", `/results/${accepted}/accept/`, {});
  await call("POST", `/results/${rejected}/reject/`, {
    issues: [
      { kind: "wrong_place", shape: carId },
      { kind: "wrong_place", shape: cartId },
      { kind: "wrong_label", shape: cartId },
      { kind: "missing", point: [1, 1] },
      { kind: "extra", shape: randomUUID() },
    ],
  });
  await call("POST", `/results/${corrected}/revise/`, { annotations: [makeShape("cart")], key: randomUUID() });
  const { results } = (await call<{ results: { uid: string; kind: string }[] }>("GET", `/tasks/${tasks[1]}/issues/`))
    .body;
  const settled = results.find(({ kind }) => kind === "wrong_label")?.uid;
  await call("PATCH", `/issues/${settled}/`, { state: "resolved" });
});

const read = (who?: TestMember) => createTrpcCaller(org, who).projects.byLabel({ uid: project });
const expected = [
  {
    name: "car",
    shapes: 6,
    accepted: 1,
    rejected: 1,
    corrected: 1,
    undecided: 1,
    issues: [{ kind: "wrong_place", count: 1 }],
    open_issues: 1,
  },
  {
    name: "cart",
    shapes: 4,
    accepted: 2,
    rejected: 1,
    corrected: 0,
    undecided: 0,
    issues: [
      { kind: "wrong_label", count: 1 },
      { kind: "wrong_place", count: 1 },
    ],
    open_issues: 1,
  },
  { name: "person", shapes: 0, accepted: 0, rejected: 0, corrected: 0, undecided: 0, issues: [], open_issues: 0 },
];

test("counts shapes, what became of their results, and what is wrong with them, former names included", async () => {
  expect(await read(ana)).toMatchObject({ labels: expected, newest_issues: null });
});

test("the queue finds by a label what was submitted under its former name, in the same numbers", async () => {
  const count = async (label: string, state: "submitted" | "accepted" | "rejected") =>
    (await createTrpcCaller(org).results.queue({ project, label, state })).results.length;
  expect([await count("car", "accepted"), await count("car", "submitted")]).toEqual([1, 1]);
  // One of them was corrected.
  expect(await count("car", "rejected")).toBe(2);
  expect(await count("automobile", "accepted")).toBe(1);
});

test("counts the same of results that were stored before their labels were counted", async () => {
  await prisma.$executeRaw`update results set label_counts = null where project_id = ${project}`;
  expect(await read()).toMatchObject({ labels: expected });
});

test("names that are no labels are listed, where a project has none", async () => {
  await prisma.project.update({ where: { uid: project }, data: { labels: [] } });
  expect((await read())?.labels.map(({ id, name, shapes }) => [id, name, shapes])).toEqual([
    [null, "car", 4],
    [null, "cart", 4],
    [null, "automobile", 2],
  ]);
});

test("shows nothing of projects that the caller does not see", async () => {
  const foreign = createTrpcCaller(await makeOrganization());
  for (const uid of [project, uuidv7()])
    await expect(foreign.projects.byLabel({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("is left out where counting takes too long", async () => {
  const client = await pool.connect();
  try {
    await client.query("begin; lock table results");
    expect(await readLabelNumbers(org.ctx, project, 100)).toBeNull();
  } finally {
    await client.query("rollback");
    client.release();
  }
});
