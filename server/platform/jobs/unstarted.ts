import type { Job } from "graphile-worker";
import type pg from "pg";
import { listTakenJobs, releaseTakenJobs } from "@/server/platform/jobs/graphile";

const identify = ({ id, attempt }: { id: string; attempt: number }): string => `${id} ${attempt}`;

const toJobId = (key: string): string => key.slice(0, key.indexOf(" "));

/**
 * Finds the jobs that the queue has given to this process without its knowing: the connection was lost after they were
 * taken and before the response came. They would stay taken for as long as the process writes heartbeats.
 */
export class UnstartedJobs {
  private readonly started = new Set<string>();

  /** Notes that an attempt of a job has begun here. */
  note({ id, attempts }: Pick<Job, "id" | "attempts">): void {
    this.started.add(identify({ id: String(id), attempt: attempts }));
  }

  /**
   * Releases what these worker pools of the process took so many seconds ago and have not begun. Resolves to the ids of
   * the jobs.
   */
  async release(db: pg.Pool, poolIds: readonly string[], afterSeconds: number): Promise<string[]> {
    const startedBefore = [...this.started];
    const taken = await listTakenJobs(db, poolIds);
    const rekeyed = new Set(taken.filter((job) => job.rekeyed).map(({ id }) => id));
    const begun = new Set(startedBefore.map(toJobId));
    const isStarted = (job: { id: string; attempt: number }) =>
      this.started.has(identify(job)) || (rekeyed.has(job.id) && begun.has(job.id));
    const lost = taken.filter((job) => job.seconds >= afterSeconds && !isStarted(job));
    if (lost.length > 0) await releaseTakenJobs(db, poolIds, lost);
    // What began before the jobs were listed and is not among them is finished.
    const listed = new Set(taken.map(identify));
    for (const key of startedBefore) if (!listed.has(key) && !rekeyed.has(toJobId(key))) this.started.delete(key);
    return lost.map(({ id }) => id);
  }
}
