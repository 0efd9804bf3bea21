import type { ByteSource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader";
import type { RecordingReader } from "@/engine/formats/recording";
import { processWide } from "@/server/platform/process-wide";
import { recordingCodecs } from "@/server/platform/recording-codecs";

const mostOpen = 12;
const idleMs = 60_000;
/** What a reader may work altogether before it is opened anew. */
const lifetimeMs = 120_000;

interface Opened {
  reader: Promise<RecordingReader>;
  /** Ends when the last of those who asked so far is done: one reader serves one request at a time. */
  turn: Promise<unknown>;
  openedAt: number;
  usedAt: number;
}

const opened = processWide("openReaders", () => new Map<string, Opened>());

function tidy(now: number): void {
  for (const [key, { usedAt, openedAt }] of opened)
    if (now - usedAt > idleMs || now - openedAt > lifetimeMs / 2) opened.delete(key);
  while (opened.size > mostOpen) {
    const oldest = opened.keys().next().value;
    if (oldest === undefined) return;
    opened.delete(oldest);
  }
}

/**
 * Works with a recording's reader, kept open for a minute after its last use so that its index is read once and not
 * with every message asked for. `key` has to change when the recording's files do. At most 12 are kept; a reader whose
 * work failed is let go.
 */
export async function withOpenReader<T>(
  key: string,
  files: ByteSource[],
  work: (reader: RecordingReader) => Promise<T>,
): Promise<T> {
  const now = performance.now();
  tidy(now);
  let entry = opened.get(key);
  if (!entry) {
    const reader = recordingCodecs().then((codecs) => openRecording(files, codecs, { timeBudgetMs: lifetimeMs }));
    entry = { reader, turn: reader.catch(() => {}), openedAt: now, usedAt: now };
  }
  entry.usedAt = now;
  // Put last, so that the first is always the one not used for longest.
  opened.delete(key);
  opened.set(key, entry);
  const { reader, turn } = entry;
  const result = turn.then(async () => work(await reader));
  entry.turn = result.catch(() => {
    if (opened.get(key)?.reader === reader) opened.delete(key);
  });
  return result;
}
