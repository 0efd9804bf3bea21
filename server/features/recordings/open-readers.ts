import { LRUCache } from "lru-cache";
import type { ByteSource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader";
import type { RecordingReader } from "@/engine/formats/recording";
import { processWide } from "@/server/platform/process-wide";
import { recordingCodecs } from "@/server/platform/recording-codecs";

const maxOpen = 12;
const keptMs = 60_000;
/** What a reader may work altogether; more than it can while it is kept. */
const timeBudgetMs = 120_000;

interface Opened {
  reader: Promise<RecordingReader>;
  /** Ends when the last of those who asked so far is done: one reader serves one request at a time. */
  turn: Promise<unknown>;
}

const opened = processWide(
  "openReaders",
  () => new LRUCache<string, Opened>({ max: maxOpen, ttl: keptMs, ttlAutopurge: true }),
);

/**
 * Works with a recording's reader, kept for a minute once it is open so that its index is read once and not with every
 * message asked for. `key` has to change when the recording's files do. At most 12 are kept; a reader whose work failed
 * is let go.
 */
export async function withOpenReader<T>(
  key: string,
  files: ByteSource[],
  work: (reader: RecordingReader) => Promise<T>,
): Promise<T> {
  let entry = opened.get(key);
  if (!entry) {
    const reader = recordingCodecs().then((codecs) => openRecording(files, codecs, { timeBudgetMs }));
    entry = { reader, turn: reader.catch(() => {}) };
    opened.set(key, entry);
  }
  const { reader, turn } = entry;
  const result = turn.then(async () => work(await reader));
  entry.turn = result.catch(() => {
    if (opened.peek(key)?.reader === reader) opened.delete(key);
  });
  return result;
}
