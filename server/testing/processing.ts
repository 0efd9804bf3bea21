import { createReadStream, statSync } from "node:fs";
import { Readable } from "node:stream";
import { runOnce } from "graphile-worker";
import { writeMcap, type McapOptions, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import * as processing from "@/server/features/processing/jobs";
import { createRecording } from "@/server/features/recordings/service";
import { confirmUpload, finalizeUpload, initUpload } from "@/server/features/recordings/upload-service";
import { runRule } from "@/server/features/rules/jobs";
import { write } from "@/server/features/signals/jobs";
import { pool, prisma } from "@/server/platform/db";
import { graphileLogger } from "@/server/platform/jobs/graphile-log";
import type { JobHandler } from "@/server/platform/jobs/handler";
import { toTask } from "@/server/platform/jobs/worker";
import { logFor } from "@/server/platform/log";
import { objectStore } from "@/server/platform/storage/current";
import type { TestOrganization } from "@/server/testing/factories";

/** The handlers of the jobs that process recordings. */
export const processJobs: readonly JobHandler[] = [processing.process, processing.processSmall];

/** A file for a recording: its bytes or where it lies, with a path in the recording or without. */
export type TestFile = Buffer | string | { path: string; bytes: Buffer };

/**
 * Creates a recording with stored and finalized files (buffers, or paths of files), as an upload does. It waits to be
 * processed.
 */
export async function uploadRecording(
  organization: TestOrganization,
  deviceId: string,
  files: readonly TestFile[],
  options: { name?: string; tags?: string[] } = {},
): Promise<string> {
  const { uid } = await createRecording(organization.ctx, { device_id: deviceId, ...options });
  await storeFiles(organization, uid, files);
  return uid;
}

/** Stores the files of a recording that awaits them, and finalizes its upload. */
export async function storeFiles({ ctx }: TestOrganization, uid: string, given: readonly TestFile[]): Promise<void> {
  const hasPath = (file: TestFile) => typeof file === "object" && "path" in file;
  const files = given.map((file) => (hasPath(file) ? file.bytes : file));
  const getSize = (file: Buffer | string) => (typeof file === "string" ? statSync(file).size : file.length);
  const named = files.map((file, at) => {
    const own = given[at];
    return { path: own && hasPath(own) ? own.path : `file-${at}.mcap`, size_bytes: getSize(file) };
  });
  const session = await initUpload(ctx, uid, { files: named });
  const stored = await prisma.storedFile.findMany({ where: { recordingId: uid }, orderBy: { position: "asc" } });
  const confirmed: { path: string; etag: string; size_bytes: number }[] = [];
  for (const [at, file] of files.entries()) {
    const bytes =
      typeof file === "string" ? Readable.toWeb(createReadStream(file)) : new Blob([new Uint8Array(file)]).stream();
    const size_bytes = getSize(file);
    const { etag } = await objectStore().put(stored[at]!.storageKey, bytes as ReadableStream<Uint8Array>, size_bytes);
    confirmed.push({ path: named[at]!.path, etag, size_bytes });
  }
  await confirmUpload(ctx, uid, { session_uid: session.uid, files: confirmed });
  await finalizeUpload(ctx, uid, { session_uid: session.uid });
}

/** Processes recordings as they arrive, or runs other jobs, until `work` is done; resolves to its result. */
export async function processDuring<T>(work: Promise<T>, handlers = processJobs): Promise<T> {
  let isOver = false;
  const done = work.finally(() => (isOver = true));
  done.catch(() => {}); // thrown once the jobs that run have ended
  while (!isOver) {
    await runJobs(handlers);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return done;
}

/**
 * Runs the queued jobs of these handlers (default: processing and rule runs) until none is left that can run now: the
 * library stops as soon as it finds none, also when the next one of a queue waits for the result of the one before.
 */
export async function runJobs(handlers: readonly JobHandler[] = [...processJobs, runRule]): Promise<void> {
  const tasks = handlers.map((handler) => handler.definition.name);
  do {
    await runOnce({
      pgPool: pool,
      noHandleSignals: true,
      logger: graphileLogger(logFor("worker")),
      // At its end, graphile-worker waits until batches of results are recorded, but not for single ones.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: Object.fromEntries(handlers.map((handler) => [handler.definition.name, toTask(handler)])),
    });
  } while (await canRun(tasks));
}

/** Whether a job of these tasks is due of whose queue none runs. */
async function canRun(tasks: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query(
    `select 1 from graphile_worker.jobs j
     where task_identifier = any($1) and run_at <= now() and attempts < max_attempts and locked_at is null and not exists (
       select from graphile_worker.jobs other where other.queue_name = j.queue_name and other.locked_at is not null)
     limit 1`,
    [tasks],
  );
  return rows.length > 0;
}

/** Writes the signals of recordings. Their jobs run one after another, so that one may have to wait for another test's. */
export async function writeSignals(...recordingIds: string[]): Promise<void> {
  const written = { recordingId: { in: recordingIds } };
  while ((await prisma.signalSet.count({ where: written })) < recordingIds.length) await runJobs([write]);
}

/** Uploads and processes a recording. */
export async function processedRecording(...upload: Parameters<typeof uploadRecording>): Promise<string> {
  const uid = await uploadRecording(...upload);
  await runJobs();
  return uid;
}

export const second = 1_000_000_000n;
/** The start of the recordings created here. */
export const epoch = 1_760_000_000n * second;

const jsonChannel = (topic: string): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName: `json${topic}`,
  schemaEncoding: "jsonschema",
  schema: JSON.stringify({
    type: "object",
    properties: { data: { type: "object", properties: { value: { type: "number" } } } },
  }),
});

/** The bytes of a recording with JSON messages: by topic, `[seconds from the epoch, message]`. */
export function jsonRecording(
  tracks: Readonly<Record<string, readonly (readonly [number, unknown])[]>>,
  options: McapOptions & { more?: { channels: TestChannel[]; messages: TestMessage[] } } = {},
): Promise<Buffer> {
  const { more, ...rest } = options;
  const messages = Object.entries(tracks).flatMap(([topic, track]) =>
    track.map(([at, value]): TestMessage => ({
      topic,
      time: epoch + BigInt(Math.round(at * 1e9)),
      data: Buffer.from(JSON.stringify(value)),
    })),
  );
  const all = [...messages, ...(more?.messages ?? [])].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  return writeMcap([...Object.keys(tracks).map(jsonChannel), ...(more?.channels ?? [])], all, rest);
}

/** Messages of a motor's temperature, one value each second. */
export const temperatures = (values: readonly number[]): [number, unknown][] =>
  values.map((value, at) => [at, { data: { value } }]);
