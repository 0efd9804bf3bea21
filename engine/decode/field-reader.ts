import { compileReader, type Encoding, type Pick } from "@/engine/decode/compile";
import { createDecoder, orSchemaMismatch, type MessageDecoder } from "@/engine/decode/decode";
import {
  listFields,
  listSchemaFields,
  MAX_DEPTH,
  structFields,
  type FieldInfo,
  type StructLeaf,
} from "@/engine/decode/fields";
import { KeptLists } from "@/engine/decode/kept-lists";
import type { StructType } from "@/engine/decode/message-type";
import { ObjectWalk, type FieldReader, type ObjectSource } from "@/engine/decode/object-walk";
import { CdrCursor, Ros1Cursor } from "@/engine/decode/payload-cursor";
import { getPayloadType } from "@/engine/decode/payload-type";
import { once, oncePerType, PlanBudget } from "@/engine/decode/plan-budget";
import { ProtoType, type ProtoMessage } from "@/engine/decode/proto-schema";
import { isTime, ProtoDecoder, type Wanted } from "@/engine/decode/protobuf";
import type { Picking } from "@/engine/decode/reading-form";
import { listSlots } from "@/engine/decode/time-parts";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

export type { FieldReader, ObjectFields } from "@/engine/decode/object-walk";

/**
 * Creates the field reader of a channel. Of lists of unknown length that have at most 256 elements in the first message,
 * the first 64 are included; with `all`, of every list, for a part of a recording. Throws a RecordingError when the schema cannot be used.
 */
export function createFieldReader(channel: Channel, all = false): FieldReader {
  const payload = getPayloadType(channel);
  if (payload.kind === "struct") return new StructReader(payload.type, payload.encoding, all);
  // Without a schema's fields JSON is read as well.
  const listed = "schema" in payload ? listFields(channel) : listSchemaFields(payload);
  const known = new Map(listed.map((field) => [field.path, field]));
  if (payload.kind === "protobuf") return new ObjectWalk(known, new ProtoObjects(payload.type), all);
  return new ObjectWalk(known, new WholeObjects(createDecoder(channel)), all);
}

class WholeObjects implements ObjectSource {
  readonly selected = null;
  readonly complete = true;

  constructor(private readonly decoder: MessageDecoder) {}

  keep(): void {
    // They always are.
  }

  decode(data: Uint8Array): unknown {
    return this.decoder.decode(data);
  }
}

/** Decodes the scalars of protobuf messages, and what `keep` asks for along with them. */
class ProtoObjects implements ObjectSource {
  readonly selected: Wanted;
  complete = false;
  private readonly scalars: ProtoDecoder;
  private all: ProtoDecoder | null = null;

  constructor(private readonly type: ProtoMessage) {
    this.selected = selectScalars(type);
    this.scalars = new ProtoDecoder(type, this.selected);
  }

  keep(only: ReadonlySet<string> | undefined): void {
    const wanted = only === undefined ? null : new Map(this.selected);
    for (const name of only ?? []) wanted?.set(name, null);
    this.all = new ProtoDecoder(this.type, wanted);
  }

  decode(data: Uint8Array): unknown {
    const { all, scalars } = this;
    this.complete = all !== null;
    if (all !== null) {
      try {
        return orSchemaMismatch(() => all.decode(data));
      } catch (error) {
        // A member that only `keep` asked for may be damaged.
        if (!(error instanceof RecordingError)) throw error;
        this.complete = false;
      }
    }
    return orSchemaMismatch(() => scalars.decode(data));
  }
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
    ({ info, list, steps }) => info.kind !== "time" && (list < 0 || steps.at(-1)! < usual),
  ).length;
  const places = leaves.flatMap(({ info, list, steps }) =>
    listSlots(info).map(() => ({ list, element: steps.at(-1) ?? 0 })),
  );
  return { fields, places, picks, named, lists, expected };
});

/** Is made ready with its first message: most topics are read into columns, and need none of it. */
class StructReader implements FieldReader {
  values = new Float64Array(0);
  states: (boolean | string | number | undefined)[] = [];
  readonly lists: KeptLists;
  private readonly plan: ReturnType<typeof planScalars>;
  private readonly cursor: Ros1Cursor | CdrCursor;
  private readonly pick: () => Picking;

  constructor(type: StructType, encoding: Encoding, all: boolean) {
    this.plan = planScalars(type);
    this.lists = new KeptLists(this.plan.lists);
    if (all) this.lists.keepAll();
    this.cursor = encoding === "ros1" ? new Ros1Cursor() : new CdrCursor();
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
    for (const { slot, enumValues } of this.plan.named) states[slot] = enumValues[values[slot]!] ?? values[slot];
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

/**
 * The fields of a protobuf message that have to be decoded for its scalars. Types that use each other repeatedly share
 * what is wanted of one type at one depth. Throws a RecordingError beyond the budget of visits.
 */
const selectScalars = oncePerType((root: ProtoMessage): Wanted => {
  const budget = new PlanBudget();
  const known = new Map<ProtoMessage, (Wanted | undefined)[]>();
  /** Fields left out because they lead back to a type above, which they may not do elsewhere. */
  let cut = 0;
  const visit = (type: ProtoMessage, above: readonly ProtoMessage[]): Wanted => {
    const depths = known.get(type) ?? [];
    known.set(type, depths);
    const before = depths[above.length];
    if (before !== undefined) return before;
    const cutBefore = cut;
    const wanted = new Map<string, Wanted | null>();
    for (const field of type.fields) {
      budget.visit();
      const { message } = field;
      if (field.type === ProtoType.bytes) continue;
      if (message === null || (isTime(message) && !field.repeated)) wanted.set(field.name, null);
      else if (field.repeated || isTime(message) || above.length >= MAX_DEPTH) continue;
      else if (above.includes(message)) cut += 1;
      else wanted.set(field.name, visit(message, [...above, message]));
    }
    if (cut === cutBefore) depths[above.length] = wanted;
    return wanted;
  };
  return visit(root, [root]);
});
