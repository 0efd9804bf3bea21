import { compileReader, type Encoding, type Pick } from "@/engine/decode/compile";
import { createDecoder, orSchemaMismatch } from "@/engine/decode/decode";
import {
  listFields,
  listFixedLists,
  listSchemaFields,
  structFields,
  type FieldInfo,
  type StructLeaf,
} from "@/engine/decode/fields";
import { KeptLists, MAX_LONG_LISTS, type LongList } from "@/engine/decode/kept-lists";
import { ProtoObjects, WholeObjects } from "@/engine/decode/object-source";
import { ObjectWalk, type FieldReader } from "@/engine/decode/object-walk";
import { CdrCursor, Ros1Cursor } from "@/engine/decode/payload-cursor";
import { getPayloadType } from "@/engine/decode/payload-type";
import { findProtoField } from "@/engine/decode/proto-fields";
import type { Picking } from "@/engine/decode/reading-form";
import type { StructType } from "@/engine/decode/schemas/message-type";
import { once, oncePerType } from "@/engine/decode/schemas/plan-budget";
import { listSlots } from "@/engine/decode/time-parts";
import type { UnpackMessage } from "@/engine/formats/packed-message";
import type { Channel } from "@/engine/formats/recording";

export type { FieldReader, ObjectFields } from "@/engine/decode/object-walk";

/**
 * Creates the field reader of a channel. Of lists of unknown length that have at most 256 elements in the first message,
 * the first 64 are included; with `all`, of every list, for a part of a recording. Throws a RecordingError when the schema cannot be used.
 */
export function createFieldReader(channel: Channel, all = false): FieldReader {
  const payload = getPayloadType(channel);
  if (payload.kind === "struct") return new StructReader(payload, all, channel.unpack);
  // Without a schema's fields JSON is read as well.
  const fields = "schema" in payload ? listFields(channel) : listSchemaFields(payload);
  const listed = new Map(fields.map((field) => [field.path, field]));
  if (payload.kind !== "protobuf")
    return new ObjectWalk((path) => listed.get(path), new WholeObjects(createDecoder(channel)), all);
  // Elements of lists and values of maps are not listed.
  const find = (path: string): FieldInfo | undefined =>
    listed.get(path) ?? findProtoField(payload.type, path)?.info ?? undefined;
  return new ObjectWalk(find, new ProtoObjects(payload.type), all);
}

/** Elements that a list of unknown length is expected to have. */
const usual = 16;

/** What the readers of all channels of one type have in common. */
const planScalars = oncePerType((type: StructType) => {
  const leaves = structFields(type);
  const fields = leaves.flatMap(({ info }) => listSlots(info));
  const picks = pickLeaves(leaves);
  const named = fields.flatMap(({ enumValues }, slot) => (enumValues === undefined ? [] : [{ slot, enumValues }]));
  const lists = leaves.reduce((most, { list }) => Math.max(most, list + 1), 0);
  const expected = leaves.filter(
    ({ info, list, element }) => info.kind !== "time" && (list < 0 || element < usual),
  ).length;
  const places = leaves.flatMap(({ info, list, element }) => listSlots(info).map(() => ({ list, element })));
  const listPaths = new Map(leaves.map(({ list, listPath }) => [list, listPath]));
  return { fields, places, picks, named, lists, listPaths, expected, fixedLists: listFixedLists(type) };
});

/** Is made ready with its first message: most topics are read into columns, and need none of it. */
class StructReader implements FieldReader {
  values = new Float64Array(0);
  states: (boolean | string | number | undefined)[] = [];
  readonly lists: KeptLists;
  private readonly plan: ReturnType<typeof planScalars>;
  private readonly cursor: Ros1Cursor | CdrCursor;
  private readonly pick: () => Picking;

  constructor({ type, encoding }: { type: StructType; encoding: Encoding }, all: boolean, unpack?: UnpackMessage) {
    this.plan = planScalars(type);
    this.lists = new KeptLists(this.plan.lists);
    if (all) this.lists.keepAll();
    this.cursor = encoding === "ros1" ? new Ros1Cursor() : new CdrCursor(unpack);
    this.pick = once(() => {
      const { picks, fields } = this.plan;
      this.values = new Float64Array(fields.length).fill(NaN);
      this.states = new Array<undefined>(fields.length).fill(undefined);
      return compileReader(type, encoding, picks, fields.length, this.lists);
    });
  }

  get fields(): readonly FieldInfo[] {
    return this.plan.fields;
  }

  get present(): readonly FieldInfo[] {
    const { fields, places } = this.plan;
    const { longest } = this.lists;
    return fields.filter((_, slot) => {
      const { list, element } = places[slot]!;
      return list < 0 || element < longest[list]!;
    });
  }

  get longLists(): readonly LongList[] {
    const { listPaths, fixedLists } = this.plan;
    const { refused, first } = this.lists;
    const lists = Array.from(refused, (isRefused, list) => (isRefused === 1 ? [list] : [])).flat();
    const found = lists.map((list) => ({ path: listPaths.get(list) ?? "", elements: first[list]! }));
    return [...fixedLists, ...found].slice(0, MAX_LONG_LISTS);
  }

  get expected(): number {
    return this.plan.expected;
  }

  read(data: Uint8Array): void {
    orSchemaMismatch(() => this.readScalars(data));
  }

  private readScalars(data: Uint8Array): void {
    const pick = this.pick();
    const { values, states, cursor } = this;
    if (this.plan.lists > 0) {
      values.fill(NaN);
      states.fill(undefined);
    }
    cursor.reset(data);
    pick(cursor, values, states);
    this.lists.decide();
    for (const { slot, enumValues } of this.plan.named) {
      const { list, element } = this.plan.places[slot]!;
      const isThere = list < 0 || element < this.lists.last(list);
      states[slot] = isThere ? (enumValues[values[slot]!] ?? values[slot]) : undefined;
    }
  }
}

/** Where the values of leaves lie, in slots one after another. */
export function pickLeaves(leaves: readonly StructLeaf[]): Pick[] {
  let next = 0;
  return leaves.map(({ steps, info, list }) => {
    const slot = next;
    next += listSlots(info).length;
    return { steps, slot, list };
  });
}
