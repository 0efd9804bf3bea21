import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import { readLogLine, type LogLine } from "@/engine/messages/texts/log-line";

/** A line of a log, when it was written in nanoseconds since 1970, and where. */
export interface TimedLogLine extends LogLine {
  time: bigint;
  topic: string;
}

export interface LogLines {
  lines: TimedLogLine[];
  /** What was looked through: less than usual where other messages lie between, as those of cameras. */
  range: TimeRange;
  /** Messages that could not be read. */
  unreadable: number;
  /** The first of them. */
  unread: UnreadMessage | null;
}

/** A message that cannot be read, its time in nanoseconds since 1970, and why. */
export interface UnreadMessage {
  topic: string;
  time: bigint;
  reason: string;
}

/** How much of the logs around a moment is read. */
export interface LogReach {
  /** Nanoseconds before and after the moment. */
  before: bigint;
  after: bigint;
  maxBefore: number;
  maxAfter: number;
  /** Unpacked bytes that are read for it. */
  maxBytes: number;
}

/** The lines around a moment, of all logs together by time: those nearest to it. */
export async function readLogs(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  topics: readonly string[],
  at: bigint,
  { before, after, maxBefore, maxAfter, maxBytes }: LogReach,
): Promise<LogLines> {
  const range = chunks.narrow(topics, { start: at - before, end: at + after }, at, maxBytes);
  const ranges = [
    { start: range.start, end: at },
    { start: at + 1n, end: range.end },
  ];
  const [earlier, later] = await Promise.all(
    ranges.map(async (range) => {
      const found = await Promise.all(topics.map((topic) => chunks.listBetween(topic, range)));
      return found.flat().sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
    }),
  );
  const messages = [...(earlier ?? []).slice(-maxBefore), ...(later ?? []).slice(0, maxAfter)];
  const read = messages.map((message) => readLine(decoders, message));
  const lines = read.filter((each) => "text" in each);
  const unread = read.find((each) => "reason" in each) ?? null;
  return { lines, range, unreadable: messages.length - lines.length, unread };
}

function readLine(decoders: MessageDecoders, message: RawMessage): TimedLogLine | UnreadMessage {
  const { channel, logTime } = message;
  try {
    const line = readLogLine(channel.schemaName, decoders.decode(message));
    return { ...line, time: logTime, topic: channel.topic };
  } catch (error) {
    if (error instanceof UnreadableMessage || error instanceof RecordingError)
      return { topic: channel.topic, time: logTime, reason: error.message };
    throw error;
  }
}
