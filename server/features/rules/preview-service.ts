import pLimit from "p-limit";
import { pMapIterable } from "p-map";
import { toSaved, type Condition } from "@/domain/conditions/condition";
import { describeHit } from "@/domain/conditions/describe";
import { heartbeatTopic, readsHeartbeats } from "@/domain/conditions/heartbeat";
import type { PreviewResult } from "@/domain/rules/preview";
import type { PreviewRule } from "@/domain/rules/schema";
import type { Scope } from "@/domain/rules/scope";
import type { RuleInput } from "@/engine/rules/evaluate";
import { findExample, previewResult, unusableResult, type Previewed } from "@/engine/rules/preview-result";
import { hasOwnDevice } from "@/server/features/devices/demo-queries";
import { storedFacts, type StoredFacts } from "@/server/features/rules/facts-queries";
import { evaluatePast } from "@/server/features/rules/past";
import type { PreviewAnswer } from "@/server/features/rules/resource";
import {
  pastRecordings,
  type PastRecording,
  type RecordingRange,
  checkRange,
} from "@/server/features/rules/scope-queries";
import { readRule } from "@/server/features/rules/service";
import { withUnits } from "@/server/features/rules/unit-queries";
import { ruleWarnings } from "@/server/features/rules/warnings-queries";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { processWide } from "@/server/platform/process-wide";
import { uuidv7 } from "@/server/platform/uid";

/** The maximum of recordings of a preview within a request; more become a run. */
const batchSize = 20;
/** The maximum of recordings of one run. */
export const maxRecordingsPerRun = 1_000;
/** Milliseconds after which a preview becomes a run. */
const previewTimeoutMs = 20_000;
/** Previews computed concurrently in one process; the others are queued. */
const concurrentPreviews = 2;
/** Recordings of a preview at a time: while one is evaluated, the columns of the next are read. */
const recordingsAhead = 2;

/** The input of a preview, as stored with a run. */
export interface PreviewRequest {
  condition: Condition;
  scope: Scope;
  range: RecordingRange;
  ruleId: string | null;
  /** The maximum of hits of each recording in the result. Absent in runs stored before there was one. */
  maxHits?: number | undefined;
}

/** What the edited condition is called among the rules that are evaluated. */
export const candidate = "preview";
const byTime = { by: "recorded" } as const;

/** Why a recording cannot be evaluated; null when it can. */
export function findReason({ status }: PastRecording, facts: StoredFacts | undefined): string | null {
  if (facts && (status === "ready" || status === "archived")) return null;
  return status === "error" ? "The recording could not be processed." : "The recording is not processed yet.";
}

/** Evaluates a condition, and the saved rule it is compared with, over one recording. */
async function previewOne(
  ctx: Ctx,
  recording: PastRecording,
  facts: ReadonlyMap<string, StoredFacts>,
  rules: readonly RuleInput[],
  options: { signal?: AbortSignal; cache: boolean },
): Promise<Previewed> {
  const known = facts.get(recording.uid);
  const reason = findReason(recording, known);
  if (!known || reason !== null) {
    const result = unusableResult(candidate, 0, reason ?? "");
    return { recording, result, saved: rules.length > 1 ? result : null };
  }
  const [result, saved] = await evaluatePast(ctx, { uid: recording.uid, facts: known }, rules, options);
  return { recording, result: result!, saved: saved ?? null };
}

/** The saved rule that a preview is compared with. */
export async function readSaved(ctx: Ctx, { ruleId }: PreviewRequest): Promise<RuleInput | null> {
  if (ruleId === null) return null;
  const { uid, version, condition } = await readRule(ctx, ruleId);
  return { uid, version, condition: toSaved(condition) };
}

/** Evaluates a preview over the given recordings; awaits `onProgress` after each of them. */
export async function previewRecordings(
  ctx: Ctx,
  request: PreviewRequest,
  recordings: readonly PastRecording[],
  options: { signal?: AbortSignal; cache: boolean; onProgress?: (previewed: Previewed) => Promise<void> },
): Promise<PreviewResult> {
  const saved = await readSaved(ctx, request);
  const rules: RuleInput[] = [{ uid: candidate, version: saved ? saved.version + 1 : 1, condition: request.condition }];
  if (saved) rules.push(saved);
  const previewed: Previewed[] = [];
  for (let from = 0; from < recordings.length; from += batchSize) {
    const group = recordings.slice(from, from + batchSize);
    const facts = await storedFacts(
      ctx,
      group.map(({ uid }) => uid),
    );
    const evaluate = (recording: PastRecording): Promise<Previewed> => {
      options.signal?.throwIfAborted();
      return previewOne(ctx, recording, facts, rules, options);
    };
    for await (const one of pMapIterable(group, evaluate, { concurrency: recordingsAhead })) {
      previewed.push(one);
      await options.onProgress?.(one);
    }
  }
  const warnings = await ruleWarnings(ctx, request.condition, request.scope);
  const example = await exampleMessage(ctx, request.condition, previewed);
  return previewResult(request.condition, previewed, warnings, saved, example, request.maxHits);
}

/** The message of the first hit's alert. */
async function exampleMessage(ctx: Ctx, condition: Condition, previewed: readonly Previewed[]): Promise<string | null> {
  const example = findExample(previewed);
  if (!example) return null;
  const leaves = await withUnits(ctx, example.recording.uid, example.hit.evidence.leaves);
  return describeHit({ condition }, { evidence: { leaves } });
}

export const limitPreviews = processWide("previewLimit", () => pLimit(concurrentPreviews));

async function startPreviewRun(ctx: Ctx, request: PreviewRequest, total: number): Promise<{ run_uid: string }> {
  const uid = uuidv7();
  await transaction(ctx, async (tx) => {
    await tx.db.ruleRun.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        kind: "preview",
        request: JSON.parse(JSON.stringify(request)) as object,
        total,
        createdById: tx.actor.userId,
      },
    });
    await enqueue(tx, jobs.runRule, { organizationId: tx.organizationId, runId: uid }, { key: `rules.run:${uid}` });
  });
  return { run_uid: uid };
}

/**
 * What a preview looks at: the recordings that are named, else the newest of the range or scope, one more than a request
 * evaluates where there are more. Throws `invalid` at `recordings` or `rule_id` for objects that are not the
 * organization's.
 */
export async function planPreview(
  ctx: Ctx,
  input: PreviewRule,
  own: boolean,
): Promise<{ request: PreviewRequest; recordings: PastRecording[]; isSmall: boolean }> {
  const scope = input.scope ?? null;
  const notRecorded = `Heartbeats are in no recording: a rule on ${heartbeatTopic} cannot be previewed over recordings.`;
  if (readsHeartbeats(input.condition)) throw invalid("condition", notRecorded);
  const range = { ...(await checkRange(ctx, input)), ...(own && { own }) };
  if (input.rule_id !== undefined) {
    const rule = await ctx.db.rule.findFirst({
      where: { uid: input.rule_id, organizationId: ctx.organizationId },
      select: { condition: true },
    });
    if (!rule) throw invalid("rule_id", `Invalid pk "${input.rule_id}" - object does not exist.`);
    if (readsHeartbeats(toSaved(rule.condition))) throw invalid("rule_id", notRecorded);
  }
  const { condition, rule_id: ruleId = null, max_hits: maxHits } = input;
  const ranged = Boolean(range.recordings ?? range.since ?? range.until);
  const recordings = await pastRecordings(ctx, scope, range, ranged ? maxRecordingsPerRun : batchSize, byTime);
  const request = { condition, scope, range, ruleId, maxHits };
  return { request, recordings, isSmall: recordings.length <= batchSize };
}

/**
 * Evaluates a condition over past recordings without saving: within the request for up to 20, as a run for more or after
 * a timeout. Throws as `planPreview` does.
 */
export async function previewRule(ctx: Ctx, input: PreviewRule, { own = false } = {}): Promise<PreviewAnswer> {
  const { request, recordings, isSmall } = await planPreview(ctx, input, own);
  if (!isSmall) return startPreviewRun(ctx, request, recordings.length);

  const timeout = AbortSignal.timeout(previewTimeoutMs);
  try {
    return await limitPreviews(() => previewRecordings(ctx, request, recordings, { signal: timeout, cache: true }));
  } catch (error) {
    if (!timeout.aborted) throw error;
    const range = { recordings: recordings.map(({ uid }) => uid) };
    return startPreviewRun(ctx, { ...request, range }, recordings.length);
  }
}

/** Once the organization has a device of its own, the demo fleet is left out, unless the scope names devices or groups. */
export async function isOwnOnly(ctx: Ctx, { scope }: PreviewRule): Promise<boolean> {
  const { device_ids: devices = [], group_ids: groups = [] } = scope ?? {};
  return devices.length + groups.length === 0 && (await hasOwnDevice(ctx));
}

/** The dashboard's preview: without the demo fleet's recordings where `isOwnOnly`. */
export async function previewOnScreen(ctx: Ctx, input: PreviewRule): Promise<PreviewAnswer> {
  return previewRule(ctx, input, { own: await isOwnOnly(ctx, input) });
}
