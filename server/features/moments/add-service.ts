import { maxMomentFrames, type AddMoment, type MomentRange, type NewTarget } from "@/domain/moments/schema";
import { getActorName } from "@/server/features/alerts/messages-queries";
import { auditSeveral } from "@/server/features/audit/service";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { createDataset, lockDataset, namedDatasets } from "@/server/features/datasets/service";
import type { MomentTarget } from "@/server/features/moments/list-queries";
import { countPlanned, countPresent, describePlan, planMoment } from "@/server/features/moments/plan-service";
import type { MomentAdded, MomentPreview } from "@/server/features/moments/resource";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce, announceSeveral } from "@/server/platform/realtime/changes";
import { uuidv7 } from "@/server/platform/uid";

/** The dataset that a request names. Throws `invalid("dataset")`. */
export async function findTarget(ctx: Ctx, uid: string): Promise<DatasetResource> {
  const [dataset] = await namedDatasets(ctx, "dataset", [uid]);
  if (!dataset) throw invalid("dataset", "Name a dataset.");
  return dataset;
}

/** Creates an empty dataset for moments. Throws as `createDataset`. */
export async function createTarget(ctx: Ctx, { name, data_type }: NewTarget): Promise<MomentTarget> {
  const fixed = { is_sequence: false, visibility: "private", access: "organization" } as const;
  const { uid, slug, owner_name } = await createDataset(ctx, { name, data_type, ...fixed });
  return { uid, name, slug, owner_name, data_type, item_count: 0, used: false };
}

/** What adding a range would bring, to a dataset if one is named. Throws `invalid`. */
export async function previewMoment(ctx: Ctx, target: string | undefined, input: MomentRange): Promise<MomentPreview> {
  const dataset = target === undefined ? null : await findTarget(ctx, target);
  await requireRecording(ctx, input.recording_id);
  return describePlan(ctx, await planMoment(ctx, input, true), dataset?.uid ?? null);
}

/** A range of a recording that is to be extracted. */
export interface NewSpan {
  recordingId: string;
  alertId: string | null;
  eventId: string | null;
  ruleId: string | null;
  fromNs: bigint;
  toNs: bigint;
  topics: string[];
}

interface NewMoment {
  everyMs: number;
  firstOnly: boolean;
  clip: boolean;
  note: string;
  planned: number;
  spans: readonly NewSpan[];
}

export const tooMany = (frames: number) =>
  invalid(
    "every_ms",
    `There would be about ${frames} frames; at most ${maxMomentFrames} are added. Choose a lower rate.`,
  );

/** Throws `invalid` for an alert, event or rule of nobody or of another organization. */
async function requireOrigin(ctx: Ctx, input: AddMoment): Promise<void> {
  const { organizationId } = ctx;
  const missing = (uid: string) => `Invalid pk "${uid}" - object does not exist.`;
  const { alert_id: alert, event_id: event, rule_id: rule } = input;
  if (alert !== undefined && (await ctx.db.alert.count({ where: { uid: alert, organizationId } })) === 0)
    throw invalid("alert_id", missing(alert));
  if (event !== undefined && (await ctx.db.event.count({ where: { uid: event, organizationId } })) === 0)
    throw invalid("event_id", missing(event));
  if (rule !== undefined && (await ctx.db.rule.count({ where: { uid: rule, organizationId } })) === 0)
    throw invalid("rule_id", missing(rule));
}

/** The recording that a request names, where there is none: a 400 that names the member. */
async function requireRecording(ctx: Ctx, uid: string): Promise<void> {
  const { organizationId } = ctx;
  if ((await ctx.db.recording.count({ where: { uid, organizationId } })) === 0)
    throw invalid("recording_id", `Invalid pk "${uid}" - object does not exist.`);
}

/**
 * Adds the frames of a range to a dataset; the worker extracts them. What the dataset has already is left alone, and where
 * that is everything, nothing is added. Throws `invalid` for what does not exist, for what the recording does not hold and for
 * too many frames.
 */
export async function addMoment(ctx: Ctx, target: string, input: AddMoment): Promise<MomentAdded> {
  const dataset = await findTarget(ctx, target);
  await requireRecording(ctx, input.recording_id);
  await requireOrigin(ctx, input);
  const plan = await planMoment(ctx, input, false);
  const total = countPlanned(plan);
  if (total > maxMomentFrames) throw tooMany(total);
  if (total === 0) throw invalid("topics", "The range holds no frames of these topics.");
  const present = await countPresent(ctx, plan, dataset.uid);
  if (plan.exact && present === total) return { moment_uid: null, dataset_uid: dataset.uid, planned: 0, present };
  const span: NewSpan = {
    recordingId: plan.recording.uid,
    alertId: input.alert_id ?? null,
    eventId: input.event_id ?? null,
    ruleId: input.rule_id ?? null,
    fromNs: plan.from,
    toNs: plan.to,
    topics: plan.topics,
  };
  const planned = Math.max(0, total - present);
  const uid = await transaction(ctx, (tx) =>
    insertMoment(tx, dataset.uid, {
      everyMs: input.every_ms,
      firstOnly: input.first,
      clip: input.clip,
      note: input.note,
      planned,
      spans: [span],
    }),
  );
  return { moment_uid: uid, dataset_uid: dataset.uid, planned, present };
}

/** Records an addition, its provenance in the histories of alerts, and queues its extraction. */
export async function insertMoment(tx: Ctx, datasetId: string, { spans, ...moment }: NewMoment): Promise<string> {
  const { organizationId } = tx;
  const dataset = await lockDataset(tx, datasetId);
  const uid = uuidv7();
  await tx.db.moment.create({
    data: {
      ...moment,
      uid,
      organizationId,
      datasetId,
      createdById: tx.actor.userId,
      createdByName: getActorName(tx),
      spans: { create: spans.map((span, position) => ({ ...span, position, organizationId })) },
    },
  });
  await enqueueExtraction(tx, uid);
  const after = { dataset_id: dataset.uid, dataset: dataset.name, moment_id: uid, items: moment.planned };
  const alerts = [...new Set(spans.flatMap(({ alertId }) => alertId ?? []))];
  await auditSeveral(tx, [
    [
      tx,
      {
        action: "dataset.moments_added",
        targetType: "dataset",
        targetId: dataset.uid,
        targetName: dataset.name,
        after: { moment_id: uid, spans: spans.length, items: moment.planned },
      },
    ],
    ...alerts.map(
      (alert) => [tx, { action: "alert.added_to_dataset", targetType: "alert", targetId: alert, after }] as const,
    ),
  ]);
  await announce(tx, "dataset", dataset.uid, "updated");
  if (alerts.length > 0) await announceSeveral(tx, "alert", alerts, "updated");
  return uid;
}

/** Queues the extraction of an addition. One of an organization runs at a time, so that recordings are processed meanwhile. */
export const enqueueExtraction = (tx: Ctx, momentId: string): Promise<void> =>
  enqueue(
    tx,
    jobs.extractMoment,
    { organizationId: tx.organizationId, momentId },
    { queue: `moments-${tx.organizationId}` },
  );
