import { fieldKey } from "@/engine/signals/expression";
import { Clock, type Samples } from "@/engine/signals/expression-clock";
import { readRawColumns, type RawColumn } from "@/engine/signals/raw-columns";
import { isReadable } from "@/engine/signals/signal-file-reader";
import { withRecording } from "@/server/features/recordings/message-service";
import { openSignals } from "@/server/features/stored-signals/open-signals";
import { findSignalFile } from "@/server/features/stored-signals/source-queries";
import type { Ctx } from "@/server/platform/context";
import { invalid } from "@/server/platform/errors";

/** Values that one request may read, over all fields. */
const maxReadValues = 4_000_000;
/** A window with more messages is not read from the messages themselves. */
const maxRawMessages = 200_000;

/** The fields of one topic that an expression needs, and how long its messages hold. */
export interface InputTopic {
  name: string;
  fields: string[];
  holdNs: number;
  /** About how many messages it has in the window. */
  messages: number;
}

interface Span {
  from: bigint;
  to: bigint;
}

const tooMuch = () =>
  invalid("expression", "The expression reads too many values over this time. Show a shorter part of the recording.");

/**
 * The samples of an expression's fields within a window, by `fieldKey`: from the stored signals, or from the messages
 * where these are not enough. Throws `invalid` where that is too much for one request.
 */
export async function readInputs(
  ctx: Ctx,
  recordingId: string,
  topics: readonly InputTopic[],
  span: Span,
): Promise<Map<string, Samples>> {
  const inputs = new Map<string, Samples>();
  let left = maxReadValues;
  for (const topic of topics) {
    const columns =
      (await readStored(ctx, recordingId, topic, span, left)) ?? (await readRaw(ctx, recordingId, topic, span));
    // Fields that every message has share a clock, so that they are combined row by row.
    const clocks = new Map<Float64Array, Clock>();
    const rows = Math.max(0, ...columns.map(({ times }) => times.length));
    const shared = columns.find(({ times }) => times.length === rows)?.times;
    for (const [at, { times: own, values }] of columns.entries()) {
      const times = shared && own.length === rows ? shared : own;
      const clock = clocks.get(times) ?? new Clock(times, topic.holdNs);
      clocks.set(times, clock);
      inputs.set(fieldKey({ topic: topic.name, field: topic.fields[at]! }), { clock, values });
      left -= values.length;
    }
    if (left < 0) throw tooMuch();
  }
  return inputs;
}

async function readStored(
  ctx: Ctx,
  recordingId: string,
  { name, fields }: InputTopic,
  { from, to }: Span,
  left: number,
): Promise<RawColumn[] | null> {
  const source = await findSignalFile(ctx, recordingId, name);
  if (!source) return null;
  const types = fields.map((field) => source.types.get(field));
  if (types.some((type) => type === undefined || !isReadable(type))) return null;
  return openSignals(source, async (reader) => {
    const rows = await reader.findRows(from, to);
    if ((rows.end - rows.first) * fields.length > left) throw tooMuch();
    const times = await reader.readTimes(from, rows);
    const columns: RawColumn[] = [];
    for (const [at, field] of fields.entries()) {
      const column = types[at] && (await reader.readColumn(field, types[at], rows));
      if (!times || !column) return null;
      columns.push({ times, values: Float64Array.from(column) });
    }
    return columns.map((column) => inOrder(column));
  });
}

async function readRaw(
  ctx: Ctx,
  recordingId: string,
  { name, fields, messages }: InputTopic,
  { from, to }: Span,
): Promise<RawColumn[]> {
  if (messages > maxRawMessages) throw tooMuch();
  const window = { topic: name, fields, from, to };
  const columns = await withRecording(ctx, recordingId, (reader, signal) => readRawColumns(reader, window, signal));
  return columns.map((column) => inOrder(column));
}

/** Samples in the order of time, as recorders nearly always store them. */
function inOrder(column: RawColumn): RawColumn {
  const { times, values } = column;
  if (times.every((time, row) => row === 0 || time >= times[row - 1]!)) return column;
  const rows = Array.from(times.keys()).sort((a, b) => times[a]! - times[b]!);
  return {
    times: Float64Array.from(rows, (row) => times[row]!),
    values: Float64Array.from(rows, (row) => values[row]!),
  };
}
