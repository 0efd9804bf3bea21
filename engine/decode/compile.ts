import { canGenerateCode } from "@/engine/code-generation";
import { ClosureReaders } from "@/engine/decode/closure-readers";
import { GeneratedReaders } from "@/engine/decode/generated-readers";
import type { KeptLists } from "@/engine/decode/kept-lists";
import type { PayloadCursor } from "@/engine/decode/payload-cursor";
import type { Encoding, Form, Pick, Picking, Readers, Reading } from "@/engine/decode/reading-form";
import { adviseOn } from "@/engine/decode/ros-derived-names";
import type { StructType } from "@/engine/decode/schemas/message-type";
import { once } from "@/engine/decode/schemas/plan-budget";
import { quoted, RecordingError } from "@/engine/formats/recording-error";

export type { Encoding, Pick } from "@/engine/decode/reading-form";

const makeReaders = (form: Form, generate: boolean): Readers =>
  generate ? new GeneratedReaders(form) : new ClosureReaders(form);

/** Chooses what was made for the form of the message at hand; for delimited ones it is made when the first appears. */
function byForm<T>(encoding: Encoding, make: (form: Form) => T): (cursor: PayloadCursor) => T {
  const plain = make(encoding);
  const delimited = once(() => make("delimited"));
  return (cursor) => (cursor.delimited ? delimited() : plain);
}

/** The longest message of a type without fields: an empty struct is one byte, and DDS fills up to four behind its header. */
const emptyBytes: Record<Encoding, number> = { ros1: 0, cdr: 8 };

/** Refuses messages of a type without fields that hold something: their definition is missing. */
function createCheck(type: StructType, encoding: Encoding): (cursor: PayloadCursor) => void {
  if (type.fields.length > 0) return () => {};
  return ({ byteLength }) => {
    if (byteLength <= emptyBytes[encoding]) return;
    throw new RecordingError(
      `The definition of ${quoted(type.name)} is empty, but its messages are not. ${adviseOn(type.name)}`,
    );
  };
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
  const check = createCheck(type, encoding);
  return (cursor) => (check(cursor), choose(cursor)(cursor));
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
  const check = createCheck(type, encoding);
  return (cursor, values, states) => (check(cursor), choose(cursor)(cursor, values, states));
}
