import { beforeEach, expect, test } from "vitest";
import { pool, prisma } from "@/server/platform/db";
import { endsAlone, jobs } from "@/server/platform/jobs/definitions";
import { noteReading, queueJobs, releaseLostJobs, retryJobs } from "@/server/platform/jobs/graphile";
import { handleReading, type JobHandler } from "@/server/platform/jobs/handler";
import { enqueue } from "@/server/platform/jobs/queue";
import { clearSuspect, tookWorkerDown } from "@/server/platform/jobs/suspects";
import { bool, int4, queryRows } from "@/server/platform/rows";
import { unique } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { jobIds, removeJobs, takeJob } from "@/server/testing/queued-jobs";

/** What becomes of jobs that read what was uploaded when their worker ends. */

const task = jobs.makeFilmstrip.name;
let subject: string;
let jobId: string;
let seen: string[];
let handler: JobHandler;

beforeEach(async () => {
  subject = unique("recording");
  await enqueue({ db: prisma }, jobs.makeFilmstrip, { organizationId: "none", recordingId: subject });
  [jobId = ""] = await jobIds({ recordingId: subject });
  seen = [];
  const note = (text: string) => Promise.resolve(void seen.push(text));
  handler = handleReading(
    jobs.makeFilmstrip,
    ({ recordingId }) => (recordingId === subject ? note("read") : Promise.resolve()),
    (_payload, _run, reason) => note(reason),
  );
  return async () => {
    await removeJobs(await jobIds({ recordingId: subject }));
    await clearSuspect({ task, subject });
  };
});

/** Lets a worker end without a word while it reads the job's recording, or only holds the job. */
async function endWorker(how: "beside others" | "alone" | "waiting", { deaf = false } = {}): Promise<void> {
  const worker = unique("pool");
  const attempt = await takeJob(jobId, worker, 60);
  if (how !== "waiting") expect(await noteReading(pool, { ...attempt, alone: how === "alone" })).toBe(true);
  if (deaf) {
    await pool.query("insert into deaf_processes (process_id, role, ended_at) values ($1, 'worker', now())", [worker]);
    const old =
      "insert into worker_heartbeats (pool_id, process_id, seen_at) values ($1, $1, now() - interval '1 minute')";
    await pool.query(old, [worker]);
  }
  await pool.query(releaseLostJobs(10));
}

const findSuspects = () =>
  queryRows(
    pool,
    { ends: int4, ends_alone: int4, refused: bool },
    "select ends, ends_alone, refused from suspects where task = $1 and subject = $2",
    [task, subject],
  );

test("what a worker read when it ended is read once more, and forgotten when that succeeds", async () => {
  await endWorker("beside others");
  expect(await findSuspects()).toEqual([{ ends: 1, ends_alone: 0, refused: false }]);
  await runJobs([handler]);
  expect(seen).toEqual(["read"]);
  expect(await findSuspects()).toEqual([]);
});

test("what a worker only held when it ended is no suspect", async () => {
  await endWorker("waiting");
  expect(await findSuspects()).toEqual([]);
});

test("reading beside others never makes anything fail, however often workers end", async () => {
  for (let n = 0; n < 5; n++) await endWorker("beside others", { deaf: true });
  expect(await findSuspects()).toEqual([{ ends: 5, ends_alone: 0, refused: false }]);
});

test("what makes its process deaf while nothing else is read is refused, with the reason, and its job ends", async () => {
  await endWorker("beside others", { deaf: true });
  await endWorker("alone", { deaf: true });
  expect(await findSuspects()).toEqual([{ ends: 2, ends_alone: 1, refused: true }]);
  await runJobs([handler]);
  expect(seen).toEqual([tookWorkerDown]);
  expect(await jobIds({ recordingId: subject })).toEqual([]);
});

test(`a worker that ends for another reason is held against what it read alone only at the ${endsAlone}. time`, async () => {
  await endWorker("beside others");
  const found: boolean[] = [];
  for (let n = 0; n < endsAlone; n++) {
    await endWorker("alone");
    found.push((await findSuspects())[0]?.refused ?? false);
  }
  expect(found).toEqual([false, false, true]);
});

test("what is refused has an attempt in which its work ends, also after the last one", async () => {
  await endWorker("beside others");
  await pool.query("select graphile_worker.reschedule_jobs(array[$1::bigint], attempts := 4)", [jobId]);
  await endWorker("alone", { deaf: true });
  const statement = `select j.exhausted from ${queueJobs} j where j.id = $1::bigint`;
  expect(await queryRows(pool, { exhausted: bool }, statement, [jobId])).toEqual([{ exhausted: false }]);
  await runJobs([handler]);
  expect(seen).toEqual([tookWorkerDown]);
});

test("what was refused may be asked for again, and is read alone", async () => {
  await endWorker("alone", { deaf: true });
  await runJobs([handler]);
  for (let n = 0; n < 2; n++)
    await enqueue({ db: prisma }, jobs.makeFilmstrip, { organizationId: "none", recordingId: subject });
  await runJobs([handler]);
  expect(seen).toEqual([tookWorkerDown, "read", "read"]);
});

test("a job whose attempts are given back to it is not refused", async () => {
  await endWorker("alone", { deaf: true });
  expect(await retryJobs(pool, { ids: [jobId] })).toEqual([jobId]);
  await runJobs([handler]);
  expect(seen).toEqual(["read"]);
});
