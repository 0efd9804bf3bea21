import { expect, test } from "vitest";
import { enqueueSignals, sweepSignals } from "@/server/features/signals/queue-service";
import { pool, prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { int4, queryRows, notNull, text } from "@/server/platform/rows";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { queuedJobs, removeJobs } from "@/server/testing/queued-jobs";

/** Recordings of an organization with their upload sessions. */
async function makeUploads(count: number): Promise<{ org: TestOrganization; uids: string[] }> {
  const org = await makeOrganization();
  const { uid: device } = await makeDevice(org);
  const uids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { uid } = await makeRecording(org, device);
    const session = {
      uid: `ups_${uid}`,
      organizationId: org.uid,
      recordingId: uid,
      prefix: `recordings/${uid}/`,
      filesHash: uid,
      totalFiles: 0,
      totalBytes: 0,
    };
    await prisma.uploadSession.create({ data: session });
    uids.push(uid);
  }
  return { org, uids };
}

test("signals are written in four queues, those of one recording always in the same", async () => {
  const { org, uids } = await makeUploads(40);
  const read = async () => {
    for (const uid of uids) await transaction(org.ctx, (tx) => enqueueSignals(tx, uid));
    const queued = await queuedJobs(jobs.writeSignals, { organizationId: org.uid });
    const rows = await queryRows(
      pool,
      { queue: notNull(text), keys: notNull(text) },
      `select queue_name as queue, string_agg(key, ' ' order by key) as keys from graphile_worker.jobs
       where id = any($1::bigint[]) and flags ? 'background' group by queue_name order by queue_name`,
      [queued.map(({ id }) => id)],
    );
    return rows;
  };
  const first = await read();
  expect(first.map(({ queue }) => queue)).toEqual(["signals-0", "signals-1", "signals-2", "signals-3"]);
  expect(await read()).toEqual(first);
  await removeJobs((await queuedJobs(jobs.writeSignals, { organizationId: org.uid })).map(({ id }) => id));
});

test("a sweep queues no more than a hundred, so that what is recorded meanwhile does not wait for all of a backlog", async () => {
  const { org, uids } = await makeUploads(110);
  await prisma.recording.updateMany({
    where: { uid: { in: uids } },
    data: { status: "ready", processedAt: new Date() },
  });
  try {
    expect(await sweepSignals()).toBeGreaterThan(0);
    expect(await sweepSignals()).toBe(0);
    const queued = await queuedJobs(jobs.writeSignals, { organizationId: org.uid });
    // Jobs that other tests left wait too; those without attempts do not.
    const waiting =
      "select count(*)::int4 as jobs from graphile_worker.jobs where task_identifier = $1 and attempts < max_attempts";
    expect(await queryRows(pool, { jobs: int4 }, waiting, [jobs.writeSignals.name])).toEqual([{ jobs: 100 }]);
    await removeJobs(queued.slice(0, 7).map(({ id }) => id));
    expect(await sweepSignals()).toBe(7);
  } finally {
    await removeJobs((await queuedJobs(jobs.writeSignals, { organizationId: org.uid })).map(({ id }) => id));
    await prisma.recording.deleteMany({ where: { uid: { in: uids } } });
  }
});
