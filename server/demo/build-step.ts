import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence, ownsJob } from "@/server/platform/jobs/queue";

/** How the parts of the demo fleet are created: each in a transaction that commits only while the job exists. */
export interface Build {
  ctx: Ctx;
  /** Locks the job's row during the step: `removeDemo`, which deletes it, never sees half of a step. */
  step: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>;
  /** Waits until `isDone`, or until the timeout in milliseconds. */
  waitUntil: (isDone: () => Promise<boolean>, timeoutMs: number) => Promise<void>;
}

export function startBuild(ctx: Ctx, run: JobRun): Build {
  const requireRunning = () => {
    if (run.signal.aborted) throw new Error("the worker is stopping");
  };
  return {
    ctx,
    step: (work) => {
      requireRunning();
      return transaction(ctx, async (tx) => {
        await fence(tx, run.attempt);
        return work(tx);
      });
    },
    waitUntil: async (isDone, timeoutMs) => {
      for (const until = performance.now() + timeoutMs; performance.now() < until; await sleep(500)) {
        requireRunning();
        if (!(await ownsJob(ctx, run.attempt))) throw new AttemptSuperseded(run.attempt);
        if (await isDone()) return;
      }
    },
  };
}

/** A name for a demo row: the organization may have a row of its own with the wanted one. */
export const freeName = (wanted: string, taken: readonly string[]): string =>
  taken.includes(wanted) ? `${wanted} (demo fleet)` : wanted;
