import { beforeAll, expect, test } from "vitest";
import { handlers } from "@/server/composition/job-handlers";
import { startRun } from "@/server/features/rules/run-service";
import { enqueueSignals } from "@/server/features/signals/queue-service";
import { systemContext } from "@/server/platform/context";
import { pool, prisma } from "@/server/platform/db";
import { jobs, type JobDefinition, type ReadingDefinition } from "@/server/platform/jobs/definitions";
import { makeDataset, picture, uploadTo } from "@/server/testing/datasets";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { checkFile, cocoDocument, makeImportProject, sendFile } from "@/server/testing/imports";
import { epoch, jsonRecording, processJobs, runJobs, uploadRecording } from "@/server/testing/processing";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller, request } from "@/server/testing/requests";

/** What becomes of the work of each job that reads what was uploaded, once reading it took the worker down. */

const reason = "reading this took the worker down";
const definitions: readonly JobDefinition[] = Object.values(jobs);
const tried = new Set<string>();
let org: TestOrganization;
let deviceId: string;
let ruleId: string;
let recordingId: string;

/** Two pictures of a camera, and a motor that is too hot at the second. */
async function robotRecording(): Promise<Buffer> {
  const data = (await picture(8, 6, "jpeg")).toString("base64");
  const camera = { topic: "/camera", messageEncoding: "json", schemaName: "foxglove.CompressedImage" };
  const messages = [0n, 1n].map((n) => ({
    topic: "/camera",
    time: epoch + n * 1_000_000_000n,
    data: Buffer.from(JSON.stringify({ format: "jpeg", data })),
  }));
  const motor: [number, unknown][] = [
    [0, { value: 20 }],
    [1, { value: 90 }],
  ];
  const channels = [{ ...camera, schemaEncoding: "jsonschema", schema: "{}" }];
  return jsonRecording({ "/motor": motor }, { more: { channels, messages } });
}

beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
  const condition = { type: "threshold", topic: "/motor", field: "value", operator: "gt", value: 80 };
  const body = { name: "Motor too hot", condition, actions: [{ type: "flag_for_review" }] };
  ruleId = (await request<{ uid: string }>("POST", "/fleet/rules/", { key: org.key, body })).body.uid;
  recordingId = await uploadRecording(org, deviceId, [await robotRecording()]);
  await runJobs(processJobs);
});

/** What is left by a worker that ended while it read something alone in the first attempt of its job. */
async function suspect(definition: ReadingDefinition, subject: string): Promise<void> {
  const queued = await queuedJobs(definition, { [definition.reads]: subject });
  expect(queued).toHaveLength(1);
  await pool.query("select graphile_worker.reschedule_jobs($1::bigint[], attempts := 1)", [queued.map(({ id }) => id)]);
  await pool.query("insert into suspects values ($1, $2, 1, 1, true, now())", [definition.name, subject]);
}

/** Runs the job of what takes a worker down. */
async function refuse(definition: ReadingDefinition, subject: string): Promise<void> {
  tried.add(definition.name);
  await suspect(definition, subject);
  await runJobs(handlers.filter((handler) => handler.definition.name === definition.name));
  expect(await queuedJobs(definition, { [definition.reads]: subject })).toEqual([]);
}

const readRecording = (uid: string) =>
  prisma.recording.findUniqueOrThrow({ where: { uid }, select: { status: true, errorMessage: true } });

test("a recording is an error, and ready once it is processed again without harm", async () => {
  const uid = await uploadRecording(org, deviceId, [await robotRecording()]);
  await refuse(jobs.processSmallRecording, uid);
  expect(await readRecording(uid)).toEqual({ status: "error", errorMessage: reason });
  expect(await prisma.topic.count({ where: { recordingId: uid } })).toBe(0);
  await request("POST", `/fleet/recordings/${uid}/reprocess/`, { key: org.key });
  await runJobs(processJobs);
  expect(await readRecording(uid)).toEqual({ status: "ready", errorMessage: null });
});

test("a large recording is an error, too", async () => {
  const uid = await uploadRecording(org, deviceId, [await robotRecording()]);
  const small = await queuedJobs(jobs.processSmallRecording, { recordingId: uid });
  await pool.query("select graphile_worker.complete_jobs($1::bigint[])", [small.map(({ id }) => id)]);
  await pool.query("select graphile_worker.add_job($1, $2::json)", [
    jobs.processRecording.name,
    JSON.stringify({ organizationId: org.uid, recordingId: uid }),
  ]);
  await refuse(jobs.processRecording, uid);
  expect(await readRecording(uid)).toEqual({ status: "error", errorMessage: reason });
});

test("a recording has no signals, and says why", async () => {
  await prisma.signalSet.deleteMany({ where: { recordingId } });
  await prisma.$transaction((db) => enqueueSignals({ ...systemContext(prisma, org.uid), db }, recordingId));
  await refuse(jobs.writeSignals, recordingId);
  expect(await prisma.signalSet.findUniqueOrThrow({ where: { recordingId } })).toMatchObject({ error: reason });
  expect(await readRecording(recordingId)).toEqual({ status: "ready", errorMessage: null });
});

test("a recording has no small pictures, and says why", async () => {
  await refuse(jobs.makeFilmstrip, recordingId);
  expect(await prisma.filmstrip.findUniqueOrThrow({ where: { recordingId } })).toMatchObject({
    error: reason,
    storageKey: null,
  });
});

test("an alert keeps nothing of its recording, and its messages are sent", async () => {
  const { uid } = await prisma.alert.findFirstOrThrow({ where: { recordingId } });
  await refuse(jobs.captureAlert, uid);
  expect(await prisma.alertCapture.count({ where: { alertId: uid } })).toBe(0);
  expect(await queuedJobs(jobs.releaseNotifications, { alertId: uid })).toHaveLength(1);
});

test("an addition of moments has failed, and says why", async () => {
  const dataset = await makeDataset(org);
  const range = { recording_id: recordingId, from: String(epoch), to: String(epoch + 2_000_000_000n) };
  const added = await createTrpcCaller(org).moments.add({ dataset: dataset.uid, ...range, topics: ["/camera"] });
  await refuse(jobs.extractMoment, added.moment_uid ?? "");
  const moment = await prisma.moment.findUniqueOrThrow({ where: { uid: added.moment_uid ?? "" } });
  expect(moment).toMatchObject({ status: "failed", error: reason, added: 0 });
});

test("the run of a rule has failed, and says why", async () => {
  const { run_uid: uid } = await startRun(org.ctx, ruleId, {});
  await refuse(jobs.runRule, uid);
  expect(await prisma.ruleRun.findUniqueOrThrow({ where: { uid } })).toMatchObject({ status: "failed", error: reason });
});

test("a file of a dataset is left out, with the reason in its upload, and the dataset is finished", async () => {
  const dataset = await makeDataset(org);
  const session = await uploadTo(org, dataset, { "bad.png": await picture() });
  tried.add(jobs.examineItems.name);
  await suspect(jobs.examineItems, dataset.uid);
  const examine = handlers.filter(({ definition }) => definition.name === jobs.examineItems.name);
  while ((await queuedJobs(jobs.examineItems, { datasetId: dataset.uid })).length > 0) await runJobs(examine);
  const { failures } = await prisma.uploadSession.findUniqueOrThrow({ where: { uid: session } });
  expect(failures).toEqual([{ path: "bad.png", error: reason }]);
  expect((await prisma.dataset.findUniqueOrThrow({ where: { uid: dataset.uid } })).status).toBe("failed");
});

test("an import of annotations has failed, and says why, while it is looked at and while it runs", async () => {
  const project = await makeImportProject(org, ["1.png"]);
  const readStatus = (uid: string) =>
    prisma.annotationImport.findUniqueOrThrow({ where: { uid }, select: { status: true, errorMessage: true } });
  const document = cocoDocument(["1.png"], { boxes: 1 });
  const looked = await sendFile(org, project.uid, document);
  await refuse(jobs.checkImport, looked);
  expect(await readStatus(looked)).toEqual({ status: "failed", errorMessage: reason });
  const { uid } = await checkFile(org, project.uid, document);
  await request("POST", `/imports/${uid}/start/`, { key: org.key, body: { mode: "drafts" } });
  await refuse(jobs.runImport, uid);
  expect(await readStatus(uid)).toEqual({ status: "failed", errorMessage: reason });
});

test("an export has failed, and says why", async () => {
  const dataset = await makeDataset(org);
  const body = { name: "Refused", datasets: [dataset.uid], projects: [], slices: [], format: "COCO" };
  const { uid } = (await request<{ uid: string }>("POST", "/exports/", { key: org.key, body })).body;
  await runJobs(handlers.filter((handler) => handler.definition.name === jobs.startExports.name));
  await refuse(jobs.runExport, uid);
  const { status, errorMessage } = await prisma.export.findUniqueOrThrow({ where: { uid } });
  expect({ status, errorMessage }).toEqual({ status: "failed", errorMessage: "Making it took the worker down." });
});

test("no other job reads what was uploaded", () => {
  const reading = definitions.filter(({ reads }) => reads !== null).map(({ name }) => name);
  expect(reading.toSorted()).toEqual([...tried].toSorted());
});
