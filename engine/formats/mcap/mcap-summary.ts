import { equalBytes, toDataView } from "@/engine/bytes";
import type { McapFileParts, McapIndex } from "@/engine/formats/mcap/mcap-index";
import {
  eachRecord,
  Malformed,
  MCAP_MAGIC,
  Op,
  readChunkIndex,
  readStatistics,
  RECORD_HEAD,
  type ChunkIndexRecord,
} from "@/engine/formats/mcap/mcap-records";
import type { ReadAhead } from "@/engine/formats/read-ahead";

const FOOTER = RECORD_HEAD + 20;
const MAX_SUMMARY = 32 * 1024 * 1024;

interface Footer {
  at: number;
  summaryStart: number;
  crc: number;
}

export async function readFooter(source: ReadAhead): Promise<Footer | null> {
  const at = source.size - MCAP_MAGIC.length - FOOTER;
  if (at < MCAP_MAGIC.length) return null;
  const tail = await source.read(at, FOOTER + MCAP_MAGIC.length);
  if (!equalBytes(tail.subarray(FOOTER), MCAP_MAGIC) || tail[0] !== Op.Footer) return null;
  const view = toDataView(tail);
  if (view.getUint32(1, true) !== 20) return null;
  const start = view.getBigUint64(RECORD_HEAD, true);
  const crc = view.getUint32(RECORD_HEAD + 16, true);
  return { at, summaryStart: start > BigInt(at) ? Infinity : Number(start), crc };
}

/**
 * The chunk indexes of the summary, by position; null when it must not be used. Adds schemas and channels to the
 * catalogue.
 */
export async function readSummary(
  parts: McapFileParts,
  footer: Footer,
  index: McapIndex,
): Promise<ChunkIndexRecord[] | null> {
  const { source, catalogue, codecs, warnings } = parts;
  const { summaryStart, at, crc } = footer;
  const refuse = (why: string): null => {
    warnings.add(`${why}; the file was read through instead.`);
    return null;
  };
  if (summaryStart === 0) return refuse("The file has no index");
  if (summaryStart > at || summaryStart < MCAP_MAGIC.length)
    return refuse("The file declares an index outside its bounds");
  if (at - summaryStart > MAX_SUMMARY) return refuse("The index is too large to use");
  const bytes = await source.read(summaryStart, source.size - MCAP_MAGIC.length - summaryStart);
  if (crc !== 0 && codecs.crc32(bytes.subarray(0, bytes.length - 4)) !== crc)
    return refuse("The checksum of the index is wrong");
  const known: ChunkIndexRecord[] = [];
  const schemas: Uint8Array[] = [];
  const channels: Uint8Array[] = [];
  try {
    eachRecord(bytes, (op, from, length) => {
      const record = bytes.subarray(from, from + length);
      if (op === Op.ChunkIndex) known.push(readChunkIndex(record));
      else if (op === Op.Schema) schemas.push(record);
      else if (op === Op.Channel) channels.push(record);
      else if (op === Op.Statistics) index.statistics = readStatistics(record);
    });
    for (const record of schemas) catalogue.addSchema(record);
    for (const record of channels) catalogue.addChannel(record);
  } catch (error) {
    if (error instanceof Malformed) return refuse("The index is damaged");
    throw error;
  }
  known.sort((a, b) => a.offset - b.offset);
  let end: number = MCAP_MAGIC.length;
  for (const chunk of known) {
    if (chunk.offset < end || chunk.length < RECORD_HEAD) return refuse("The index points at the same bytes twice");
    end = chunk.offset + chunk.length + chunk.indexLength;
    if (end > summaryStart) return refuse("The index points outside the recorded data");
  }
  return known;
}
