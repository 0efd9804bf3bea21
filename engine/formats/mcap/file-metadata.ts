import { equalBytes, toDataView } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";
import {
  eachRecord,
  Malformed,
  MCAP_MAGIC,
  Op,
  readMetadata,
  RECORD_HEAD,
  sizeAt,
} from "@/engine/formats/mcap/mcap-records";

/** The footer's record, and the magic that ends the file. */
const tailBytes = RECORD_HEAD + 20 + MCAP_MAGIC.length;
const headBytes = 64 * 1024;
const maxSummaryBytes = 8 * 1024 * 1024;
const maxRecordBytes = 64 * 1024;
const maxRecords = 20;

type Values = [key: string, value: string][];

/**
 * Keys and values that the recorder of an MCAP file wrote beside the messages: of records at its beginning, and of the
 * first that its index names. Empty for other files and damaged ones. Reads a few pieces, whatever the file's size.
 */
export async function readFileMetadata(source: ByteSource): Promise<Values> {
  const head = await source.read(0, Math.min(source.size, headBytes));
  if (!equalBytes(head.subarray(0, MCAP_MAGIC.length), MCAP_MAGIC)) return [];
  const values: Values = [];
  const add = (record: Uint8Array): void => {
    try {
      values.push(...readMetadata(record).metadata);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  };
  const records = head.subarray(MCAP_MAGIC.length);
  eachRecord(records, (op, at, length) => op === Op.Metadata && add(records.subarray(at, at + length)));
  for (const { at, length } of await readIndex(source)) {
    // What the head held is not read twice.
    if (at + length <= head.length) continue;
    add((await source.read(at, length)).subarray(RECORD_HEAD));
  }
  return values;
}

/** Where the metadata records lie that the file's index names, with their heads. */
async function readIndex(source: ByteSource): Promise<{ at: number; length: number }[]> {
  const tailAt = source.size - tailBytes;
  if (tailAt < MCAP_MAGIC.length) return [];
  const tail = await source.read(tailAt, tailBytes);
  if (tail[0] !== Op.Footer) return [];
  const summaryAt = sizeAt(toDataView(tail), RECORD_HEAD);
  const summaryBytes = tailAt - summaryAt;
  if (summaryAt < MCAP_MAGIC.length || summaryBytes <= 0 || summaryBytes > maxSummaryBytes) return [];
  const summary = await source.read(summaryAt, summaryBytes);
  const view = toDataView(summary);
  const found: { at: number; length: number }[] = [];
  eachRecord(summary, (op, at, length) => {
    if (op !== Op.MetadataIndex || length < 16 || found.length === maxRecords) return;
    const [recordAt, recordBytes] = [sizeAt(view, at), sizeAt(view, at + 8)];
    const fits = recordBytes > RECORD_HEAD && recordBytes <= maxRecordBytes && recordAt + recordBytes <= summaryAt;
    if (fits) found.push({ at: recordAt, length: recordBytes });
  });
  return found;
}
