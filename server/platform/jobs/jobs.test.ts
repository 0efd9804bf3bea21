import { expect, test } from "vitest";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { listJobs, retryJobs } from "@/server/platform/jobs/graphile";
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

test("a job without attempts left is listed as failed, and runs again when it is retried", async () => {
  const [organizationId, exportId] = [unique(), unique()];
  await enqueue({ db: prisma }, jobs.runExport, { organizationId, exportId });
  const ids = await jobIds({ exportId });
  await exhaustJobs(ids);
  const listed = async () => (await listJobs(pool, { after: "0", limit: 10_000 })).filter(({ id }) => ids.includes(id));
  expect(await listed()).toMatchObject([{ task: "exports.run", state: "exhausted" }]);
  expect(await retryJobs(pool, { ids })).toEqual(ids);
  expect(await listed()).toMatchObject([{ attempts: 0, state: "waiting" }]);
  await removeJobs(ids);
});

test("every scheduled job and sweep is recurring", () => {
  const scheduled = [...schedule, ...sweeps].map(({ job }) => job);
  expect(scheduled.filter((job) => !job.recurring)).toEqual([]);
});
