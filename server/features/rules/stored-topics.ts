import { LRUCache } from "lru-cache";
import { StoredTopic } from "@/engine/columns/stored-topic";
import { listPaths } from "@/engine/columns/topic-rules";
import { createEvaluation, type Evaluation, type RuleInput, type RuleResult } from "@/engine/rules/evaluate";
import { wantedTopics } from "@/engine/rules/feed";
import { isReadable, type NumberColumn } from "@/engine/signals/signal-file-reader";
import { TimeSlicer } from "@/engine/time-slicer";
import type { StoredFacts } from "@/server/features/rules/facts-queries";
import { openSignals } from "@/server/features/stored-signals/open-signals";
import { listSignalSources, type SignalSource } from "@/server/features/stored-signals/source-queries";
import type { Ctx } from "@/server/platform/context";
import { processWide } from "@/server/platform/process-wide";

/** Memory for stored columns in one process: 20 recordings of ten minutes at 1 kHz. */
const budgetBytes = 256 * 1024 * 1024;
/** Longer recordings have times that doubles do not hold exactly. */
const maxSpanNs = 2n ** 50n;

const cache = processWide(
  "storedTopics",
  () => new LRUCache<string, StoredTopic>({ maxSize: budgetBytes, sizeCalculation: ({ bytes }) => bytes + 500 }),
);

/** One topic that an evaluation reads, with the paths of the fields it reads there. */
interface Wanted {
  topic: string;
  paths: string[];
  key: string;
  messages: number;
}

/**
 * Evaluates rules over the stored signals of a recording, which gives what its messages give. Null where signals are
 * not enough: not written yet, or of other types than numbers and booleans.
 */
export async function evaluateStored(
  ctx: Ctx,
  { uid, facts }: { uid: string; facts: StoredFacts },
  rules: readonly RuleInput[],
  signal?: AbortSignal,
): Promise<RuleResult[] | null> {
  if (facts.endTime - facts.startTime >= maxSpanNs) return null;
  const evaluation = createEvaluation(rules, facts);
  const wanted = listWanted(evaluation, uid, facts);
  if (wanted === null) return null;
  const topics = await loadTopics(ctx, uid, facts, wanted);
  if (topics === null) return null;
  const slicer = new TimeSlicer(signal);
  const pause = (): Promise<void> | null => (slicer.isOver ? slicer.yield() : null);
  for (const { topic, paths } of wanted)
    await topics.get(topic)!.feed(evaluation, topic, paths, facts.startTime, pause);
  return evaluation.finish();
}

function listWanted(evaluation: Evaluation, uid: string, facts: StoredFacts): Wanted[] | null {
  const counts = new Map(facts.topics.map(({ topic, messageCount }) => [topic, messageCount]));
  const wanted: Wanted[] = [];
  for (const topic of wantedTopics(evaluation, facts)) {
    const paths = listPaths(evaluation.plan, topic);
    if (paths === null) return null;
    wanted.push({ topic, paths, key: `${uid} ${facts.processed} ${topic}`, messages: counts.get(topic) ?? 0 });
  }
  return wanted;
}

/** The columns that are wanted, from memory or from their files; null where one cannot be had. */
async function loadTopics(
  ctx: Ctx,
  uid: string,
  facts: StoredFacts,
  wanted: readonly Wanted[],
): Promise<Map<string, StoredTopic> | null> {
  const loaded = new Map<string, StoredTopic>();
  const missing: Wanted[] = [];
  for (const one of wanted) {
    const known = cache.get(one.key);
    if (known && known.lacks(one.paths).length === 0) loaded.set(one.topic, known);
    else missing.push(one);
  }
  if (missing.length === 0) return loaded;
  const sources = await listSignalSources(
    ctx,
    uid,
    missing.map(({ topic }) => topic),
  );
  for (const one of missing) {
    const source = sources.get(one.topic);
    const topic = source && (await readTopic(source, one, facts));
    if (!topic) return null;
    cache.set(one.key, topic);
    loaded.set(one.topic, topic);
  }
  return loaded;
}

async function readTopic(source: SignalSource, wanted: Wanted, facts: StoredFacts): Promise<StoredTopic | null> {
  const { types } = source;
  const known = cache.get(wanted.key);
  const paths = known?.lacks(wanted.paths) ?? wanted.paths;
  if (paths.some((path) => !types.has(path) || !isReadable(types.get(path)!))) return null;
  return openSignals(source, async (reader) => {
    const times = await reader.readTimes(facts.startTime);
    if (times === null) return null;
    const [from, to] = findSpan(times, Number(facts.endTime - facts.startTime));
    // A message that could not be decoded has no row.
    if (to - from !== wanted.messages) return null;
    const columns = new Map<string, NumberColumn>();
    for (const path of paths) {
      const column = await reader.readColumn(path, types.get(path)!);
      if (column === null) return null;
      columns.set(path, to - from === column.length ? column : column.slice(from, to));
    }
    return known ? known.with(columns) : StoredTopic.create(times.subarray(from, to), columns);
  });
}

/** The rows whose times lie within the recording; messages far outside of it are left out of its rules. */
function findSpan(times: Float64Array, last: number): [from: number, to: number] {
  let from = 0;
  while (from < times.length && times[from]! < 0) from++;
  let to = times.length;
  while (to > from && times[to - 1]! > last) to--;
  return [from, to];
}
