import { LRUCache } from "lru-cache";
import {
  evaluateTopics,
  holdsPaths,
  listWantedTopics,
  readStoredTopic,
  type WantedTopic,
} from "@/engine/columns/stored-recording";
import type { StoredTopic } from "@/engine/columns/stored-topic";
import { createEvaluation, type RuleInput, type RuleResult } from "@/engine/rules/evaluate";
import { TimeSlicer } from "@/engine/time-slicer";
import type { StoredFacts } from "@/server/features/rules/facts-queries";
import { openSignals } from "@/server/features/stored-signals/open-signals";
import { listSignalSources, type SignalSource } from "@/server/features/stored-signals/source-queries";
import type { Ctx } from "@/server/platform/context";
import { processWide } from "@/server/platform/process-wide";

/** Memory for stored columns in one process: 20 recordings of ten minutes at 1 kHz. */
const budgetBytes = 256 * 1024 * 1024;

const cache = processWide(
  "storedTopics",
  () => new LRUCache<string, StoredTopic>({ maxSize: budgetBytes, sizeCalculation: ({ bytes }) => bytes + 500 }),
);

/** A recording that was processed, with its facts. */
interface Target {
  uid: string;
  facts: StoredFacts;
}

const toKey = ({ uid, facts }: Target, topic: string): string => `${uid} ${facts.processed} ${topic}`;

/**
 * Evaluates rules over the stored signals of a recording, which gives what its messages give. Null where signals are
 * not enough: not written yet, or of other types than numbers and booleans.
 */
export async function evaluateStored(
  ctx: Ctx,
  target: Target,
  rules: readonly RuleInput[],
  signal?: AbortSignal,
): Promise<RuleResult[] | null> {
  const { facts } = target;
  const evaluation = createEvaluation(rules, facts);
  const wanted = listWantedTopics(evaluation, facts);
  if (wanted === null) return null;
  const topics = await loadTopics(ctx, target, wanted);
  if (topics === null) return null;
  const slicer = new TimeSlicer(signal);
  const pause = (): Promise<void> | null => (slicer.isOver ? slicer.yield() : null);
  return evaluateTopics(evaluation, wanted, topics, facts.startTime, pause);
}

/** The columns that are wanted, from memory or from their files; null where one cannot be had. */
async function loadTopics(
  ctx: Ctx,
  target: Target,
  wanted: readonly WantedTopic[],
): Promise<Map<string, StoredTopic> | null> {
  const loaded = new Map<string, StoredTopic>();
  const missing: WantedTopic[] = [];
  for (const one of wanted) {
    const known = cache.get(toKey(target, one.topic));
    if (known && known.lacks(one.paths).length === 0) loaded.set(one.topic, known);
    else missing.push(one);
  }
  if (missing.length === 0) return loaded;
  const sources = await listSignalSources(
    ctx,
    target.uid,
    missing.map(({ topic }) => topic),
  );
  for (const one of missing) {
    const source = sources.get(one.topic);
    const topic = source && (await readTopic(source, one, target));
    if (!topic) return null;
    cache.set(toKey(target, one.topic), topic);
    loaded.set(one.topic, topic);
  }
  return loaded;
}

async function readTopic(source: SignalSource, wanted: WantedTopic, target: Target): Promise<StoredTopic | null> {
  const known = cache.get(toKey(target, wanted.topic));
  if (!holdsPaths(source.types, known?.lacks(wanted.paths) ?? wanted.paths)) return null;
  return openSignals(source, (reader) => readStoredTopic(reader, source.types, wanted, target.facts, known));
}
