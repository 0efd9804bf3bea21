import type { ScalarType, StructField, StructType } from "@/engine/decode/schemas/message-type";

/**
 * How texts of wide characters are declared in a type: as texts, which is what they are decoded to, or as the lists of
 * numbers that they are in messages. Writers differ in how many bytes a character has, and no message says it.
 */
export type WideForm = "text" | "two" | "four";

/** A type with texts of wide characters, in each form. */
export type WideType = Record<WideForm, StructType>;

const characters = { two: "uint16", four: "uint32" } as const satisfies Record<string, ScalarType>;

const asElement = (type: ScalarType): StructType => {
  return { name: "wstring", fields: [{ name: "characters", type, array: { length: null } }] };
};
const elements = { two: asElement(characters.two), four: asElement(characters.four) };

/** The declaration of a text of wide characters, or of a list of them. */
export function declareWide(form: WideForm, array: StructField["array"]): Pick<StructField, "type" | "array"> {
  if (form === "text") return { type: "string", array };
  return array === null ? { type: characters[form], array: { length: null } } : { type: elements[form], array };
}
