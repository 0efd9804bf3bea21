import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { takeOffered } from "@/domain/annotations/pre-label";
import { completeLabels } from "@/domain/projects/label-schema";
import * as modelJobs from "@/server/features/models/jobs";
import { toNodes } from "@/server/features/models/predict";
import * as taskJobs from "@/server/features/tasks/jobs";
import { toOfferedShapes } from "@/server/features/tasks/pre-label-service";
import type { ResultResource } from "@/server/features/tasks/resource";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { uuidv7 } from "@/server/platform/uid";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { makeTasks, nextTask, put, saveDraft } from "@/server/testing/labelling";
import { runJobs } from "@/server/testing/processing";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { createTrpcCaller, request } from "@/server/testing/requests";

let org: TestOrganization;
let member: TestMember;
let receiver: Receiver;
let integration: string;
let restore = () => {};
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
  member = await addMember(org);
  const made = await createTrpcCaller(org).models.connect({
    name: unique("model"),
    model_type_name: "detector",
    url: receiver.url,
  });
  integration = made.integration.uid;
});
afterAll(async () => {
  restore();
  await receiver.close();
});

const predicted = (label: string, x: number, score?: number) => ({
  label,
  type: "bbox",
  coordinates: { x, y: 2, width: 10, height: 10 },
  attributes: { brand: "acme", ...(score !== undefined && { score }) },
});

/** A project with tasks, and a run that predicted two cars and a tree on each of its items. */
async function start(count = 3) {
  const made = await makeTasks(org, count);
  const items = await prisma.task.findMany({ where: { projectId: made.project }, select: { itemId: true } });
  const { datasetId } = await prisma.item.findUniqueOrThrow({ where: { uid: items[0]?.itemId ?? "" } });
  receiver.respondWith((_received, response) =>
    response.end(
      JSON.stringify({ predictions: [predicted("car", 1, 0.9), predicted("auto", 20, 0.4), predicted("tree", 40, 1)] }),
    ),
  );
  const [run] = await createTrpcCaller(org).models.run({ integration, over: { dataset: datasetId } });
  await runJobs([modelJobs.run]);
  return { ...made, run: run?.uid ?? "" };
}
const preLabel = (project: string, body: object, key = org.key) =>
  request<{ changed: number } & Record<string, string[]>>("POST", `/projects/${project}/pre-label/`, { key, body });
const work = () => runJobs([taskJobs.offer]);
const listShapes = async (task: string) =>
  prisma.draftShape.findMany({ where: { taskId: task }, orderBy: { position: "asc" } });
const open = async (project: string, who: { key: string } = member) => {
  const { task, lease, draft } = (await nextTask(project, who)).body;
  return { uid: task.uid, draft, labeller: { lease: lease?.token ?? "", client: randomUUID(), who } };
};
const submit = (uid: string, lease: string, version: number) =>
  request<ResultResource & Record<string, string[]>>("POST", `/tasks/${uid}/draft/submit/`, {
    key: member.key,
    body: { lease, version, key: randomUUID() },
  });

describe("predictions offered in a project", () => {
  test("fill drafts of tasks that nobody has begun, from a least score and with the labels that they have there", async () => {
    const { project, tasks, run } = await start();
    const begun = await open(project);
    const map = { auto: "car" };
    const answer = await preLabel(project, { run, min_score: 0.3, label_map: map });
    expect([answer.status, answer.body]).toEqual([202, { changed: 2 }]);
    await work();
    const [, second] = tasks;
    expect(await listShapes(begun.uid)).toEqual([]);
    const offered = await listShapes(second ?? "");
    expect(offered.map(({ labelId, body, byUser }) => [labelId, body, byUser])).toEqual(
      [
        [1, 0.9],
        [20, 0.4],
      ].map(([x, score]) => [
        "0",
        {
          type: "bbox",
          coordinates: { x, y: 2, width: 10, height: 10 },
          attributes: { source: "model", run, score },
        },
        null,
      ]),
    );
    // Only what is empty is filled: asked again, nothing is there twice.
    expect((await preLabel(project, { run })).status).toBe(400);
    expect(await listShapes(second ?? "")).toEqual(offered);
    const { project: other, run: otherRun } = await start(1);
    await preLabel(other, { run: otherRun, min_score: 0.5 });
    await work();
    expect((await open(other)).draft?.shapes).toHaveLength(1);
  });

  test("are kept in a result where somebody took them, and left out where nobody did", async () => {
    const { project, run } = await start(1);
    await preLabel(project, { run, label_map: { auto: "car" } });
    await work();
    const { uid, draft, labeller } = await open(project);
    const [first] = draft?.shapes ?? [];
    expect(draft).toMatchObject({ by: null, shapes: [{}, {}] });
    const saved = await saveDraft(uid, labeller, 1, draft?.version ?? 0, [put(takeOffered(first as DraftShape))]);
    expect(saved.status).toBe(200);
    const { status, body } = await submit(uid, labeller.lease, saved.body.version);
    expect([status, body.annotations]).toEqual([
      201,
      [
        {
          label: "car",
          type: "bbox",
          coordinates: { x: 1, y: 2, width: 10, height: 10 },
          attributes: { source: "model", run, id: first?.id },
        },
      ],
    ]);
  });

  test("are taken back where nobody touched them, and stay where somebody works or has taken one", async () => {
    const { project, tasks, run } = await start(3);
    await preLabel(project, { run, label_map: { auto: "car" } });
    await work();
    const { uid, draft, labeller } = await open(project);
    const [first] = draft?.shapes ?? [];
    await saveDraft(uid, labeller, 1, draft?.version ?? 0, [put(takeOffered(first as DraftShape))]);
    const other = await start(1);
    await preLabel(project, { run: other.run, undo: true });
    await work();
    expect(await listShapes(tasks[1] ?? "")).toHaveLength(2);
    expect((await preLabel(project, { run, undo: true })).body).toEqual({ changed: 2 });
    await work();
    for (const task of tasks.slice(1)) {
      expect(await listShapes(task)).toEqual([]);
      expect(await prisma.taskDraft.findUniqueOrThrow({ where: { taskId: task } })).toMatchObject({
        shapeCount: 0,
        bytes: 0,
        version: 2n,
      });
    }
    expect(await listShapes(uid)).toHaveLength(2);
    // Offered again where they were taken back.
    expect((await preLabel(project, { run })).body).toEqual({ changed: 2 });
  });

  test("are no work of somebody who only opened the task", async () => {
    const { project, run } = await start(1);
    await preLabel(project, { run });
    await work();
    const { uid, labeller } = await open(project);
    await request("POST", `/tasks/${uid}/release/`, { key: member.key, body: { lease: labeller.lease } });
    expect(await prisma.task.findUniqueOrThrow({ where: { uid } })).toMatchObject({
      assigneeId: null,
      status: "pending",
    });
    expect(await listShapes(uid)).toHaveLength(1);
  });

  test("are for admins, of runs that they see, over items of the project", async () => {
    const { project, run } = await start(1);
    expect((await preLabel(project, { run }, member.key)).status).toBe(403);
    const outsider = await makeOrganization();
    expect((await preLabel(project, { run }, outsider.key)).status).toBe(404);
    const missing = uuidv7();
    const message = `Invalid pk "${missing}" - object does not exist.`;
    expect((await preLabel(project, { run: missing })).body).toEqual({ run: [message] });
    const other = await start(1);
    expect((await preLabel(project, { run: other.run })).body).toEqual({
      run: ["It predicted nothing for tasks of this project that nobody has begun."],
    });
    expect((await preLabel(project, { run, min_score: 7 })).status).toBe(400);
    await createTrpcCaller(org).projects.preLabel({ uid: project, run });
  });
});

test("a prediction is offered under the label's name, a former one, or that of the map, if the label may have it", () => {
  const labels = completeLabels([
    { name: "car", color: "#000000", aliases: ["auto"], attributes: [{ key: "brand", kind: "text" }] },
    { name: "tag", color: "#000000", types: ["classification"] },
    { name: "old", color: "#000000", retired: true },
  ]);
  const names = ["car", "auto", "tag", "old", "nothing", "mapped", "__proto__"];
  const nodes = toNodes(
    names.map((label, x) => predicted(label, x) as Parameters<typeof toNodes>[0][number]),
    "model",
  );
  const offered = toOfferedShapes(nodes, labels, { run: "r", min_score: 0, label_map: { mapped: "car" } });
  expect(offered.map(({ coordinates }) => "x" in coordinates && coordinates.x)).toEqual([0, 1, 5]);
  expect(offered[0]).toMatchObject({
    id: nodes[0]?.uid,
    label_id: "0",
    attributes: { source: "model", run: "r", score: null, brand: "acme" },
  });
  // Without a score nothing is sure enough.
  expect(toOfferedShapes(nodes, labels, { run: "r", min_score: 0.1, label_map: {} })).toEqual([]);
});
