import { listLeaves } from "@/domain/conditions/condition";
import { topicMatcher } from "@/domain/conditions/expressions";
import type { PreviewRule } from "@/domain/rules/schema";
import { holdsPaths, listWantedTopics } from "@/engine/columns/stored-recording";
import { createEvaluation, type RuleInput } from "@/engine/rules/evaluate";
import { storedFacts, type StoredFacts } from "@/server/features/rules/facts-queries";
import { candidate, findReason, isOwnOnly, planPreview, readSaved } from "@/server/features/rules/preview-service";
import type { PreviewColumns } from "@/server/features/rules/resource";
import type { PastRecording } from "@/server/features/rules/scope-queries";
import { listUnits } from "@/server/features/rules/unit-queries";
import { ruleWarnings } from "@/server/features/rules/warnings-queries";
import { listSignalSources } from "@/server/features/stored-signals/source-queries";
import type { Ctx } from "@/server/platform/context";

/** Values that a page evaluates itself: 16 MB as doubles. */
const maxSamples = 2_000_000;

type Columns = NonNullable<PreviewColumns>["recordings"][number];

/**
 * What a page needs to compute previews of a condition itself, with any other numbers and durations in it. Null where
 * these are too many values, or where the condition needs more than stored columns of numbers.
 */
export async function previewColumns(ctx: Ctx, input: PreviewRule): Promise<PreviewColumns> {
  const { request, recordings, isSmall } = await planPreview(ctx, input, await isOwnOnly(ctx, input));
  if (!isSmall) return null;
  const saved = await readSaved(ctx, request);
  const rules: RuleInput[] = [{ uid: candidate, version: 1, condition: request.condition }, ...(saved ? [saved] : [])];
  const ids = recordings.map(({ uid }) => uid);
  const topics = [...new Set(rules.flatMap(({ condition }) => listLeaves(condition)).map(({ topic }) => topic))];
  const [facts, units, warnings] = await Promise.all([
    storedFacts(ctx, ids),
    listUnits(ctx, ids, topics),
    ruleWarnings(ctx, request.condition, request.scope),
  ]);
  const columns: Columns[] = [];
  let samples = 0;
  for (const recording of recordings) {
    const found = await listColumns(ctx, recording, facts.get(recording.uid), rules);
    if (found === null) return null;
    samples += found.samples;
    if (samples > maxSamples) return null;
    columns.push({ ...found.columns, units: units.get(recording.uid) ?? [] });
  }
  return {
    recordings: columns,
    topics,
    saved: saved && { ...saved, condition: { ...saved.condition } },
    warnings,
  };
}

/** The files and columns of one recording, and how many values these have; null where columns are not enough. */
async function listColumns(
  ctx: Ctx,
  recording: PastRecording,
  facts: StoredFacts | undefined,
  rules: readonly RuleInput[],
): Promise<{ columns: Omit<Columns, "units">; samples: number } | null> {
  const { uid, name, deviceId, deviceName, startedAt, endedAt } = recording;
  const target = { uid, name, device_id: deviceId, device_name: deviceName, started_at: startedAt, ended_at: endedAt };
  const reason = findReason(recording, facts);
  if (!facts || reason !== null)
    return { columns: { ...target, reason: reason ?? "", facts: null, files: [] }, samples: 0 };

  const wanted = listWantedTopics(createEvaluation(rules, facts), facts);
  if (wanted === null) return null;
  const sources =
    wanted.length === 0
      ? new Map<string, never>()
      : await listSignalSources(
          ctx,
          uid,
          wanted.map(({ topic }) => topic),
        );
  const files: Columns["files"] = [];
  let samples = 0;
  for (const { topic, paths, messages } of wanted) {
    const source = sources.get(topic);
    if (!source || !holdsPaths(source.types, paths)) return null;
    const fields = paths.flatMap((path) => {
      const type = source.types.get(path);
      return type === undefined ? [] : [{ path, type }];
    });
    files.push({ topic, version: source.version, size_bytes: source.size, fields });
    samples += messages * Math.max(1, paths.length);
  }
  return { columns: { ...target, reason: null, facts: toFactsResource(facts, rules), files }, samples };
}

function toFactsResource(
  { startTime, endTime, truncated, topics }: StoredFacts,
  rules: readonly RuleInput[],
): NonNullable<Columns["facts"]> {
  const matchers = rules.flatMap(({ condition }) => listLeaves(condition)).map(({ topic }) => topicMatcher(topic));
  return {
    start_ns: String(startTime),
    end_ns: String(endTime),
    truncated,
    topics: topics
      .filter(({ topic }) => matchers.some((matches) => matches(topic)))
      .map(({ topic, messageCount, medianPeriodNs, undecodable }) => ({
        topic,
        message_count: messageCount,
        median_period_ns: medianPeriodNs === null ? null : String(medianPeriodNs),
        ...(undecodable !== undefined && { undecodable }),
      })),
  };
}
