import { afterAll, beforeAll, expect, test } from "vitest";
import * as datasetJobs from "@/server/features/datasets/jobs";
import * as modelJobs from "@/server/features/models/jobs";
import type {
  IntegrationResource,
  ModelResource,
  PredictionGroup,
  RunResource,
} from "@/server/features/models/resource";
import * as ruleJobs from "@/server/features/rules/jobs";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { addMember, makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, runJobs, temperatures, uploadRecording, processJobs } from "@/server/testing/processing";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { requestsWith, createTrpcCaller } from "@/server/testing/requests";

/** Rules that have recordings labelled: from the trigger to the predictions. */

let org: TestOrganization;
let receiver: Receiver;
let pipeline: string;
let device: string;
let restore = () => {};
const call = requestsWith(() => org.key);

beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
  device = (await makeDevice(org)).uid;
  const staff = (await addMember(org, "admin", { staff: true })).key;
  const model = await call<ModelResource>(
    "POST",
    "/models/",
    { name: unique("model"), model_type_name: "detection" },
    staff,
  );
  const body = { provider: "http", name: "ours", url: receiver.url, config_type: "batch" };
  pipeline = (await call<IntegrationResource>("POST", `/models/${model.body.uid}/integrations/`, body, staff)).body.uid;
  receiver.respondWith((_received, response) =>
    response.end(
      JSON.stringify({ predictions: [{ label: "hot", type: "classification", coordinates: {}, attributes: {} }] }),
    ),
  );
});
afterAll(async () => {
  restore();
  await receiver.close();
});

const work = () =>
  runJobs([
    ...processJobs,
    ruleJobs.runRule,
    modelJobs.label,
    datasetJobs.examine,
    modelJobs.startWaiting,
    modelJobs.run,
  ]);
const hot = async () =>
  uploadRecording(org, device, [await jsonRecording({ "/motor": temperatures([40, 90, 50, 95]) })]);
async function rule(): Promise<string> {
  const condition = { type: "threshold", topic: "/motor", field: "data.value", operator: "gt", value: 80 };
  const made = await call<{ uid: string }>("POST", "/fleet/rules/", {
    name: unique("rule"),
    condition,
    actions: [{ type: "auto_label", pipeline_id: pipeline }],
  });
  expect(made.status).toBe(201);
  return made.body.uid;
}
const listRuns = (ruleId: string) => prisma.run.findMany({ where: { ruleId } });

test("a rule has a recording labelled once, however often it triggers or runs, and subscribers are notified", async () => {
  const hook = await call("POST", "/webhooks/", {
    target_url: "https://example.com/labelled",
    events: ["auto_label.completed", "auto_label.failed"],
  });
  const uid = await rule();
  const recording = await hot();
  await work();
  const [run, ...more] = await listRuns(uid);
  expect(more).toEqual([]);
  expect((await call<RunResource>("GET", `/models/runs/${run?.uid}/`)).body).toMatchObject({
    run_status: "completed",
    total_item_count: 1,
    done_item_count: 1,
  });
  const predictions = (await call<PredictionGroup[]>("GET", `/models/runs/${run?.uid}/predictions/`))
    .body as PredictionGroup[];
  expect(predictions.map(({ predictions: { nodes } }) => nodes.map(({ annotation }) => annotation.object))).toEqual([
    ["hot"],
  ]);
  const item = await prisma.item.findFirstOrThrow({ where: { uid: predictions[0]?.dataset_item_uid ?? "" } });
  expect([item.recordingId, item.mediaType]).toEqual([recording, "recording/mcap"]);
  const [delivery, ...others] = await prisma.webhookDelivery.findMany({
    where: { subscriptionId: String(hook.body.uid) },
  });
  expect([delivery?.payload, others]).toEqual([
    { event: "auto_label.completed", job_uid: run?.uid, status: "completed" },
    [],
  ]);
  // The rule opens no alert.
  expect(await prisma.alert.count({ where: { ruleId: uid } })).toBe(0);

  // Running the rule over the recording again does not label it again.
  expect((await call("POST", `/fleet/rules/${uid}/run/`, { recordings: [recording] })).status).toBe(202);
  await work();
  expect(await listRuns(uid)).toHaveLength(1);

  // Another recording is added to the same dataset.
  await hot();
  await work();
  const runs = await listRuns(uid);
  expect([runs.length, new Set(runs.map(({ datasetId }) => datasetId)).size]).toEqual([2, 1]);
});

test("a deleted pipeline fails only its own action, and one of another organization is refused", async () => {
  const uid = await rule();
  await prisma.integration.update({ where: { uid: pipeline }, data: { isActive: false } });
  const recording = await hot();
  await work();
  const evaluation = await prisma.ruleEvaluation.findFirstOrThrow({ where: { ruleId: uid, recordingId: recording } });
  expect(evaluation.actionResults).toEqual([
    { type: "auto_label", ok: false, detail: "The pipeline does not exist any more." },
  ]);
  expect(await listRuns(uid)).toEqual([]);
  await prisma.integration.update({ where: { uid: pipeline }, data: { isActive: true } });
  const other = await makeOrganization();
  const condition = { type: "threshold", topic: "/motor", field: "data.value", operator: "gt", value: 80 };
  const foreign = await call(
    "POST",
    "/fleet/rules/",
    { name: "x", condition, actions: [{ type: "auto_label", pipeline_id: pipeline }] },
    other.key,
  );
  expect([foreign.status, foreign.body]).toEqual([
    400,
    { actions: [`0.pipeline_id: Invalid pk "${pipeline}" - object does not exist.`] },
  ]);
  expect((await createTrpcCaller(other).models.pipelines()).map(({ uid: named }) => named)).not.toContain(pipeline);
  expect((await createTrpcCaller(org).models.pipelines()).map(({ uid: named }) => named)).toContain(pipeline);
});
