import { EventEmitter } from "node:events";
import {
  type Job,
  parseCronItems,
  run,
  type Runner,
  type Task,
  type WorkerEvents,
  type WorkerPool,
} from "graphile-worker";
import { pool } from "@/server/platform/db";
import { BackgroundTurns } from "@/server/platform/jobs/background-turns";
import type { JobKind } from "@/server/platform/jobs/definitions";
import { wasReplaced } from "@/server/platform/jobs/graphile";
import { graphileLogger } from "@/server/platform/jobs/graphile-log";
import type { JobHandler } from "@/server/platform/jobs/handler";
import { startHeartbeat } from "@/server/platform/jobs/heartbeat";
import { Leader } from "@/server/platform/jobs/leader";
import { AttemptSuperseded, readCause } from "@/server/platform/jobs/queue";
import { QueuePool } from "@/server/platform/jobs/queue-pool";
import { runAttempt } from "@/server/platform/jobs/reading";
import { ReadingGate } from "@/server/platform/jobs/reading-gate";
import { atStart, schedule } from "@/server/platform/jobs/schedule";
import { enqueueSweep, startSweeps } from "@/server/platform/jobs/sweeps";
import { UnstartedJobs } from "@/server/platform/jobs/unstarted";
import { logFor } from "@/server/platform/log";
import { metrics } from "@/server/platform/metrics";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { startSpan, traced } from "@/server/platform/tracing";

const log = logFor("worker");

/** How often jobs that were taken and not begun are looked for, and how long ago they were taken at least. */
const unstarted = { everyMs: 5_000, afterSeconds: 10 };

/** The graphile-worker task that runs a handler. Those of one process have one gate. */
export function toTask(handler: JobHandler, gate = new ReadingGate()): Task {
  return async (payload, { job, abortSignal }) => {
    const attempt = { jobId: String(job.id), attempt: job.attempts };
    const context = {
      attempt,
      lastAttempt: job.attempts >= job.max_attempts,
      signal: abortSignal ?? new AbortController().signal,
      log: logFor("worker", { job: handler.definition.name, job_id: attempt.jobId, attempt: attempt.attempt }),
    };
    const { name, recurring } = handler.definition;
    const began = performance.now();
    const observe = (outcome: "succeeded" | "failed" | "superseded") =>
      metrics.jobDuration.observe({ task: name, outcome }, (performance.now() - began) / 1_000);
    // Sweeps run every two seconds.
    const span = recurring
      ? null
      : startSpan(
          name,
          "consumer",
          { "muster.job": attempt.jobId, "muster.attempt": attempt.attempt },
          { link: readCause(job.flags) },
        );
    try {
      await traced(span, () => runAttempt(handler, payload, context, gate));
      observe("succeeded");
    } catch (error) {
      observe(error instanceof AttemptSuperseded ? "superseded" : "failed");
      if (error instanceof AttemptSuperseded) {
        // Ends as one that succeeded would: as a failed one it would be listed for ever.
        if (await wasReplaced(pool, job)) return context.log.debug("replaced by another job of its key");
        context.log.warn("superseded by another worker");
      } else if (recurring) warnRepeated(context.log, { err: error }, "job failed", `job failed: ${name}`);
      else context.log.warn({ err: error }, "job failed");
      throw error;
    }
  };
}

export interface RunningWorker {
  /** Lets running jobs finish (or releases them after a grace period) and closes the pool. */
  stop: () => Promise<void>;
  /** Rejects when it has stopped taking jobs without being stopped; the process must be restarted. */
  failed: Promise<never>;
}

/** In the order in which their pools are started. */
const kinds: readonly JobKind[] = ["short", "small", "long"];

/** Starts taking jobs. `slots` are the numbers of jobs of each kind that run concurrently in this process. */
export async function startWorker(
  handlers: readonly JobHandler[],
  slots: Readonly<Record<JobKind, number>> = { short: 4, small: 2, long: 2 },
): Promise<RunningWorker> {
  const events = new EventEmitter() as WorkerEvents;
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  let stopping = false;
  const heartbeat = startHeartbeat((error) => fail(new Error("the heartbeat failed", { cause: error })));
  const poolIds: string[] = [];
  events.on("pool:create", ({ workerPool }: { workerPool: WorkerPool }) => {
    poolIds.push(workerPool.id);
    heartbeat.add(workerPool.id);
  });
  const unstartedJobs = new UnstartedJobs();
  events.on("job:start", ({ job }: { job: Job }) => unstartedJobs.note(job));
  // Sweeps are enqueued by one of all workers, the one with the lock on the connection that waits for notifications.
  const leader = new Leader(() => startSweeps(handlers));
  events.on("pool:listen:success", ({ workerPool, client }) => {
    if (workerPool.id === poolIds[0]) leader.follow(client);
  });
  events.on("pool:listen:release", ({ client }) => leader.leave(client));
  const turns = new BackgroundTurns(events);

  const cron = schedule.map((entry) => ({
    task: entry.job.name,
    match: entry.cron,
    options: { maxAttempts: entry.job.maxAttempts },
  }));
  const queuePool = new QueuePool(pool);
  const gate = new ReadingGate();
  const start = (kind: JobKind): Promise<Runner> => {
    const ownHandlers = handlers.filter((handler) => handler.definition.kind === kind);
    return run({
      pgPool: queuePool,
      events,
      concurrency: slots[kind],
      // Jobs to run now are announced; this is for those that wait for their time, and of each slot.
      pollInterval: 5_000,
      // While all slots but one are taken by work that nobody waits for, the last one is for other jobs.
      forbiddenFlags: () => turns.decide(poolIds[kinds.indexOf(kind)] ?? "", slots[kind]),
      noHandleSignals: true,
      logger: graphileLogger(log),
      taskList: Object.fromEntries(ownHandlers.map((handler) => [handler.definition.name, toTask(handler, gate)])),
      parsedCronItems: parseCronItems(kind === "short" ? cron : []),
    });
  };
  // Sequentially, because the first to start migrates the queue's own tables.
  const runners: Runner[] = [];
  for (const kind of kinds) runners.push(await start(kind));

  // A pool ends itself when it could not record a job's result for a long time, while its heartbeat would continue.
  for (const runner of runners) {
    runner.promise.then(
      () => !stopping && fail(new Error("the worker pool ended by itself")),
      (error: unknown) => fail(new Error("the worker pool failed", { cause: error })),
    );
  }

  for (const job of atStart) void enqueueSweep(job);
  const timer = setInterval(() => {
    unstartedJobs.release(pool, poolIds, unstarted.afterSeconds).then(
      (jobs) => jobs.length > 0 && log.warn({ jobs }, "released jobs whose taking was not acknowledged to the worker"),
      (error: unknown) => warnRepeated(log, { err: error }, "could not look for jobs that were taken and not begun"),
    );
  }, unstarted.everyMs);
  log.info(slots, "worker started");

  return {
    failed,
    stop: async () => {
      stopping = true;
      clearInterval(timer);
      await Promise.all(runners.map((runner) => runner.stop()));
      await heartbeat.stop();
    },
  };
}
