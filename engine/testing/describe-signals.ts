import { concatBytes } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { openRecording } from "@/engine/formats/reader/reader";
import { SignalFeed } from "@/engine/signals/signal-feed";
import { columnName, SignalsWriter, type SignalFileInfo } from "@/engine/signals/signals-writer";
import { readWithHyparquet } from "@/engine/testing/read-parquet";

/** The signals of a topic; a row has values by the names of their columns. */
export interface SignalsOfTopic {
  fields: SignalFileInfo["fields"];
  rows: Record<string, unknown>[];
}

/** Files of signals that are written in memory. */
export class SignalsInMemory {
  private parts = new Map<string, Uint8Array[]>();

  /** A writer whose files take the place of those of an earlier one. */
  begin(): SignalsWriter {
    this.parts = new Map();
    const { parts } = this;
    const open = (topic: string) => {
      const own: Uint8Array[] = [];
      parts.set(topic, own);
      return (bytes: Uint8Array) => own.push(bytes.slice());
    };
    return new SignalsWriter({ compression: { codec: 0, compress: (bytes) => bytes }, open, openBytes: 200_000 });
  }

  /** The rows and fields of each topic, as an independent reader finds them. */
  async read(files: readonly SignalFileInfo[]): Promise<Map<string, SignalsOfTopic>> {
    const read = new Map<string, SignalsOfTopic>();
    for (const { topic, fields } of files) {
      read.set(topic, { fields, rows: await readWithHyparquet(concatBytes(this.parts.get(topic)!)) });
    }
    return read;
  }

  /** Rows and types of each topic, by the names of their columns, as an independent reader finds them. */
  async describe(files: readonly SignalFileInfo[]): Promise<Map<string, unknown>> {
    const described = new Map<string, unknown>();
    for (const { topic, rows, fields } of files) {
      const read = await readWithHyparquet(concatBytes(this.parts.get(topic)!));
      const sorted = fields.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      described.set(topic, {
        rows,
        fields: sorted,
        read: read.map((row) => sorted.map(({ path }) => row[columnName(path)])),
      });
      described.set(
        `${topic} times`,
        read.map((row) => row["log_time"]),
      );
    }
    return described;
  }
}

/** The signals of a recording that is read message by message. */
export async function describeSignals(files: readonly ByteSource[], codecs: Codecs): Promise<Map<string, unknown>> {
  const signals = new SignalsInMemory();
  const writer = signals.begin();
  const reader = await openRecording(files, codecs);
  const feed = new SignalFeed(await reader.summary(), writer);
  for await (const batch of reader.messages()) for (const message of batch) feed.message(message);
  feed.finish();
  return signals.describe(writer.finish());
}
