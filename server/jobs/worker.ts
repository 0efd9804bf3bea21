import { EventEmitter } from "node:events";
import { parseCronItems, run, type Runner, type Task, type WorkerEvents, type WorkerPool } from "graphile-worker";
import { pool, prisma } from "@/server/db";
import { graphileLogger } from "@/server/database/graphile-log";
import { handlers } from "@/server/jobs/handlers";
import { startHeartbeat } from "@/server/jobs/heartbeat";
import { AttemptSuperseded, enqueue } from "@/server/jobs/queue";
import { schedule, sweeps } from "@/server/jobs/schedule";
import type { JobHandler } from "@/server/jobs/handler";
import { logFor } from "@/server/log";

const log = logFor("worker");

/** graphile-worker's task of a handler: no-op for superseded attempts, so that a paused worker leaves no trace. */
function task(handler: JobHandler): Task {
  return async (payload, { job, abortSignal }) => {
    const attempt = { jobId: String(job.id), attempt: job.attempts };
    const context = {
      attempt,
      lastAttempt: job.attempts >= job.max_attempts,
      signal: abortSignal ?? new AbortController().signal,
      log: logFor("worker", { job: handler.definition.name, job_id: attempt.jobId, attempt: attempt.attempt }),
    };
    try {
      await handler.run(payload, context);
    } catch (error) {
      if (error instanceof AttemptSuperseded) context.log.warn("superseded by another worker");
      else context.log.warn({ err: error }, "job failed");
      throw error;
    }
  };
}

export interface RunningWorker {
  /** Lets running jobs finish (or hands them back after a grace period) and closes the pool. */
  stop: () => Promise<void>;
}

/** Starts taking jobs. `concurrency` jobs run at once in this process. */
export async function startWorker(concurrency = 4): Promise<RunningWorker> {
  const events = new EventEmitter() as WorkerEvents;
  const heartbeat = startHeartbeat();
  events.on("pool:create", ({ workerPool }: { workerPool: WorkerPool }) => heartbeat.add(workerPool.id));

  const taskList = Object.fromEntries(handlers.map((handler) => [handler.definition.name, task(handler)]));
  const runner: Runner = await run({
    pgPool: pool,
    events,
    concurrency,
    pollInterval: 1_000,
    noHandleSignals: true,
    logger: graphileLogger(log),
    taskList,
    parsedCronItems: parseCronItems(
      schedule.map(({ job, cron }) => ({ task: job.name, match: cron, options: { maxAttempts: job.maxAttempts } })),
    ),
  });

  // A sweep's job key makes several workers share one run of it at a time.
  const timers = sweeps.map(({ job, everyMs }) =>
    setInterval(() => {
      enqueue({ db: prisma }, job, {}, { key: job.name, priority: -10 }).catch((error: unknown) =>
        log.warn({ err: error, job: job.name }, "could not enqueue a sweep"),
      );
    }, everyMs),
  );
  log.info({ concurrency }, "worker started");

  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await runner.stop();
      await heartbeat.stop();
    },
  };
}
