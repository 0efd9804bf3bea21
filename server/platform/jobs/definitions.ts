import { z } from "zod";

/**
 * Jobs of each kind have slots of their own in a worker, so that none waits for those that take longer: `long` jobs may
 * take minutes, `small` ones process a small recording or read a part of one, all others are `short`.
 */
export type JobKind = "short" | "small" | "long";

/** A job's name, payload and number of attempts. Handlers are in `<feature>/jobs.ts`. */
export interface JobDefinition<P extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly payload: P;
  readonly maxAttempts: number;
  readonly kind: JobKind;
  /** Enqueued again regularly for the work that is due: one without attempts left is removed. */
  readonly recurring: boolean;
  /**
   * Of a job that reads bytes as somebody uploaded them: the member of its payload that says of what. Such a job must not
   * wait for another one: it may have to run with no other beside it.
   */
  readonly reads: string | null;
}

/** A job that reads bytes as somebody uploaded them. */
export interface ReadingDefinition<P extends z.ZodType = z.ZodType> extends JobDefinition<P> {
  readonly reads: string;
}

/** A job that does not. */
interface OtherDefinition<P extends z.ZodType = z.ZodType> extends JobDefinition<P> {
  readonly reads: null;
}

const job = <P extends z.ZodType>(
  name: string,
  payload: P,
  maxAttempts: number,
  kind: JobKind = "short",
): OtherDefinition<P> => ({
  name,
  payload,
  maxAttempts,
  kind,
  recurring: false,
  reads: null,
});

const recurring = <P extends z.ZodType>(
  name: string,
  payload: P,
  maxAttempts: number,
  kind: JobKind = "short",
): OtherDefinition<P> => ({
  ...job(name, payload, maxAttempts, kind),
  recurring: true,
});

const reading = <P extends z.ZodType>(
  name: string,
  payload: P,
  reads: keyof z.input<P> & string,
  maxAttempts: number,
  kind: Exclude<JobKind, "short">,
): ReadingDefinition<P> => ({ ...job(name, payload, maxAttempts, kind), reads });

const nothing = z.object({});

const inOrganization = { organizationId: z.string() };

/** The changes of an account of which a mail informs its person. */
const accountChanges = [
  "password_changed",
  "second_factor_enabled",
  "second_factor_disabled",
  "recovery_codes_renewed",
  "recovery_code_used",
] as const;
export type AccountChange = (typeof accountChanges)[number];

/** Every job of Muster. Services enqueue by definition and never import a handler. */
export const jobs = {
  cleanDaily: recurring("platform.clean-daily", nothing, 3),
  cleanQueue: recurring("queue.clean", nothing, 1),
  processRecording: reading(
    "recordings.process",
    z.object({ ...inOrganization, recordingId: z.string() }),
    "recordingId",
    10,
    "long",
  ),
  /** As `processRecording`, for recordings that are processed within a second. */
  processSmallRecording: reading(
    "recordings.process-small",
    z.object({ ...inOrganization, recordingId: z.string() }),
    "recordingId",
    10,
    "small",
  ),
  writeSignals: reading(
    "signals.write",
    /** `prefix`: of the recording's files, for one that is deleted before its signals are written. */
    z.object({ ...inOrganization, recordingId: z.string(), prefix: z.string() }),
    "recordingId",
    5,
    "long",
  ),
  /** Finds recordings whose signals are not written, such as those of an earlier version. */
  sweepSignals: recurring("signals.sweep", nothing, 1),
  makeFilmstrip: reading(
    "filmstrips.make",
    z.object({ ...inOrganization, recordingId: z.string() }),
    "recordingId",
    5,
    "long",
  ),
  sweepProcessing: recurring("processing.sweep", nothing, 1),
  deleteStoredObjects: job("storage.delete", z.object({ prefix: z.string() }), 10),
  /** Single objects, of many items that are deleted together. */
  deleteStoredKeys: job("storage.delete-keys", z.object({ keys: z.array(z.string()) }), 10),
  expireUploads: recurring("recordings.expire-uploads", nothing, 3),
  removeUnconfirmed: job("recordings.remove-unconfirmed", z.object({ ...inOrganization, recordingId: z.string() }), 10),
  sweepUnfinished: recurring("storage.sweep-unfinished", nothing, 3),
  runRule: reading("rules.run", z.object({ ...inOrganization, runId: z.string() }), "runId", 5, "long"),
  sweepOfflineDevices: recurring("devices.offline-sweep", nothing, 1),
  /** Evaluates the rules about heartbeats on what arrived. */
  evaluateLiveRules: recurring("rules.evaluate-live", nothing, 1),
  /** Makes the parts of the tables of metrics for the days ahead, and removes those whose days are over. */
  keepMetricParts: recurring("health.parts", nothing, 3),
  /** Clears the metrics of deleted devices, which a trigger notes. */
  clearMetrics: recurring("health.clear", nothing, 1),
  rollUpMetrics: recurring("health.roll-up", nothing, 1),
  endMaintenance: job("overview.end-maintenance", z.object({ ...inOrganization, deviceId: z.string() }), 5),
  devicesRecovered: job(
    "devices.several-recovered",
    z.object({ ...inOrganization, deviceIds: z.array(z.string()) }),
    5,
  ),
  /** Enqueued by the version before, which runs beside this one during an upgrade. */
  deviceRecovered: job("devices.recovered", z.object({ ...inOrganization, deviceId: z.string() }), 5),
  sendNotification: recurring("channels.send", z.object({ ...inOrganization, notificationId: z.string() }), 3),
  /** Sends what waits for the pictures of an alert. */
  releaseNotifications: job("channels.release", z.object({ ...inOrganization, alertId: z.string() }), 3),
  wakeNotifications: recurring("channels.wake", nothing, 1),
  wakeWebhooks: recurring("webhooks.wake", nothing, 1),
  cleanWebhooks: recurring("webhooks.clean", nothing, 3),
  examineItems: reading(
    "datasets.examine",
    z.object({ ...inOrganization, datasetId: z.string() }),
    "datasetId",
    5,
    "long",
  ),
  sweepDatasets: recurring("datasets.sweep", nothing, 1),
  /** Adds up what changed in the counts of items. */
  foldItemCounts: recurring("datasets.fold-counts", nothing, 1),
  /** Removes robot descriptions that were not uploaded to their end. */
  expireRobotDescriptions: recurring("robot-descriptions.expire", nothing, 3),
  /** Finds datasets with pictures whose mean colour is not known, such as those of an earlier version. */
  sweepTints: recurring("datasets.sweep-tints", nothing, 1),
  fillTints: job("datasets.fill-tints", z.object({ ...inOrganization, datasetId: z.string() }), 3, "long"),
  runBulkEdit: job("bulk-edits.run", z.object({ ...inOrganization, editId: z.string() }), 5, "long"),
  sweepBulkEdits: recurring("bulk-edits.sweep", nothing, 1),
  extractMoment: reading(
    "moments.extract",
    z.object({ ...inOrganization, momentId: z.string() }),
    "momentId",
    5,
    "long",
  ),
  sweepMoments: recurring("moments.sweep", nothing, 1),
  expireDatasetUploads: recurring("datasets.expire-uploads", nothing, 3),
  countSlices: job("slices.count", z.object({ ...inOrganization, datasetId: z.string() }), 5),
  makeTasks: job(
    "projects.make-tasks",
    z.union([
      z.object({ ...inOrganization, projectId: z.string() }),
      z.object({ ...inOrganization, datasetId: z.string() }),
    ]),
    5,
  ),
  /** Frees the tasks whose leases are over. */
  releaseLeases: recurring("tasks.release-leases", nothing, 1),
  /** Ends the work of those who may not go on with it. */
  endLostWork: job("tasks.end-lost-work", z.object(inOrganization), 5),
  runModel: job("models.run", z.object({ ...inOrganization, runId: z.string() }), 3, "long"),
  sweepRuns: recurring("models.sweep", nothing, 1),
  labelRecording: job(
    "models.label-recording",
    z.object({ ...inOrganization, ruleId: z.string(), recordingId: z.string(), integrationUid: z.string() }),
    10,
  ),
  /** Puts predictions into drafts, or takes them out again. */
  preLabel: job(
    "tasks.pre-label",
    z.object({
      ...inOrganization,
      projectId: z.string(),
      run: z.string(),
      min_score: z.number(),
      label_map: z.record(z.string(), z.string()),
      undo: z.boolean(),
    }),
    5,
    "long",
  ),
  /** Looks at a file of annotations before anything of it is imported. */
  checkImport: reading("imports.check", z.object({ ...inOrganization, importId: z.string() }), "importId", 5, "long"),
  runImport: reading("imports.run", z.object({ ...inOrganization, importId: z.string() }), "importId", 5, "long"),
  /** Queues imports that lost their job, gives up those that nobody goes on with, and removes old reports. */
  sweepImports: recurring("imports.sweep", nothing, 1),
  startWaitingRuns: job("models.start-waiting", z.object({ ...inOrganization, datasetId: z.string() }), 5),
  wakeAgents: recurring("agents.wake", nothing, 1),
  startExports: job("exports.start", z.object(inOrganization), 5),
  /** Draws shapes as people and models submitted them. */
  runExport: reading("exports.run", z.object({ ...inOrganization, exportId: z.string() }), "exportId", 5, "long"),
  sweepExports: recurring("exports.sweep", nothing, 1),
  expireExports: recurring("exports.expire", nothing, 3),
  sweepBucketTests: recurring("storage-configs.sweep-tests", nothing, 1),
  testBucket: job("storage-configs.test", z.object({ ...inOrganization, configUid: z.string() }), 3, "long"),
  wakeSnoozed: recurring("alerts.wake-snoozed", nothing, 1),
  captureAlert: reading("captures.make", z.object({ ...inOrganization, alertId: z.string() }), "alertId", 5, "small"),
  sweepCaptures: recurring("captures.sweep", nothing, 1),
  mailInvitation: job(
    "organizations.mail-invitation",
    z.object({ ...inOrganization, invitationId: z.string(), inviter: z.string().nullable() }),
    8,
  ),
  /** Only for mails that an earlier version queued; their payload has the whole text. */
  sendMail: job(
    "mail.send",
    z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string().optional() }),
    8,
  ),
  /** Makes a link for the account of an address, if there is one, and mails it. */
  mailAccountLink: job("accounts.mail-link", z.object({ email: z.string(), purpose: z.enum(["reset", "verify"]) }), 6),
  mailAccountNotice: job(
    "accounts.mail-notice",
    z.object({ userId: z.string(), change: z.enum(accountChanges), at: z.iso.datetime() }),
    8,
  ),
  makeDemo: job(
    "demo.make",
    z.object({
      ...inOrganization,
      userId: z.string(),
      username: z.string(),
      now: z.iso.datetime(),
      quick: z.boolean().optional(),
    }),
    6,
    "long",
  ),
  demoHeartbeats: recurring("demo.heartbeats", nothing, 1),
  mailDeletion: job("organizations.mail-deletion", z.object({ ...inOrganization, by: z.string() }), 8),
  sweepDeletions: recurring("organizations.sweep-deletions", nothing, 3),
  deleteOrganization: job("organizations.delete", z.object(inOrganization), 10, "long"),
  sweepRetention: recurring("retention.sweep", nothing, 3),
  /** By the settings of an organization; of null, by those of the operator. */
  applyRetention: recurring("retention.apply", z.object({ organizationId: z.string().nullable() }), 10, "long"),
  expireSessions: recurring("organizations.expire-sessions", nothing, 3),
  expireInvitations: recurring("organizations.expire-invitations", nothing, 3),
} as const;

/** The jobs that read what was uploaded: the member of the payload that says of what, by name. */
export const readMembers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values<JobDefinition>(jobs).flatMap(({ name, reads }) => (reads === null ? [] : [[name, reads]])),
);

/** Ends of workers for unknown reasons while only this was read, after which it is not read again. */
export const endsAlone = 3;
