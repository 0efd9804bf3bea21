import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import {
  readDiagnostics,
  type DiagnosticLevel,
  type DiagnosticStatus,
} from "@/engine/messages/texts/diagnostic-status";
import type { UnreadMessage } from "@/engine/messages/texts/log-lines";

/** The last status of a part, and when it was logged in nanoseconds since 1970. */
export interface TimedStatus extends DiagnosticStatus {
  time: bigint;
  topic: string;
}

export interface Diagnostics {
  /** The last status of each name at the moment: the worst first, and by name. */
  statuses: TimedStatus[];
  /** What was looked through. */
  range: TimeRange;
  /** Messages that could not be read. */
  unreadable: number;
  /** The last of them. */
  unread: UnreadMessage | null;
}

/** How much before the moment is read. */
export interface DiagnosticReach {
  /** Nanoseconds. */
  before: bigint;
  /** Unpacked bytes that are read for it. */
  maxBytes: number;
}

/** The state of every part at a moment. Each message holds some of them, so that the last of each name counts. */
export async function readDiagnosticsAt(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  topics: readonly string[],
  at: bigint,
  { before, maxBytes }: DiagnosticReach,
): Promise<Diagnostics> {
  const range = chunks.narrow(topics, { start: at - before, end: at }, at, maxBytes);
  const found = await Promise.all(topics.map((topic) => chunks.listBetween(topic, { start: range.start, end: at })));
  const messages = found.flat().sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
  const newest = new Map<string, TimedStatus>();
  let unreadable = 0;
  let unread: UnreadMessage | null = null;
  for (const message of messages) {
    const statuses = readStatuses(decoders, message, (reason) => {
      unreadable++;
      unread = { topic: message.channel.topic, time: message.logTime, reason };
    });
    for (const status of statuses ?? []) newest.set(`${message.channel.topic} ${status.name}`, status);
  }
  return { statuses: [...newest.values()].sort(byUrgency), range, unreadable, unread };
}

/** How soon somebody should look: errors first, then unknown levels, parts that report no more, warnings, and the rest. */
const urgencies: Readonly<Record<DiagnosticLevel, number>> = { ok: 0, warning: 1, stale: 2, error: 4 };
const getUrgency = ({ level }: DiagnosticStatus): number => (level === null ? 3 : urgencies[level]);

const byUrgency = (a: TimedStatus, b: TimedStatus): number =>
  getUrgency(b) - getUrgency(a) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** The statuses of a message; null when it cannot be read. */
export function readStatuses(
  decoders: MessageDecoders,
  message: RawMessage,
  onUnread: (reason: string) => void = () => {},
): TimedStatus[] | null {
  const { channel, logTime } = message;
  try {
    const statuses = readDiagnostics(decoders.decode(message));
    return statuses.map((status) => ({ ...status, time: logTime, topic: channel.topic }));
  } catch (error) {
    if (error instanceof UnreadableMessage || error instanceof RecordingError) {
      onUnread(error.message);
      return null;
    }
    throw error;
  }
}
