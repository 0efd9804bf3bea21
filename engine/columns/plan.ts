import type { Extract, Slot } from "@/engine/columns/column-batch";
import { generateExtract } from "@/engine/columns/generate";
import { interpretExtract } from "@/engine/columns/interpret";
import { planLayout, type Layout } from "@/engine/columns/layout";
import { planProtobuf } from "@/engine/columns/protobuf";
import { listSchemaFields } from "@/engine/decode/fields";
import type { KeptLists } from "@/engine/decode/kept-lists";
import { getPayloadType, type PayloadType } from "@/engine/decode/payload-type";
import { oncePerType } from "@/engine/decode/schemas/plan-budget";
import type { Channel } from "@/engine/formats/recording";

export interface ColumnPlan {
  /** Of all topics with this schema, none of which changes them. */
  slots: readonly Slot[];
  extract: Extract;
  /** A message that `extract` stops at cannot be decoded; else a part of it may be. */
  exact: boolean;
}

/**
 * How the messages of a channel are read into columns; null for encodings and types that are read one message at a
 * time. `generate`: whether functions may be generated. Channels that share a schema share its plan. Throws a RecordingError when the schema cannot be used.
 */
export const planExtract = (channel: Channel, generate: boolean): ColumnPlan | null =>
  (generate ? planGenerated : planInterpreted)(getPayloadType(channel));

const planGenerated = oncePerType((payload: PayloadType) => makePlan(payload, true));
const planInterpreted = oncePerType((payload: PayloadType) => makePlan(payload, false));

function makePlan(payload: PayloadType, generate: boolean): ColumnPlan | null {
  if (payload.kind === "protobuf" && generate) {
    const plan = planProtobuf(payload.type, new Map(listSchemaFields(payload).map((field) => [field.path, field])));
    return plan && { ...plan, exact: true };
  }
  // Messages of a type without fields are looked at one by one: they may not be empty.
  if (payload.kind !== "struct" || payload.type.fields.length === 0) return null;
  const make = (layout: Layout, little: boolean, lists: KeptLists): Extract =>
    generate ? generateExtract(layout, little, lists) : interpretExtract(layout, little);
  const layout = planLayout(payload.type, payload.encoding);
  if (layout === null) return null;
  const { slots } = layout;
  if (payload.encoding === "ros1")
    return { slots, extract: extractRos1((lists) => make(layout, true, lists)), exact: false };
  const second = (): Layout | null => planLayout(payload.type, "cdr", 4);
  return { slots, extract: extractCdr(layout, second, make), exact: false };
}

/** Made with the first messages, when the usual lengths of lists are known. */
function extractRos1(make: (lists: KeptLists) => Extract): Extract {
  let made: Extract | null = null;
  return (placed, from, to, columns) => (made ??= make(columns.lists))(placed, from, to, columns);
}

/** Chooses by the second byte of each message, which names the byte order and the version of CDR. */
function extractCdr(
  first: Layout,
  second: () => Layout | null,
  make: (layout: Layout, little: boolean, lists: KeptLists) => Extract,
): Extract {
  const made = new Map<number, Extract | null>();
  const get = (kind: number, lists: KeptLists): Extract | null => {
    let extract = made.get(kind);
    if (extract === undefined) {
      const layout = kind > 1 ? second() : first;
      extract = layout && make(layout, (kind & 1) === 1, lists);
      made.set(kind, extract);
    }
    return extract;
  };
  return (placed, from, to, columns) => {
    const { bytes, starts, ends } = placed;
    const kind = ends[from]! - starts[from]! < 4 ? -1 : bytes[starts[from]! + 1]!;
    if (kind !== 0 && kind !== 1 && kind !== 6 && kind !== 7) return from;
    // Messages of one writer are alike; the batch ends where the next one differs.
    let end = from + 1;
    while (end < to && ends[end]! - starts[end]! >= 4 && bytes[starts[end]! + 1] === kind) end++;
    return get(kind, columns.lists)?.(placed, from, end, columns) ?? from;
  };
}
