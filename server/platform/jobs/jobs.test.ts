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

test("removes exhausted recurring jobs, and keeps exhausted others and waiting ones", async () => {
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

test("removes a recurring job whose worker died after another was queued with the same key", async () => {
  const [organizationId, notificationId] = [unique(), unique()];
  const wake = () =>
    enqueue({ db: prisma }, jobs.sendNotification, { organizationId, notificationId }, { key: notificationId });
  await wake();
  const [lockedId = ""] = await jobIds({ notificationId });
  const worker = unique("worker");
  await takeJob(lockedId, worker);
  await wake();
  await clean();
  expect(await jobIds({ notificationId })).toContain(lockedId);
  await returnJobs(worker);
  await clean();
  const left = await jobIds({ notificationId });
  expect([left.length, left.includes(lockedId)]).toEqual([1, false]);
  await removeJobs(left);
});

test("every scheduled job and sweep is recurring", () => {
  const scheduled = [...schedule, ...sweeps].map(({ job }) => job);
  expect(scheduled.filter((job) => !job.recurring)).toEqual([]);
});
