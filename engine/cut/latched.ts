import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { toShortName } from "@/engine/messages/reading";

/** A topic with so few messages is one that is published once, for whoever comes later. */
const maxCount = 3;
const maxHz = 0.05;
/** Each is looked for among all chunks. */
const maxTopics = 500;
/** Unpacked bytes of chunks that are looked through for a topic, and payload bytes that are kept of all of them. */
const maxReadBytes = 64 * 1024 * 1024;
const maxKeptBytes = 64 * 1024 * 1024;

/** A topic of the recording, with what is known of it. */
export interface TopicFacts {
  topic: string;
  schemaName: string;
  messageCount: number;
  transientLocal: boolean;
}

/** Whether the messages of a topic hold until others replace them. */
const isLatched = ({ messageCount, transientLocal }: TopicFacts, seconds: number): boolean =>
  transientLocal || messageCount <= maxCount || messageCount < maxHz * seconds;

/**
 * The topics whose messages hold until others replace them, at most 500: those that say so first. `seconds`: the length of
 * the recording.
 */
export const chooseLatched = (topics: readonly TopicFacts[], seconds: number): TopicFacts[] =>
  topics
    .filter((facts) => isLatched(facts, seconds))
    .sort((a, b) => Number(b.transientLocal) - Number(a.transientLocal) || a.messageCount - b.messageCount)
    .slice(0, maxTopics);

/** Each publisher of transforms has its own: the last message is not all that holds. */
const isTransform = (schemaName: string): boolean =>
  /(\/tf2?message|^foxglove\.frametransforms?)$/i.test(toShortName(schemaName));

/** What held at the start of a range. */
export interface Latched {
  messages: RawMessage[];
  /** Messages that are missing because there are too many bytes of them. */
  leftOut: number;
}

/** The messages of latched topics from before a moment, by time: the last of each, of transforms and rare ones all. */
export async function findLatched(
  chunks: ChunkReader,
  topics: readonly TopicFacts[],
  before: bigint,
  recorded: TimeRange,
): Promise<Latched> {
  const latched: Latched = { messages: [], leftOut: 0 };
  const earlier = { start: recorded.start, end: before - 1n };
  if (earlier.end < earlier.start) return latched;
  let bytes = 0;
  for (const { topic, schemaName, messageCount } of topics) {
    const found: RawMessage[] = [];
    if (messageCount <= maxCount || isTransform(schemaName)) {
      const near = chunks.narrow([topic], earlier, earlier.end, maxReadBytes);
      found.push(...(await chunks.listBetween(topic, near)));
    }
    if (found.length === 0) {
      const last = await chunks.findLatest(topic, earlier.end);
      if (last !== null) found.push(last);
    }
    for (const message of found.reverse()) {
      bytes += message.data.length;
      // Copies, so that the chunks they came from can be released.
      if (bytes <= maxKeptBytes) latched.messages.push({ ...message, data: new Uint8Array(message.data) });
      else latched.leftOut += 1;
    }
  }
  latched.messages.sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
  return latched;
}
