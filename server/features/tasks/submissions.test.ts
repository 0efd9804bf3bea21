import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { ItemResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { DraftResource, LeaseResource, TaskForEditor } from "@/server/features/tasks/labelling-resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { makeBox, nextTask, put, saveDraft, startLabelling, type Labeller } from "@/server/testing/labelling";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

/** What was drawn becomes a result once, whatever arrives twice or at the same time. */

let org: TestOrganization;
let ana: TestMember;
let ben: TestMember;
beforeAll(async () => {
  org = await makeOrganization();
  [ana, ben] = await Promise.all([addMember(org), addMember(org, "admin")]);
});
const call = requestsWith(() => org.key);
const start = (count = 1) => startLabelling(org, ana, count);

const submit = (uid: string, { who, lease }: Labeller, version: number, more: object = {}) =>
  call<ResultResource & { code: string; version: number; checks: string[] }>(
    "POST",
    `/tasks/${uid}/draft/submit/`,
    { lease, version, key: randomUUID(), ...more },
    who.key,
  );
const readTask = async (uid: string) => (await call<TaskResource>("GET", `/tasks/${uid}/`)).body;
const readDraft = async (uid: string) => (await call<DraftResource>("GET", `/tasks/${uid}/draft/`)).body;
const listResults = async (uid: string) =>
  (await call<Page<ResultResource>>("GET", `/tasks/${uid}/results/`)).body.results;

describe("submitting a draft", () => {
  test("makes a result of its shapes, with the names of now and their ids, clipped to the picture", async () => {
    const { uid, project, dataset, item, labeller } = await start();
    const [a, b, c, d] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const points = [
      [0, 0],
      [40, 0],
      [40, 100],
    ];
    const area = { id: c, label_id: "0", type: "polygon", coordinates: { points }, attributes: {}, position: 0.5 };
    const pixels = { size: [48, 64], box: [10, 20, 2, 2], counts: "04" };
    const mask = { ...area, id: d, type: "mask", coordinates: pixels, position: 2 };
    await saveDraft(uid, labeller, 4, 0, [
      put(makeBox(a, 5, 1)),
      put(makeBox(b, -4)),
      { op: "put", id: c, shape: area },
      { op: "put", id: d, shape: mask },
    ]);
    const renamed = { labels: [{ id: "0", name: "truck" }] };
    expect((await call("PATCH", `/projects/${org.slug}/${project}/`, renamed)).status).toBe(200);
    const refused = await submit(uid, labeller, 1);
    expect([refused.status, refused.body.checks]).toEqual([
      400,
      [b, c].map((id) => `outside.${id}: Reaches out of the picture and will be clipped.`),
    ]);
    const { status, body } = await submit(uid, labeller, 1, { ignore: ["outside"] });
    expect([status, body.status, body.submitted_by]).toEqual([201, "submitted", ana.username]);
    expect(body.annotations).toMatchObject([
      { label: "truck", coordinates: { x: 0, y: 2, width: 6, height: 10 }, attributes: { id: b, truck: true } },
      { label: "truck", type: "polygon", attributes: { id: c } },
      { label: "truck", coordinates: { x: 5, y: 2, width: 10, height: 10 }, attributes: { id: a } },
      { label: "truck", type: "mask", coordinates: pixels, attributes: { id: d } },
    ]);
    expect(await readTask(uid)).toMatchObject({ state: "submitted", status: "completed" });
    const found = await call<ItemResource>("GET", `/datasets/${org.slug}/${dataset}/items/${item}/`);
    expect(found.body.status).toBe("completed");
    expect((await readDraft(uid)).shapes).toHaveLength(4);
  });

  test("refuses masks that hold no pixels of the picture, or none at all", async () => {
    const { uid, labeller } = await start();
    const id = randomUUID();
    const put = (size: number[], counts: string) => ({
      op: "put",
      id,
      shape: { ...makeBox(id), type: "mask", coordinates: { size, box: [0, 0, 2, 2], counts } },
    });
    expect((await saveDraft(uid, labeller, 1, 0, [put([48, 64], "05")])).status).toBe(400);
    expect((await saveDraft(uid, labeller, 1, 0, [put([50, 64], "04")])).status).toBe(200);
    expect((await submit(uid, labeller, 1, { ignore: ["outside"] })).body.checks).toEqual([
      `outside.${id}: Nothing of it is in the picture.`,
    ]);
  });

  test("refuses labels that are not the project's or retired, and what is wholly outside, whatever is ignored", async () => {
    const { uid, project, labeller } = await start();
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    await saveDraft(uid, labeller, 3, 0, [
      put({ ...makeBox(a), label_id: "7" }),
      put(makeBox(b, 20)),
      put(makeBox(c, 500, 2)),
    ]);
    const ignore = ["unknown_label", "retired_label", "outside"];
    expect((await submit(uid, labeller, 1, { ignore })).body.checks).toEqual([
      `unknown_label.${a}: Its label is not one of the project.`,
    ]);
    await saveDraft(uid, labeller, 4, 1, [{ op: "drop", id: a }]);
    expect((await submit(uid, labeller, 2, { ignore })).body.checks).toEqual([
      `outside.${c}: Nothing of it is in the picture.`,
    ]);
    await saveDraft(uid, labeller, 5, 2, [{ op: "drop", id: c }]);
    await call("PATCH", `/projects/${org.slug}/${project}/`, { labels: [{ name: "car", retired: true }] });
    expect((await submit(uid, labeller, 3, { ignore })).body.checks).toEqual([
      `retired_label.${b}: The label car is retired.`,
    ]);
    expect(await readTask(uid)).toMatchObject({ state: "in_work" });
    expect(await listResults(uid)).toEqual([]);
  });

  test("with one key makes one result, also when it arrives many times at once", async () => {
    const { uid, project, labeller } = await start();
    await saveDraft(uid, labeller, 1, 0, [put(makeBox(randomUUID()))]);
    const key = randomUUID();
    const all = await Promise.all(Array.from({ length: 8 }, () => submit(uid, labeller, 1, { key })));
    expect(new Set(all.map(({ status, body }) => `${status} ${body.uid}`)).size).toBe(1);
    expect(await listResults(uid)).toHaveLength(1);
    const other = await submit(uid, labeller, 1);
    expect([other.status, other.body.status]).toEqual([400, ["This task is completed."]]);
    const { body } = await call<ProjectResource>("GET", `/projects/${org.slug}/${project}/`);
    expect([body.completed_task_count, body.status]).toEqual([1, "completed"]);
  });

  test("is refused for another version, with another lease, and after somebody else's result", async () => {
    const { uid, labeller } = await start();
    await saveDraft(uid, labeller, 1, 0, [put(makeBox(randomUUID()))]);
    expect(await submit(uid, labeller, 0)).toMatchObject({ status: 409, body: { code: "draft_moved", version: 1 } });
    const lease = "0".repeat(64);
    expect(await submit(uid, { ...labeller, lease }, 1)).toMatchObject({ status: 409, body: { code: "lease_lost" } });
    expect((await call("POST", `/tasks/${uid}/results/`, { annotations: [] })).status).toBe(201);
    expect(await submit(uid, labeller, 1)).toMatchObject({
      status: 400,
      body: { status: ["This task is completed."] },
    });
    expect((await readDraft(uid)).shapes).toHaveLength(1);
  });

  test("or taking the task over: one of the two is refused, and nothing is stored twice", async () => {
    for (let at = 0; at < 5; at++) {
      const { uid, labeller } = await start();
      const take = () => call("POST", `/tasks/${uid}/take-over/`, undefined, ben.key);
      const [submitted, taken] = await Promise.all([submit(uid, labeller, 0), take()]);
      expect([
        [201, 400],
        [409, 200],
      ]).toContainEqual([submitted.status, taken.status]);
      expect(await listResults(uid)).toHaveLength(submitted.status === 201 ? 1 : 0);
    }
  });

  test("gives the next task in the same transaction, and none when the project is done", async () => {
    const { uid, project, labeller } = await start(2);
    const trpc = createTrpcCaller(org, ana);
    const { lease } = labeller;
    const one = await trpc.tasks.submit({ uid, lease, version: 0, key: randomUUID(), next: { project } });
    const next: TaskForEditor | null = one.next;
    expect([one.result.task, next?.task.state, next?.task.assignee]).toEqual([uid, "in_work", ana.username]);
    expect((await nextTask(project, ben)).status).toBe(204);
    const held = { uid: next?.task.uid ?? "", lease: next?.lease?.token ?? "", version: 0, key: randomUUID() };
    const two = await trpc.tasks.submit({ ...held, next: { project } });
    expect([two.result.status, two.next]).toEqual(["submitted", null]);
  });
});

test("a rejected result becomes the draft of the next round, with the ids that its shapes had", async () => {
  const { uid, project, labeller } = await start();
  const [a, b] = [randomUUID(), randomUUID()];
  await saveDraft(uid, labeller, 2, 0, [put(makeBox(a, 5)), put(makeBox(b, 30, 1))]);
  const result = (await submit(uid, labeller, 1)).body.uid;
  await call("PATCH", `/projects/${org.slug}/${project}/`, { labels: [{ id: "0", name: "truck" }] });
  await call("POST", `/results/${result}/reject/`, {}, ben.key);
  const again = (await nextTask(project, ana)).body;
  expect(again).toMatchObject({ task: { uid, state: "rework" }, draft: { version: 2, by: ben.username } });
  expect(again.draft?.shapes).toEqual([makeBox(a, 5), makeBox(b, 30, 1)]);
  const held = { ...labeller, lease: again.lease?.token ?? "" };
  const second = await submit(uid, held, 2);
  expect(second.body.annotations).toMatchObject([{ label: "truck", attributes: { id: a } }, { attributes: { id: b } }]);
  // A result of a program has no ids, and the draft of its next round is its shapes.
  await call("POST", `/results/${second.body.uid}/reject/`, {}, ben.key);
  const annotations = [{ label: "truck", type: "bbox", coordinates: { x: 1, y: 1, width: 9, height: 9 } }];
  const third = await call<ResultResource>("POST", `/tasks/${uid}/results/`, { annotations }, ana.key);
  await call("POST", `/results/${third.body.uid}/reject/`, {}, ben.key);
  expect((await readDraft(uid)).shapes).toMatchObject([{ label_id: "0", coordinates: { width: 9 }, position: 0 }]);
});

test("a result that was rejected before drafts were kept is the draft of whoever works on its task next", async () => {
  const { uid, project, labeller } = await start();
  const shape = makeBox(randomUUID(), 5);
  await saveDraft(uid, labeller, 1, 0, [put(shape)]);
  const result = (await submit(uid, labeller, 1)).body.uid;
  await call("POST", `/results/${result}/reject/`, {}, ben.key);
  await prisma.taskDraft.delete({ where: { taskId: uid } });
  const { draft, lease } = (await nextTask(project, ana)).body;
  expect(draft).toMatchObject({ version: 1, shapes: [shape] });
  // What somebody emptied stays empty.
  const held = { ...labeller, lease: lease?.token ?? "" };
  await saveDraft(uid, held, 1, 1, [{ op: "drop", id: shape.id }]);
  const again = await call<LeaseResource>("POST", `/tasks/${uid}/take-over/`, {}, ana.key);
  expect([again.status, (await readDraft(uid)).shapes]).toEqual([200, []]);
});
