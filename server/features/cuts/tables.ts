import { CsvRows } from "@/engine/cut/csv-rows";
import type { TimeRange } from "@/engine/formats/chunk-reader";
import type { MergedReader } from "@/engine/formats/reader/merged-reader";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import type { StreamedEntry } from "@/server/platform/files/zip-stream";

/** A topic with the fields that become columns. */
export interface TableTopic {
  name: string;
  fields: readonly { path: string }[];
}

/** Characters after which a part of a table is passed on. */
const partLength = 64 * 1024;

/** The messages of a topic within a range as CSV, in parts. */
export async function* writeTable(
  reader: MergedReader,
  { name, fields }: TableTopic,
  range: TimeRange,
): AsyncGenerator<Uint8Array> {
  const rows = new CsvRows(
    fields.map(({ path }) => path),
    new MessageDecoders(),
  );
  let part = rows.header();
  for await (const batch of reader.messages({ topics: new Set([name]), ...range })) {
    for (const message of batch) {
      part += rows.row(message);
      if (part.length < partLength) continue;
      yield Buffer.from(part);
      part = "";
    }
  }
  yield Buffer.from(part);
}

/** A file name from a topic, distinct from those taken. */
export function nameEntry(topic: string, extension: string, taken: Set<string>): string {
  const base = topic.replace(/^\/+/, "").replaceAll(/[^\w.-]+/g, "_") || "topic";
  let name = `${base}${extension}`;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}_${n}${extension}`;
  taken.add(name.toLowerCase());
  return name;
}

/** A table for each topic, one after another. */
export async function* listTables(
  reader: MergedReader,
  topics: readonly TableTopic[],
  range: TimeRange,
): AsyncGenerator<StreamedEntry> {
  const taken = new Set<string>();
  for (const topic of topics) {
    yield { name: nameEntry(topic.name, ".csv", taken), bytes: writeTable(reader, topic, range) };
  }
}
