import pLimit from "p-limit";
import type { Condition } from "@/domain/conditions/condition";
import type { PreviewRule } from "@/domain/rules/schema";
import type { Scope } from "@/domain/rules/scope";
import type { RuleInput, RuleResult } from "@/engine/rules/evaluate";
import { storedFacts } from "@/server/features/rules/facts-queries";
import { evaluatePast } from "@/server/features/rules/past";
import { previewResult, type Previewed } from "@/server/features/rules/preview-result";
import type { PreviewAnswer, PreviewResult } from "@/server/features/rules/resource";
import {
  pastRecordings,
  type PastRecording,
  type RecordingRange,
  checkRange,
} from "@/server/features/rules/scope-queries";
import { readRule } from "@/server/features/rules/service";
import { ruleWarnings } from "@/server/features/rules/warnings-queries";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { processWide } from "@/server/platform/process-wide";
import { uuidv7 } from "@/server/platform/uid";

/** Recordings that are looked at while the caller waits; more become a run. */
const batchSize = 20;
/** Recordings that one run looks at. */
export const recordingsInRun = 1_000;
/** A caller that would have to wait longer than this gets a run instead, in milliseconds. */
const previewTimeoutMs = 20_000;
/** Previews computed at the same time in one process; the others wait their turn. */
const concurrency = 2;

/** What a preview is of, as it is kept with a run. */
export interface PreviewRequest {
  condition: Condition;
  scope: Scope;
  range: RecordingRange;
  ruleId: string | null;
}

const candidate = "preview";

/** Evaluates a condition, and the saved rule it is compared with, over one recording. */
async function previewOne(
  ctx: Ctx,
  recording: PastRecording,
  facts: Awaited<ReturnType<typeof storedFacts>>,
  rules: readonly RuleInput[],
  options: { signal?: AbortSignal; cache: boolean },
): Promise<Previewed> {
  const known = facts.get(recording.uid);
  const unusable = recording.status !== "ready" && recording.status !== "archived";
  if (!known || unusable) {
    const reason =
      recording.status === "error" ? "The recording could not be processed." : "The recording is not processed yet.";
    const result: RuleResult = {
      ruleUid: candidate,
      version: 0,
      status: "error",
      reason,
      hits: [],
      suppressed: 0,
      storm: false,
      notes: [],
    };
    return { recording, result, saved: rules.length > 1 ? result : null };
  }
  const [result, saved] = await evaluatePast(ctx, { uid: recording.uid, facts: known }, rules, options);
  return { recording, result: result!, saved: saved ?? null };
}

/** Runs a preview over recordings already chosen; `tell` hears of each as it is done. */
export async function previewOver(
  ctx: Ctx,
  request: PreviewRequest,
  recordings: readonly PastRecording[],
  options: { signal?: AbortSignal; cache: boolean; onProgress?: (previewed: Previewed) => Promise<void> },
): Promise<PreviewResult> {
  const saved = request.ruleId === null ? null : await readRule(ctx, request.ruleId);
  const rules: RuleInput[] = [{ uid: candidate, version: saved ? saved.version + 1 : 1, condition: request.condition }];
  if (saved) rules.push({ uid: saved.uid, version: saved.version, condition: saved.condition as unknown as Condition });
  const previewed: Previewed[] = [];
  for (let from = 0; from < recordings.length; from += batchSize) {
    const group = recordings.slice(from, from + batchSize);
    const facts = await storedFacts(
      ctx,
      group.map(({ uid }) => uid),
    );
    for (const recording of group) {
      options.signal?.throwIfAborted();
      const one = await previewOne(ctx, recording, facts, rules, options);
      previewed.push(one);
      await options.onProgress?.(one);
    }
  }
  const warnings = await ruleWarnings(ctx, request.condition, request.scope);
  return previewResult(request.condition, previewed, warnings, saved);
}

const limitPreviews = processWide("previewLimit", () => pLimit(concurrency));

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
 * What a condition would have found: answered at once for up to 20 recordings (the ones named, else the newest of the
 * range, else the newest 20 in scope), by a run for more or when it takes too long. Changes nothing. Throws `invalid`
 * at `recordings` or `rule_id` for objects that are not the organization's.
 */
export async function previewRule(ctx: Ctx, input: PreviewRule): Promise<PreviewAnswer> {
  const scope = input.scope ?? null;
  const range = await checkRange(ctx, input);
  if (input.rule_id !== undefined) {
    const rule = await ctx.db.rule.findFirst({
      where: { uid: input.rule_id, organizationId: ctx.organizationId },
      select: { uid: true },
    });
    if (!rule) throw invalid("rule_id", `Invalid pk "${input.rule_id}" - object does not exist.`);
  }
  const request: PreviewRequest = { condition: input.condition, scope, range, ruleId: input.rule_id ?? null };
  const ranged = Object.keys(range).length > 0;
  const found = await pastRecordings(ctx, scope, range, { limit: ranged ? recordingsInRun : batchSize });
  if (found.length > batchSize) return startPreviewRun(ctx, request, found.length);

  const patience = AbortSignal.timeout(previewTimeoutMs);
  try {
    return await limitPreviews(() => previewOver(ctx, request, found, { signal: patience, cache: true }));
  } catch (error) {
    if (patience.aborted)
      return startPreviewRun(ctx, { ...request, range: { recordings: found.map(({ uid }) => uid) } }, found.length);
    throw error;
  }
}
