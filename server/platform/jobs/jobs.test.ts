import { expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { schedule, sweeps } from "@/server/platform/jobs/schedule";
import { unique } from "@/server/testing/factories";
import { exhaustJobs, jobIds, removeJobs, returnJobs, runQueuedJobs, takeJob } from "@/server/testing/queued-jobs";

const clean = async () => {
  await enqueue({ db: prisma }, jobs.cleanQueue, {});
  await runQueuedJobs(jobs.cleanQueue);
};

test("a job that comes again by itself does not stay when it has no attempt left; others do, waiting ones too", async () => {
  const [organizationId, notificationId, exportId] = [unique(), unique(), unique()];
  const wake = () => enqueue({ db: prisma }, jobs.sendNotification, { organizationId, notificationId });
  await wake();
  await enqueue({ db: prisma }, jobs.runExport, { organizationId, exportId });
  await exhaustJobs([...(await jobIds({ notificationId })), ...(await jobIds({ exportId }))]);
  await wake();
  await clean();
  expect([await jobIds({ notificationId }), await jobIds({ exportId })].map(({ length }) => length)).toEqual([1, 1]);
  await removeJobs([...(await jobIds({ notificationId })), ...(await jobIds({ exportId }))]);
});

test("a wake whose worker died, while another was queued by the same key, does not stay", async () => {
  const [organizationId, notificationId] = [unique(), unique()];
  const wake = () =>
    enqueue({ db: prisma }, jobs.sendNotification, { organizationId, notificationId }, { key: notificationId });
  await wake();
  const [taken = ""] = await jobIds({ notificationId });
  const worker = unique("worker");
  await takeJob(taken, worker);
  await wake();
  await clean();
  expect(await jobIds({ notificationId })).toContain(taken);
  await returnJobs(worker);
  await clean();
  const left = await jobIds({ notificationId });
  expect([left.length, left.includes(taken)]).toEqual([1, false]);
  await removeJobs(left);
});

test("whatever runs by the clock is of this kind", () => {
  const byTheClock = [...schedule, ...sweeps].map(({ job }) => job);
  expect(byTheClock.filter((job) => !job.recurring)).toEqual([]);
});
