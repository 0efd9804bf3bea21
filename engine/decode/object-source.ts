import { orSchemaMismatch, type MessageDecoder } from "@/engine/decode/decode";
import { MAX_DEPTH } from "@/engine/decode/fields";
import type { ObjectSource } from "@/engine/decode/object-walk";
import { isTime, ProtoDecoder, type Wanted } from "@/engine/decode/protobuf";
import { oncePerType, PlanBudget } from "@/engine/decode/schemas/plan-budget";
import { getMapValue, ProtoType, type ProtoField, type ProtoMessage } from "@/engine/decode/schemas/proto-schema";
import { RecordingError } from "@/engine/formats/recording-error";

export class WholeObjects implements ObjectSource {
  readonly selected = null;
  readonly complete = true;

  get unread(): string | null {
    return this.decoder.unread ?? null;
  }

  constructor(private readonly decoder: MessageDecoder) {}

  keep(): void {
    // They always are.
  }

  decode(data: Uint8Array): unknown {
    return this.decoder.decode(data);
  }
}

/** Decodes the scalars of protobuf messages, and what `keep` asks for along with them. */
export class ProtoObjects implements ObjectSource {
  readonly selected: ReadonlyMap<string, Wanted | null>;
  readonly unread = null;
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

/**
 * The fields of a protobuf message that have to be decoded for its scalars, without lists and maps within elements of lists.
 * Types that use each other repeatedly share what is wanted of one type at one depth. Throws a RecordingError beyond the budget of visits.
 */
const selectScalars = oncePerType((root: ProtoMessage): ReadonlyMap<string, Wanted | null> => {
  const budget = new PlanBudget();
  const known = new Map<ProtoMessage, (ReadonlyMap<string, Wanted | null> | undefined)[]>();
  /** Fields left out because they lead back to a type above, which they may not do elsewhere. */
  let cut = 0;
  const visit = (
    type: ProtoMessage,
    above: readonly ProtoMessage[],
    inList: boolean,
  ): ReadonlyMap<string, Wanted | null> => {
    const places = known.get(type) ?? [];
    known.set(type, places);
    const place = 2 * above.length + Number(inList);
    const before = places[place];
    if (before !== undefined) return before;
    const cutBefore = cut;
    const wanted = new Map<string, Wanted | null>();
    const add = (field: ProtoField, inner: Wanted | null): void =>
      void wanted.set(field.name, getMapValue(field) ? eachKey(inner) : inner);
    for (const field of type.fields) {
      budget.visit();
      const value = getMapValue(field);
      const { message } = value ?? field;
      if (field.type === ProtoType.bytes || value?.type === ProtoType.bytes || (inList && field.repeated)) continue;
      if (message === null || isTime(message)) add(field, null);
      else if (above.length >= MAX_DEPTH) continue;
      else if (above.includes(message)) cut += 1;
      else add(field, visit(message, [...above, message], inList || (field.repeated && !value)));
    }
    if (cut === cutBefore) places[place] = wanted;
    return wanted;
  };
  return visit(root, [root], false);
});

/** What is wanted of each value of a map, whatever its key. */
const eachKey = (inner: Wanted | null): Wanted => ({ has: () => true, get: () => inner });
