import { createFieldReader, type FieldReader } from "@/engine/decode/field-reader";
import type { Channel, RecordingReader } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

/** The samples of one field: nanoseconds after the beginning of the window, and the values. */
export interface RawColumn {
  times: Float64Array;
  values: Float64Array;
}

interface OpenChannel {
  reader: FieldReader;
  /** The slot of each wanted field; −1 while it has none. */
  slots: number[];
}

/**
 * Several fields of a topic from its messages within a window, in time order; booleans are 0 and 1. What cannot be
 * decoded is left out, and so are the messages that lack a field where these are decoded to objects.
 */
export async function readRawColumns(
  reader: RecordingReader,
  { topic, fields, from, to }: { topic: string; fields: readonly string[]; from: bigint; to: bigint },
  signal: AbortSignal,
): Promise<RawColumn[]> {
  const channels = new Map<Channel, OpenChannel | null>();
  const open = (channel: Channel): OpenChannel | null => {
    const known = channels.get(channel);
    if (known !== undefined) return known;
    const own = orNull(() => createFieldReader(channel, true));
    const opened = own && { reader: own, slots: fields.map(() => -1) };
    channels.set(channel, opened);
    return opened;
  };
  const columns = fields.map((): { times: number[]; values: number[] } => ({ times: [], values: [] }));
  for await (const batch of reader.messages({ topics: new Set([topic]), start: from, end: to, signal })) {
    for (const { channel, data, logTime } of batch) {
      const opened = open(channel);
      if (!opened || !orNull(() => (opened.reader.read(data), true))) continue;
      for (const [at, { times, values }] of columns.entries()) {
        // A slot may appear only with the data, but then never changes its meaning.
        if (opened.slots[at] === -1)
          opened.slots[at] = opened.reader.fields.findIndex(({ path }) => path === fields[at]);
        const value = readNumber(opened.reader, opened.slots[at]!);
        if (value === null || opened.reader.objects?.has(opened.slots[at]!) === false) continue;
        times.push(Number(logTime - from));
        values.push(value);
      }
    }
  }
  return columns.map(({ times, values }) => ({ times: Float64Array.from(times), values: Float64Array.from(values) }));
}

function readNumber(reader: FieldReader, slot: number): number | null {
  if (slot === -1) return null;
  if (reader.fields[slot]?.kind === "number") return reader.values[slot] ?? null;
  const state = reader.states[slot];
  return typeof state === "boolean" ? Number(state) : null;
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecordingError) return null;
    throw error;
  }
}
