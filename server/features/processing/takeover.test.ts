import { beforeAll, describe, expect, test } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { RecordingError } from "@/engine/formats/recording-error";
import { finishProcessing } from "@/server/features/processing/finish-service";
import { processStoredRecording } from "@/server/features/processing/service";
import { keepSeries } from "@/server/features/processing/stored-series-service";
import { sweepStuckRecordings } from "@/server/features/processing/sweep-service";
import { openByteSources } from "@/server/features/recordings/file-service";
import { rulesInScope } from "@/server/features/rules/scope-queries";
import { createRule } from "@/server/features/rules/service";
import { ProcessedSeries, toSeriesPrefix } from "@/server/features/stored-series/store-service";
import { systemContext } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded } from "@/server/platform/jobs/queue";
import { logFor } from "@/server/platform/log";
import { objectStore } from "@/server/platform/storage/current";
import { deleteStoredKeys } from "@/server/platform/storage/jobs";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, runJobs, temperatures, uploadRecording } from "@/server/testing/processing";
import { exhaustJobs, jobIds, removeJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";

let org: TestOrganization;
let deviceId: string;

beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
  await createRule(org.ctx, {
    name: "Hot",
    condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
    actions: [{ type: "flag_for_review" }, { type: "create_event", event_type: "warning", label: "hot" }],
  });
});

const upload = async () =>
  uploadRecording(org, deviceId, [await jsonRecording({ "/motor/temp": temperatures([70, 90, 70, 91]) })]);

/** Takes the recording's job like a worker; the next call supersedes it. */
async function take(uid: string): Promise<JobRun> {
  const [id = ""] = await jobIds({ recordingId: uid });
  const attempt = await takeJob(id, `worker of ${uid}`);
  return { attempt, lastAttempt: false, signal: new AbortController().signal, log: logFor("worker") };
}
const release = (uid: string) => returnJobs(`worker of ${uid}`);
async function drop(uid: string): Promise<void> {
  await release(uid);
  await removeJobs(await jobIds({ recordingId: uid }));
}
const read = (uid: string) => prisma.recording.findUniqueOrThrow({ where: { uid } });

describe("two workers on one recording", () => {
  test("a paused worker cannot finish a recording that another worker took over", async () => {
    const uid = await upload();
    const ctx = systemContext(prisma, org.uid);
    const paused = await take(uid);
    const rules = await rulesInScope(ctx, deviceId);
    const pass = await processColumns(await openByteSources(ctx, uid), rules, { codecs: await recordingCodecs() });

    const kept = await ProcessedSeries.create(ctx, uid, paused);
    const found = { cpuSeconds: 0, storedSignals: null, definitions: {}, series: kept };
    const stats = await keepSeries(pass, kept);

    const other = await take(uid);
    await expect(finishProcessing(ctx, uid, rules, { ...pass, ...found, stats }, paused.attempt)).rejects.toThrow(
      AttemptSuperseded,
    );
    expect((await read(uid)).status).toBe("processing");
    expect(await prisma.topic.count({ where: { recordingId: uid } })).toBe(0);

    await processStoredRecording(org.uid, uid, other);
    expect((await read(uid)).status).toBe("ready");
    await expect(finishProcessing(ctx, uid, rules, { ...pass, ...found, stats }, paused.attempt)).rejects.toThrow(
      AttemptSuperseded,
    );
    await kept.remove();
    expect(await prisma.event.count({ where: { recordingId: uid } })).toBe(2);
    await drop(uid);
  });

  test("a paused worker cannot mark it as failed either", async () => {
    const uid = await uploadRecording(org, deviceId, [Buffer.from("not a recording")]);
    const paused = await take(uid);
    await take(uid);
    await expect(processStoredRecording(org.uid, uid, paused)).rejects.toThrow(AttemptSuperseded);
    expect((await read(uid)).status).toBe("processing");
    await drop(uid);
  });

  test("a job that runs again after its last commit changes nothing", async () => {
    const uid = await upload();
    await processStoredRecording(org.uid, uid, await take(uid));
    const before = await read(uid);
    await processStoredRecording(org.uid, uid, await take(uid));
    expect((await read(uid)).processedAt).toEqual(before.processedAt);
    await drop(uid);
  });
});

describe("a worker that shuts down", () => {
  test("stops in the middle of a recording, which another worker then processes", async () => {
    const uid = await upload();
    const run = await take(uid);
    const stopping = AbortSignal.abort(new Error("the worker stops"));
    await expect(processStoredRecording(org.uid, uid, { ...run, signal: stopping, lastAttempt: true })).rejects.toThrow(
      "the worker stops",
    );
    expect((await read(uid)).status).toBe("processing");
    await release(uid);
    await runJobs();
    expect((await read(uid)).status).toBe("ready");
  });
});

describe("a recording without a running job", () => {
  test("gets a job again", async () => {
    const uid = await upload();
    await drop(uid);
    await sweepStuckRecordings(0);
    await runJobs();
    expect((await read(uid)).status).toBe("ready");
  });

  test("is left alone while its job waits or runs", async () => {
    const uid = await upload();
    await sweepStuckRecordings(0);
    await take(uid);
    await sweepStuckRecordings(0);
    expect(await jobIds({ recordingId: uid })).toHaveLength(1);
    await drop(uid);
  });

  test("becomes an error when its worker stopped on every attempt", async () => {
    const uid = await upload();
    const { jobId, attempt } = (await take(uid)).attempt;
    const left = `${toSeriesPrefix(org.uid, uid)}${jobId}-${attempt}`;
    await objectStore().put(left, new Blob(["series"]).stream(), 6);
    await release(uid);
    await exhaustJobs(await jobIds({ recordingId: uid }));
    await sweepStuckRecordings(0);
    await runJobs([deleteStoredKeys]);
    expect(await objectStore().head(left)).toBeNull();
    expect(await read(uid)).toMatchObject({
      status: "error",
      errorMessage: "Processing stopped the worker again and again.",
    });
  });
});

describe("an unexpected failure", () => {
  test("is retried, and becomes an error on the last attempt with a line that reveals no details", async () => {
    // The next hit overflows the rule's counter.
    const rule = await createRule(org.ctx, {
      name: "Broken",
      condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
      actions: [{ type: "tag", value: "secret" }],
    });
    await prisma.rule.update({ where: { uid: rule.uid }, data: { hitCount: 2n ** 63n - 1n } });
    const uid = await upload();
    const run = await take(uid);
    await expect(processStoredRecording(org.uid, uid, run)).rejects.toThrow("out of range");
    expect((await read(uid)).status).toBe("processing");
    await processStoredRecording(org.uid, uid, { ...run, lastAttempt: true });
    expect(await read(uid)).toMatchObject({
      status: "error",
      errorMessage: "Processing failed for an unexpected reason. Have the recording processed again.",
    });
    await prisma.rule.delete({ where: { uid: rule.uid } });
    await drop(uid);
  });

  test("of a recording over its time budget is not retried", async () => {
    const bytes = await jsonRecording({ "/motor/temp": temperatures(Array.from({ length: 20_000 }, (_, at) => at)) });
    const source = {
      size: bytes.length,
      read: (from: number, length: number) => Promise.resolve(bytes.subarray(from, from + length)),
    };
    const options = { codecs: await recordingCodecs(), limits: { timeBudgetMs: 1 } };
    await expect(processColumns([source], [], options)).rejects.toThrow(RecordingError);
  });
});
