import { expect, test } from "vitest";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { releaseLostJobs } from "@/server/platform/jobs/graphile";
import { handleReading } from "@/server/platform/jobs/handler";
import { enqueue, fence } from "@/server/platform/jobs/queue";
import { UnstartedJobs } from "@/server/platform/jobs/unstarted";
import { unique } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { jobIds, queuedJobs, removeJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";

/** A job with a key, run by a pool for a minute, and another one of the same key that was queued meanwhile. */
async function requeueRunning(worker: string) {
  const datasetId = unique("dataset");
  const payload = { organizationId: "none", datasetId };
  const add = () => enqueue({ db: prisma }, jobs.examineItems, payload, { key: datasetId, queue: datasetId });
  await add();
  const [running = ""] = await jobIds({ datasetId });
  const { attempt } = await takeJob(running, worker, 60);
  await add();
  return { running, attempt, datasetId };
}

test("a job that runs is not taken for unstarted when its key is used again", async () => {
  const own = unique("pool");
  const { running, attempt, datasetId } = await requeueRunning(own);
  const worker = new UnstartedJobs();
  worker.note({ id: running, attempts: attempt });
  try {
    for (let look = 0; look < 3; look++) expect(await worker.release(pool, [own], 10)).toEqual([]);
    // One that was never begun is.
    expect(await new UnstartedJobs().release(pool, [own], 10)).toEqual([running]);
  } finally {
    await returnJobs(own);
    await removeJobs(await jobIds({ datasetId }));
  }
});

test("of a worker that died, a job whose key was used again is removed, and the other one runs", async () => {
  const { running, datasetId } = await requeueRunning(unique("pool"));
  await pool.query(releaseLostJobs(10));
  const left = await queuedJobs(jobs.examineItems, { datasetId });
  expect(left.map(({ id }) => id)).not.toContain(running);
  expect(left).toHaveLength(1);
  await removeJobs(await jobIds({ datasetId }));
});

test("a job whose key is used again while it runs is no failed one, and the other one runs", async () => {
  const payload = { organizationId: "none", datasetId: unique("dataset") };
  const add = () => enqueue({ db: prisma }, jobs.examineItems, payload, { key: payload.datasetId });
  const outcomes: string[] = [];
  const handler = handleReading(
    jobs.examineItems,
    async ({ datasetId }, run) => {
      if (datasetId !== payload.datasetId) return;
      if (outcomes.push("begun") === 1) await add();
      await prisma.$transaction((db) => fence({ db }, run.attempt));
      outcomes.push("finished");
    },
    () => Promise.resolve(),
  );
  await add();
  await runJobs([handler]);
  expect(await jobIds({ datasetId: payload.datasetId })).toEqual([]);
  expect(outcomes).toEqual(["begun", "begun", "finished"]);
});
