import { LRUCache } from "lru-cache";
import type { ByteSource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RecordingReader } from "@/engine/formats/recording";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { processWide } from "@/server/platform/process-wide";

const maxOpen = 12;
const ttlMs = 60_000;
/** Limit of the total working time of a reader; more than it can use before it expires. */
const timeBudgetMs = 120_000;

interface OpenReader {
  reader: Promise<RecordingReader>;
  /** Ends when the last queued request is done: a reader serves one request at a time. */
  turn: Promise<unknown>;
}

const openReaders = processWide(
  "openReaders",
  () => new LRUCache<string, OpenReader>({ max: maxOpen, ttl: ttlMs, ttlAutopurge: true }),
);

/**
 * Runs `work` with a recording's reader, cached for a minute so that the index is not read for every request. `key` has
 * to change when the recording's files do. At most 12 readers are cached; one whose work failed is dropped.
 */
export async function withOpenReader<T>(
  key: string,
  files: ByteSource[],
  work: (reader: RecordingReader) => Promise<T>,
): Promise<T> {
  let entry = openReaders.get(key);
  if (!entry) {
    const reader = recordingCodecs().then((codecs) => openRecording(files, codecs, { timeBudgetMs }));
    entry = { reader, turn: reader.catch(() => {}) };
    openReaders.set(key, entry);
  }
  const { reader, turn } = entry;
  const result = turn.then(async () => work(await reader));
  entry.turn = result.catch(() => {
    if (openReaders.peek(key)?.reader === reader) openReaders.delete(key);
  });
  return result;
}
