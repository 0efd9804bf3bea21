import { createFieldReader, type FieldReader } from "@/engine/decode/field-reader";
import type { Channel, RecordingReader } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { PointJoiner } from "@/engine/signals/point-joiner";
import type { SeriesPoint, StateRun } from "@/engine/signals/series";
import type { NumberColumn } from "@/engine/signals/signal-file-reader";

export interface RawWindow {
  topic: string;
  field: string;
  /** Nanoseconds, both included. */
  from: bigint;
  to: bigint;
}

type Value = number | boolean | string;

/** The values of one field within a window, message by message, in time order. What cannot be decoded is left out. */
async function* samples(
  reader: RecordingReader,
  window: RawWindow,
  signal: AbortSignal,
): AsyncGenerator<[bigint, Value]> {
  const readers = new Map<Channel, { reader: FieldReader; slot: number } | null>();
  const createReader = (channel: Channel) => {
    let found = readers.get(channel);
    if (found === undefined) {
      const fields = orNull(() => createFieldReader(channel, true));
      readers.set(channel, (found = fields && { reader: fields, slot: -1 }));
    }
    return found;
  };
  const wanted = { topics: new Set([window.topic]), start: window.from, end: window.to, signal };
  for await (const batch of reader.messages(wanted)) {
    for (const message of batch) {
      const fields = createReader(message.channel);
      const decoded = fields && orNull(() => (fields.reader.read(message.data), true));
      if (!decoded) continue;
      // A slot may appear only with the data, but then never changes its meaning.
      if (fields.slot === -1) fields.slot = fields.reader.fields.findIndex((field) => field.path === window.field);
      const value = fields.slot === -1 ? undefined : valueAt(fields.reader, fields.slot);
      if (value !== undefined) yield [message.logTime, value];
    }
  }
}

const valueAt = (reader: FieldReader, slot: number): Value | undefined =>
  reader.fields[slot]?.kind === "number" ? reader.values[slot] : reader.states[slot];

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecordingError) return null;
    throw error;
  }
}

/** Numbers read from the messages. */
export async function rawPoints(
  reader: RecordingReader,
  window: RawWindow & { points: number },
  signal: AbortSignal,
): Promise<SeriesPoint[]> {
  const joiner = new PointJoiner(window);
  for await (const [time, value] of samples(reader, window, signal))
    if (typeof value === "number" && Number.isFinite(value)) joiner.add(time, value);
  return joiner.finish();
}

/** The same from stored columns: `times` in nanoseconds after the beginning of the window. */
export function columnPoints(
  window: RawWindow & { points: number },
  times: Float64Array,
  values: NumberColumn,
): SeriesPoint[] {
  const joiner = new PointJoiner(window);
  const last = Number(window.to - window.from);
  for (let row = 0; row < times.length; row++) {
    const [time, value] = [times[row]!, values[row]!];
    if (time >= 0 && time <= last && Number.isFinite(value)) joiner.add(window.from + BigInt(time), value);
  }
  return joiner.finish();
}

/** Every change of a field that is not a number; null when there are more than `maxRuns`. */
export async function rawStates(
  reader: RecordingReader,
  window: RawWindow & { maxRuns: number },
  signal: AbortSignal,
): Promise<StateRun[] | null> {
  const runs: StateRun[] = [];
  for await (const [timeNs, value] of samples(reader, window, signal)) {
    if (runs.at(-1)?.value === value) continue;
    if (runs.length === window.maxRuns) return null;
    runs.push({ timeNs, value, merged: 0 });
  }
  return runs;
}
