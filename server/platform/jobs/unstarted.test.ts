import { expect, test } from "vitest";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { UnstartedJobs } from "@/server/platform/jobs/unstarted";
import { unique } from "@/server/testing/factories";
import { jobIds, queuedJobs, removeJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";

test("only jobs that were taken long enough ago and not begun are released, and no others", async () => {
  const [own, foreign] = [unique("pool"), unique("pool")];
  const add = async (): Promise<string> => {
    const prefix = `recordings/${unique("none")}/`;
    await enqueue({ db: prisma }, jobs.deleteStoredObjects, { prefix });
    return (await jobIds({ prefix }))[0] ?? "";
  };
  const [lost, begun, young, others] = [await add(), await add(), await add(), await add()];
  const worker = new UnstartedJobs();
  const released = (afterSeconds: number) => worker.release(pool, [own], afterSeconds);
  const waiting = async () => {
    const ids = new Set((await queuedJobs(jobs.deleteStoredObjects)).map(({ id }) => id));
    return [lost, begun, young, others].map((id) => ids.has(id));
  };
  try {
    const attempt = await takeJob(begun, own, 60);
    worker.note({ id: begun, attempts: attempt.attempt });
    for (const id of [lost, young]) await takeJob(id, own, id === lost ? 60 : 5);
    await takeJob(others, foreign, 60);
    expect(await released(10)).toEqual([lost]);
    expect(await waiting()).toEqual([true, false, false, false]);
    expect(await released(10)).toEqual([]);

    // The next attempt of the one that had begun was not begun here.
    await takeJob(begun, own, 60);
    expect(await released(10)).toEqual([begun]);
  } finally {
    for (const each of [own, foreign]) await returnJobs(each);
    await removeJobs([lost, begun, young, others]);
  }
});
