import type { ByteSource } from "@/engine/formats/byte-source";
import type { TimeRange } from "@/engine/formats/chunk-reader";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import type { ChunkRef } from "@/engine/formats/indexed-file";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import type { CutSizes } from "@/server/features/cuts/resource";

/** Chunks that are read to learn which topics are large, and their bytes. */
const maxSamples = 6;
const maxSampleBytes = 24 * 1024 * 1024;
/** Bytes of a message beside its payload, in a file. */
const headBytes = 31;

/** The part of a chunk that lies in a range, by time: 0 to 1. */
function getShare({ startTime, endTime }: ChunkRef, { start, end }: TimeRange): number {
  const [from, to] = [startTime > start ? startTime : start, endTime < end ? endTime : end];
  if (to < from) return 0;
  return endTime === startTime ? 1 : Number(to - from) / Number(endTime - startTime);
}

/** Chunks with as many different topics as possible, the first, the middle and the last among them. */
function chooseSamples(chunks: readonly ChunkRef[]): ChunkRef[] {
  const chosen = new Set<ChunkRef>();
  const seen = new Set<string>();
  let bytes = 0;
  const take = (chunk: ChunkRef | undefined): void => {
    if (!chunk || chosen.has(chunk) || chosen.size >= maxSamples) return;
    if (chosen.size > 0 && (bytes += chunk.uncompressedBytes) > maxSampleBytes) return;
    chosen.add(chunk);
    for (const slot of chunk.slots ?? []) seen.add(chunk.file.definitions[slot]?.topic ?? "");
  };
  for (const place of [0.5, 0, 1]) take(chunks[Math.round(place * (chunks.length - 1))]);
  for (const chunk of chunks) {
    const isNew = [...(chunk.slots ?? [])].some((slot) => !seen.has(chunk.file.definitions[slot]?.topic ?? ""));
    if (isNew) take(chunk);
  }
  return [...chosen];
}

/** About how many bytes of a recording's files lie in a range, in total and by topic, from a few of its chunks. */
export async function estimateSizes(
  pack: Uint8Array,
  sources: readonly ByteSource[],
  codecs: Codecs,
  range: TimeRange,
): Promise<CutSizes> {
  const opened = openPacked(pack, new Map(sources.map((source) => [source.id ?? "", source])), codecs);
  const chunks = (opened?.files ?? []).flatMap((file) => file.chunks.filter((chunk) => getShare(chunk, range) > 0));
  const total = chunks.reduce((sum, chunk) => sum + chunk.length * getShare(chunk, range), 0);
  const weights = new Map<string, number>();
  for (const chunk of chooseSamples(chunks)) {
    const table = await chunk.file.load(chunk, { slots: null, start: null, end: null }, false);
    for (let row = 0; row < table.count; row++) {
      const topic = chunk.file.definitions[table.slot(row)]?.topic ?? "";
      weights.set(topic, (weights.get(topic) ?? 0) + table.length(row) + headBytes);
    }
  }
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return {
    total_bytes: Math.round(total),
    topics: [...weights].map(([name, weight]) => ({ name, bytes: Math.round((total * weight) / all) })),
  };
}
