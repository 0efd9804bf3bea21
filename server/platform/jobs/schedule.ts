import { jobs, type JobDefinition } from "@/server/platform/jobs/definitions";

/** What runs by the clock: cron expressions in UTC; graphile-worker makes sure that one worker of several runs each. */
export const schedule: readonly { job: JobDefinition; cron: string }[] = [
  { job: jobs.expireUploads, cron: "17 * * * *" },
  { job: jobs.expireDatasetUploads, cron: "27 * * * *" },
  { job: jobs.expireExports, cron: "37 * * * *" },
  { job: jobs.expireInvitations, cron: "7 * * * *" },
];

/**
 * What runs every few seconds while a worker is up: interval in milliseconds. Each is idempotent and cheap when idle.
 */
export const sweeps: readonly { job: JobDefinition; everyMs: number }[] = [
  { job: jobs.wakeNotifications, everyMs: 1_000 },
  { job: jobs.wakeWebhooks, everyMs: 1_000 },
  { job: jobs.wakeAgents, everyMs: 1_000 },
  { job: jobs.sweepOfflineDevices, everyMs: 5_000 },
  { job: jobs.wakeSnoozed, everyMs: 10_000 },
  { job: jobs.sweepProcessing, everyMs: 15_000 },
  { job: jobs.sweepDatasets, everyMs: 30_000 },
  { job: jobs.sweepRuns, everyMs: 30_000 },
  { job: jobs.sweepExports, everyMs: 30_000 },
  { job: jobs.cleanQueue, everyMs: 60_000 },
];
