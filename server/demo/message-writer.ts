import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";

type Definition = ReturnType<typeof parse>[number];
type Field = Definition["definitions"][number];

/** A text in a list, whose elements have to be of a type with a name. */
const textType: Definition = { name: "muster/Text", definitions: [{ name: "bytes", type: "uint8", isArray: true }] };

/** A text as CDR holds it after its length: UTF-8 with a NUL at the end. */
const toBytes = (text: unknown): Uint8Array => Buffer.from(`${typeof text === "string" ? text : ""}\0`);

const toField = (field: Field): Field => {
  if (field.type !== "string" || field.isConstant === true) return field;
  return field.isArray === true
    ? { ...field, type: textType.name ?? "", isComplex: true }
    : { name: field.name, type: "uint8", isArray: true };
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/**
 * Writes messages of a `ros2msg` definition as CDR. Texts are given to the library as the bytes that they are in CDR:
 * it takes a text's number of UTF-16 units for its length, which leaves out the end of one with "°" in it.
 */
export function messageWriter(schema: string): (message: unknown) => Uint8Array {
  const definitions = parse(schema, { ros2: true });
  const byName = new Map(definitions.map(({ name, definitions: fields }) => [name, fields]));
  const [root] = definitions;
  const library = new MessageWriter([
    ...definitions.map((definition) => ({ ...definition, definitions: definition.definitions.map(toField) })),
    textType,
  ]);

  const prepareValue = ({ type, isComplex }: Field, isElement: boolean, value: unknown): unknown => {
    if (type === "string") return isElement ? { bytes: toBytes(value) } : toBytes(value);
    return isComplex === true ? prepare(byName.get(type) ?? [], value) : value;
  };
  const prepare = (fields: readonly Field[], message: unknown): Record<string, unknown> => {
    const from = isObject(message) ? message : {};
    return Object.fromEntries(
      fields.map((field) => {
        const value = from[field.name];
        if (field.isArray !== true) return [field.name, prepareValue(field, false, value)];
        return [field.name, Array.isArray(value) ? value.map((each) => prepareValue(field, true, each)) : value];
      }),
    );
  };
  return (message) => library.writeMessage(prepare(root?.definitions ?? [], message));
}
