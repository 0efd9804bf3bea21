import { beforeAll, describe, expect, test } from "vitest";
import type { TestMessage } from "@/engine/testing/write-mcap";
import * as datasetJobs from "@/server/features/datasets/jobs";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { extract } from "@/server/features/moments/jobs";
import * as projectJobs from "@/server/features/projects/jobs";
import type { ProjectResource } from "@/server/features/projects/resource";
import { prisma } from "@/server/platform/db";
import { makeDataset } from "@/server/testing/datasets";
import {
  addMember,
  makeDevice,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, runJobs } from "@/server/testing/processing";
import { createTrpcCaller, request, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let ana: TestMember;
let dataset: DatasetResource;
let project: ProjectResource;
let ruleId: string;
let alertId: string;

const ms = 1_000_000n;
const call = requestsWith(() => org.key);
const as = (member: TestMember = org.owner, of = org) => createTrpcCaller(of, member);

async function makeProject(name: string, of: Partial<DatasetResource>, body: object = {}): Promise<ProjectResource> {
  const given = { name: unique(name), task_type: "image-annotation", datasets: [of.uid], ...body };
  const { body: made } = await call<ProjectResource>("POST", "/projects/", given);
  await as().projects.step({ uid: made.uid, step: "approve" });
  return made;
}

/** Four seconds of a camera at 10 Hz; a motor is too hot at two seconds. */
async function cameraRecording(): Promise<Buffer> {
  const data = Buffer.alloc(8 * 6, 90).toString("base64");
  const picture = Buffer.from(JSON.stringify({ width: 8, height: 6, encoding: "mono8", step: 8, data }));
  const messages: TestMessage[] = Array.from({ length: 40 }, (_, at) => ({
    topic: "/front",
    time: epoch + BigInt(at * 100) * ms,
    data: picture,
  }));
  const channel = {
    topic: "/front",
    messageEncoding: "json",
    schemaName: "foxglove.RawImage",
    schemaEncoding: "jsonschema",
    schema: "{}",
  };
  const motor: [number, unknown][] = [
    [0, { value: 20 }],
    [2, { value: 90 }],
  ];
  return jsonRecording({ "/arm/motor": motor }, { more: { channels: [channel], messages } });
}

const work = () => runJobs([extract, datasetJobs.examine, projectJobs.make]);

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  ana = await addMember(org);
  const condition = { type: "threshold", topic: "/arm/motor", field: "value", operator: "gt", value: 80 };
  const body = { name: "Motor too hot", condition, actions: [{ type: "flag_for_review" }] };
  ruleId = (await request<{ uid: string }>("POST", "/fleet/rules/", { key: org.key, body })).body.uid;
  const recordingId = await processedRecording(org, (await makeDevice(org)).uid, [await cameraRecording()]);
  alertId = (await prisma.alert.findFirstOrThrow({ where: { recordingId } })).uid;
  dataset = await makeDataset(org);
  project = await makeProject("Motors", dataset);
});

describe("the tasks of an alert's pictures", () => {
  test("are none before they are added, and that of its moment comes first among those around it", async () => {
    const find = () => as(ana).tasks.ofMoments({ project: project.uid, alerts: [alertId] });
    expect(await find()).toEqual({ count: 0, open: 0, first: null });
    const { triggeredNs } = await prisma.alert.findUniqueOrThrow({ where: { uid: alertId } });
    const around = { from: String(triggeredNs - 300n * ms), to: String(triggeredNs + 300n * ms) };
    const { recordingId: recording } = await prisma.alert.findUniqueOrThrow({ where: { uid: alertId } });
    await as(ana).moments.add({
      dataset: dataset.uid,
      recording_id: recording ?? "",
      ...around,
      alert_id: alertId,
      topics: ["/front"],
    });
    await work();
    const found = await find();
    expect(found).toMatchObject({ count: 7, open: 7 });
    const task = await prisma.task.findUniqueOrThrow({ where: { uid: found.first ?? "" }, include: { item: true } });
    expect(task.item.tNs).toBe(triggeredNs);
    // One that somebody else has is not the one to begin with; one that is done is still counted.
    await prisma.task.update({ where: { uid: task.uid }, data: { assigneeId: org.owner.uid } });
    const second = await find();
    expect(second.first).not.toBe(task.uid);
    await call("POST", `/tasks/${second.first}/results/`, { annotations: [] });
    expect(await find()).toMatchObject({ count: 7, open: 6 });
  });

  test("are found by the rule of their hits, too", async () => {
    const hits = await makeDataset(org);
    const of = await makeProject("Hits", hits);
    await as(ana).moments.addMany({ dataset: hits.uid, rule_id: ruleId });
    await work();
    const found = await as(ana).tasks.ofMoments({ project: of.uid, rule_id: ruleId });
    expect(found).toMatchObject({ count: 1, open: 1, first: expect.any(String) });
    expect(await as(ana).tasks.ofMoments({ project: of.uid, alerts: [alertId] })).toEqual(found);
  });

  test("are seen by nobody who does not see the project, and by no other organization", async () => {
    const find = { project: project.uid, alerts: [alertId] };
    expect(await as(other.owner, other).tasks.ofMoments(find)).toEqual({ count: 0, open: 0, first: null });
    await call("PATCH", `/projects/${org.slug}/${project.uid}/`, { access: "assigned" });
    expect(await as(ana).tasks.ofMoments(find)).toEqual({ count: 0, open: 0, first: null });
    expect((await as().tasks.ofMoments(find)).count).toBe(7);
    await call("PATCH", `/projects/${org.slug}/${project.uid}/`, { access: "organization" });
  });
});

describe("where pictures can be labelled", () => {
  test("are the active projects over pictures in which one may label, by name, the last used one first", async () => {
    const [first, second] = [await makeDataset(org), await makeDataset(org)];
    const made = await makeProject("Gates east", first);
    const listed = await makeProject("Gates west", second, { annotators_open: false });
    const waiting = await call<ProjectResource>("POST", "/projects/", {
      name: "Gates north",
      task_type: "image-annotation",
      datasets: [first.uid],
    });
    const names = async (member?: TestMember) =>
      (await as(member).projects.labelTargets({ search: "gates" })).map(({ project: uid, uid: to }) => [uid, to]);
    expect(await names()).toEqual([
      [listed.uid, second.uid],
      [made.uid, first.uid],
    ]);
    expect(waiting.status).toBe(201);
    expect(await names(ana)).toEqual([[made.uid, first.uid]]);
    await as().moments.addMany({ dataset: first.uid, rule_id: ruleId });
    expect(await names()).toEqual([
      [made.uid, first.uid],
      [listed.uid, second.uid],
    ]);
    expect(await as(other.owner, other).projects.labelTargets({})).toEqual([]);
  });
});
