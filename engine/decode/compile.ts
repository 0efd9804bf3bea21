import { canGenerateCode } from "@/engine/code-generation";
import { ClosureReaders } from "@/engine/decode/closure-readers";
import { GeneratedReaders } from "@/engine/decode/generated-readers";
import type { KeptLists } from "@/engine/decode/kept-lists";
import type { StructType } from "@/engine/decode/message-type";
import type { PayloadCursor } from "@/engine/decode/payload-cursor";
import { once } from "@/engine/decode/plan-budget";
import type { Encoding, Form, Pick, Picking, Readers, Reading } from "@/engine/decode/reading-form";

export type { Encoding, Pick } from "@/engine/decode/reading-form";

const makeReaders = (form: Form, generate: boolean): Readers =>
  generate ? new GeneratedReaders(form) : new ClosureReaders(form);

/** Chooses what was made for the form of the message at hand; for delimited ones it is made when the first appears. */
function byForm<T>(encoding: Encoding, make: (form: Form) => T): (cursor: PayloadCursor) => T {
  const plain = make(encoding);
  const delimited = once(() => make("delimited"));
  return (cursor) => (cursor.delimited ? delimited() : plain);
}

/**
 * A function that reads one complete message into plain objects; with `only`, just those fields of the message.
 * `generate`: whether functions may be made from text, which is twice as fast.
 */
export function compileDecoder(
  type: StructType,
  encoding: Encoding,
  only?: ReadonlySet<string>,
  generate: boolean = canGenerateCode(),
): Reading {
  const choose = byForm(encoding, (form) => makeReaders(form, generate).decoder(type, only));
  return (cursor) => choose(cursor)(cursor);
}

/**
 * A function that reads only the picked scalars of a message, numbers into `values` and all else into `states`. Picks
 * of a list of unknown length must hold neighbouring slots; `kept` says how many of its elements are read.
 */
export function compileReader(
  type: StructType,
  encoding: Encoding,
  picks: readonly Pick[],
  slots: number,
  kept: KeptLists,
  generate: boolean = canGenerateCode(),
): Picking {
  const choose = byForm(encoding, (form) => makeReaders(form, generate).picker(type, picks, slots, kept));
  return (cursor, values, states) => choose(cursor)(cursor, values, states);
}
