import { StoredTopic } from "@/engine/columns/stored-topic";
import { listPaths } from "@/engine/columns/topic-rules";
import type { Evaluation, RecordingFacts, RuleResult } from "@/engine/rules/evaluate";
import { wantedTopics } from "@/engine/rules/feed";
import { isReadable, type NumberColumn, type SignalFileReader } from "@/engine/signals/signal-file-reader";
import type { SignalType } from "@/engine/signals/signal-types";

/** Longer recordings have times that doubles do not hold exactly. */
const maxSpanNs = 2n ** 50n;

/** One topic that an evaluation reads, with the paths of the fields it reads there. */
export interface WantedTopic {
  topic: string;
  paths: string[];
  messages: number;
}

/** What an evaluation reads of a recording's stored signals; null where it needs more than columns of numbers. */
export function listWantedTopics(evaluation: Evaluation, facts: RecordingFacts): WantedTopic[] | null {
  if (facts.endTime - facts.startTime >= maxSpanNs) return null;
  const counts = new Map(facts.topics.map(({ topic, messageCount }) => [topic, messageCount]));
  const wanted: WantedTopic[] = [];
  for (const topic of wantedTopics(evaluation, facts)) {
    const paths = listPaths(evaluation.plan, topic);
    if (paths === null) return null;
    wanted.push({ topic, paths, messages: counts.get(topic) ?? 0 });
  }
  return wanted;
}

/** Whether a file with columns of these types can hold the paths as numbers. */
export const holdsPaths = (types: ReadonlyMap<string, SignalType>, paths: readonly string[]): boolean =>
  paths.every((path) => types.has(path) && isReadable(types.get(path)!));

/**
 * Reads the columns of a topic, of which `known` has some already; null where the file does not hold each message of the
 * recording with a value of each path.
 */
export async function readStoredTopic(
  reader: SignalFileReader,
  types: ReadonlyMap<string, SignalType>,
  wanted: WantedTopic,
  { startTime, endTime }: RecordingFacts,
  known?: StoredTopic,
): Promise<StoredTopic | null> {
  const times = await reader.readTimes(startTime);
  if (times === null) return null;
  const [from, to] = findSpan(times, Number(endTime - startTime));
  // A message that could not be decoded has no row.
  if (to - from !== wanted.messages) return null;
  const columns = new Map<string, NumberColumn>();
  for (const path of known?.lacks(wanted.paths) ?? wanted.paths) {
    const column = await reader.readColumn(path, types.get(path)!);
    if (column === null) return null;
    columns.set(path, to - from === column.length ? column : column.slice(from, to));
  }
  return known ? known.with(columns) : StoredTopic.create(times.subarray(from, to), columns);
}

/** The rows whose times lie within the recording; messages far outside of it are left out of its rules. */
function findSpan(times: Float64Array, last: number): [from: number, to: number] {
  let from = 0;
  while (from < times.length && times[from]! < 0) from++;
  let to = times.length;
  while (to > from && times[to - 1]! > last) to--;
  return [from, to];
}

/** Gives an evaluation the rows of all topics it reads; awaits `pause` after each few. */
export async function evaluateTopics(
  evaluation: Evaluation,
  wanted: readonly WantedTopic[],
  topics: ReadonlyMap<string, StoredTopic>,
  start: bigint,
  pause: () => Promise<void> | null = () => null,
): Promise<RuleResult[]> {
  for (const { topic, paths } of wanted) await topics.get(topic)!.feed(evaluation, topic, paths, start, pause);
  return evaluation.finish();
}
