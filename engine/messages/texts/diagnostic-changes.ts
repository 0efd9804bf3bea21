import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import type { DiagnosticLevel } from "@/engine/messages/texts/diagnostic-status";
import { readStatuses, type TimedStatus } from "@/engine/messages/texts/diagnostics";

/** A part whose level became another one. */
export interface DiagnosticChange extends TimedStatus {
  /** The level before. */
  before: DiagnosticLevel | null;
}

/** What parts of the robot report another level within a range than before, by time. The first report is no change. */
export async function listDiagnosticChanges(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  topics: readonly string[],
  range: TimeRange,
): Promise<DiagnosticChange[]> {
  const found = await Promise.all(topics.map((topic) => chunks.listBetween(topic, range)));
  const messages = found.flat().sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
  const levels = new Map<string, DiagnosticLevel | null>();
  const changes: DiagnosticChange[] = [];
  for (const message of messages) {
    for (const status of readStatuses(decoders, message) ?? []) {
      const part = `${status.topic} ${status.name}`;
      const before = levels.get(part);
      if (before !== undefined && before !== status.level) changes.push({ ...status, before });
      levels.set(part, status.level);
    }
  }
  return changes;
}
