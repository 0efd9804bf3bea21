import { jobs, type JobDefinition } from "@/server/platform/jobs/definitions";

/** Scheduled jobs: cron expressions in UTC; graphile-worker makes sure that only one of several workers runs each. */
export const schedule: readonly { job: JobDefinition; cron: string }[] = [
  { job: jobs.expireUploads, cron: "17 * * * *" },
  { job: jobs.expireDatasetUploads, cron: "27 * * * *" },
  { job: jobs.expireRobotDescriptions, cron: "29 * * * *" },
  { job: jobs.sweepTints, cron: "33 5 * * *" },
  { job: jobs.sweepUnfinished, cron: "23 4 * * *" },
  { job: jobs.expireExports, cron: "37 * * * *" },
  { job: jobs.sweepBucketTests, cron: "13 * * * *" },
  { job: jobs.cleanDaily, cron: "47 3 * * *" },
  { job: jobs.cleanWebhooks, cron: "41 3 * * *" },
  { job: jobs.sweepRetention, cron: "23 2 * * *" },
  { job: jobs.expireInvitations, cron: "7 * * * *" },
  { job: jobs.expireSessions, cron: "57 * * * *" },
  { job: jobs.sweepDeletions, cron: "3 * * * *" },
  { job: jobs.keepMetricParts, cron: "11 * * * *" },
];

/** Sweeps that run while a worker does, with their interval in milliseconds. Each is idempotent and cheap when idle. */
export const sweeps: readonly { job: JobDefinition; everyMs: number }[] = [
  { job: jobs.wakeNotifications, everyMs: 2_000 },
  { job: jobs.wakeWebhooks, everyMs: 2_000 },
  { job: jobs.wakeAgents, everyMs: 2_000 },
  { job: jobs.evaluateLiveRules, everyMs: 2_000 },
  { job: jobs.sweepOfflineDevices, everyMs: 5_000 },
  { job: jobs.wakeSnoozed, everyMs: 10_000 },
  { job: jobs.sweepProcessing, everyMs: 15_000 },
  { job: jobs.sweepSignals, everyMs: 300_000 },
  { job: jobs.sweepCaptures, everyMs: 300_000 },
  { job: jobs.releaseLeases, everyMs: 300_000 },
  { job: jobs.sweepDatasets, everyMs: 30_000 },
  { job: jobs.sweepBulkEdits, everyMs: 30_000 },
  { job: jobs.sweepImports, everyMs: 30_000 },
  { job: jobs.sweepMoments, everyMs: 30_000 },
  { job: jobs.sweepRuns, everyMs: 30_000 },
  { job: jobs.sweepExports, everyMs: 30_000 },
  { job: jobs.demoHeartbeats, everyMs: 60_000 },
  { job: jobs.clearMetrics, everyMs: 60_000 },
  { job: jobs.rollUpMetrics, everyMs: 60_000 },
  { job: jobs.foldItemCounts, everyMs: 60_000 },
  { job: jobs.cleanQueue, everyMs: 60_000 },
];

/** What a worker does when it has started, whatever the time: an installation may have stood still for weeks. */
export const atStart: readonly JobDefinition[] = [jobs.keepMetricParts];
