import { beforeEach, expect, test } from "vitest";
import * as datasetJobs from "@/server/features/datasets/jobs";
import { sweepDatasets } from "@/server/features/datasets/sweep-service";
import * as exportJobs from "@/server/features/exports/jobs";
import { createExport } from "@/server/features/exports/service";
import { sweepExports } from "@/server/features/exports/sweep-service";
import * as modelJobs from "@/server/features/models/jobs";
import { startRuns } from "@/server/features/models/run-service";
import { sweepRuns } from "@/server/features/models/sweep-service";
import * as projectJobs from "@/server/features/projects/jobs";
import { prisma } from "@/server/platform/db";
import { jobs, type JobDefinition } from "@/server/platform/jobs/definitions";
import { makeDataset, picture, pictures, uploadTo } from "@/server/testing/datasets";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { exhaustJobs, queuedJobs, removeJobs } from "@/server/testing/queued-jobs";

/** Sweeps enqueue lost jobs again, and fail what ended its worker in every attempt. */

let org: TestOrganization;
beforeEach(async () => {
  org = await makeOrganization();
});

/** Removes the jobs of a kind, or exhausts them as if their worker had died in every attempt. */
async function lose(
  definition: JobDefinition,
  members: Record<string, unknown>,
  how: "removed" | "exhausted",
): Promise<void> {
  const ids = (await queuedJobs(definition, members)).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(0);
  await (how === "removed" ? removeJobs(ids) : exhaustJobs(ids));
}
const left = async (definition: JobDefinition, members: Record<string, unknown>) =>
  (await queuedJobs(definition, members)).length;

async function startExport(): Promise<string> {
  const dataset = await pictures(org, 1);
  const { uid } = await createExport(org.ctx, {
    name: unique("export"),
    format: "avala-json-external",
    datasets: [dataset.uid],
    projects: [],
    slices: [],
  });
  return uid;
}
const getStatus = async (uid: string) => (await prisma.export.findUniqueOrThrow({ where: { uid } })).status;

test("an export without a job is made or started; one that ended its worker in every attempt fails", async () => {
  const [made, failed] = [await startExport(), await startExport()];
  await runJobs([exportJobs.start]);
  await lose(jobs.runExport, { exportId: made }, "removed");
  await lose(jobs.runExport, { exportId: failed }, "exhausted");
  await sweepExports(0);
  expect(await getStatus(failed)).toBe("failed");
  expect(await left(jobs.runExport, { exportId: failed })).toBe(0);
  // One that has a job gets no second one.
  await sweepExports(0);
  expect(await left(jobs.runExport, { exportId: made })).toBe(1);
  await runJobs([exportJobs.start, exportJobs.run]);
  expect(await getStatus(made)).toBe("exported");

  const waiting = await startExport();
  await lose(jobs.startExports, { organizationId: org.uid }, "removed");
  expect(await getStatus(waiting)).toBe("requested");
  await sweepExports(0);
  await runJobs([exportJobs.start, exportJobs.run]);
  expect(await getStatus(waiting)).toBe("exported");
});

test("a run of a model without a job is completed; one that ended its worker in every attempt fails", async () => {
  const dataset = await pictures(org, 1);
  const integration = await prisma.integration.findFirstOrThrow({ where: { provider: "builtin" } });
  const target = { dataset_uid: dataset.uid, dataset_item_uids: [] };
  const [done, failed] = await startRuns(org.ctx, integration.uid, [target, target]);
  await lose(jobs.runModel, { runId: done?.uid }, "removed");
  await lose(jobs.runModel, { runId: failed?.uid }, "exhausted");
  await sweepRuns(0);
  await runJobs([modelJobs.run]);
  const statuses = await prisma.run.findMany({
    where: { organizationId: org.uid },
    orderBy: { uid: "asc" },
    select: { status: true },
  });
  expect(statuses.map(({ status }) => status)).toEqual(["completed", "failed"]);
  expect(await left(jobs.runModel, { runId: failed?.uid })).toBe(0);
});

test("a dataset without a job is read; a file that ended its worker in every attempt is reported", async () => {
  const work = () => runJobs([datasetJobs.examine, projectJobs.make]);
  const read = await makeDataset(org);
  await uploadTo(org, read, { "a.png": await picture() });
  await lose(jobs.examineItems, { datasetId: read.uid }, "removed");
  const stopped = await makeDataset(org);
  const session = await uploadTo(org, stopped, { "bad.png": await picture() });
  await lose(jobs.examineItems, { datasetId: stopped.uid }, "exhausted");
  await sweepDatasets(0);
  await work();
  const datasets = await prisma.dataset.findMany({
    where: { organizationId: org.uid },
    orderBy: { uid: "asc" },
    select: { status: true, itemCount: true },
  });
  expect(datasets).toEqual([
    { status: "created", itemCount: 1 },
    { status: "failed", itemCount: 0 },
  ]);
  const { failures } = await prisma.uploadSession.findUniqueOrThrow({ where: { uid: session } });
  expect(failures).toEqual([{ path: "bad.png", error: "Reading it stopped the worker again and again." }]);
});
