import { parseIDL, type IDLMessageDefinition, type IDLMessageDefinitionField } from "@foxglove/omgidl-parser";
import { parseRos2idl } from "@foxglove/ros2idl-parser";
import { checkIdl } from "@/engine/decode/idl-limits";
import { isScalarType, type ScalarType, type StructField, type StructType } from "@/engine/decode/message-type";
import { findUnit } from "@/engine/decode/units";
import { quoted, describeError, RecordingError } from "@/engine/formats/recording-error";

/** The parsers take superlinear time; a text of this length takes a second or two. */
const MAX_TEXT = 128 * 1024;
const MAX_DEPTH = 32;

/** What the two parsers' field types have in common. */
interface ParsedField {
  name: string;
  type: string;
  isComplex?: boolean;
  isArray?: boolean;
  isConstant?: boolean;
  arrayLength?: number;
  value?: unknown;
  enumType?: string;
  multiDimensional: boolean;
}

/** What precedes each file of a schema. The parser does not know it for names of one letter. */
const sectionHead = /^={80}\r?\nIDL: .*$/gm;

type Definitions = Map<string, ParsedField[]>;

const TIMES = new Map<string, ScalarType>([
  ["builtin_interfaces/msg/Time", "time"],
  ["builtin_interfaces/msg/Duration", "duration"],
]);

/** The type of a ros2idl schema. Throws a RecordingError when it cannot be read. */
export function parseRos2IdlSchema(text: string, schemaName: string): StructType {
  const parsed = parseLimited(text, () => parseRos2idl(text.replace(sectionHead, "")));
  const definitions: Definitions = new Map();
  for (const { name = "", definitions: fields } of parsed) {
    definitions.set(name, fields.map((field) => ({ ...field, multiDimensional: false })) as ParsedField[]);
  }
  const first = [...definitions].find(([, fields]) => fields.some((field) => field.isConstant !== true))?.[0];
  return build(definitions, definitions.has(schemaName) ? schemaName : (first ?? schemaName), false);
}

/**
 * The definitions of an omgidl schema, for its own decoder, and the scalar fields of its root that have a plain path.
 */
export function parseOmgIdlSchema(
  text: string,
  schemaName: string,
): { definitions: IDLMessageDefinition[]; root: string; type: StructType } {
  const parsed = parseLimited(text, () => parseIDL(text));
  const definitions: Definitions = new Map();
  for (const definition of parsed) {
    if (definition.aggregatedKind === "union") continue;
    if (definition.aggregatedKind === "struct" && definition.definitions.length === 0) {
      // An array of structs without members could be of any length in a message of a few bytes.
      throw new RecordingError(`The type ${quoted(definition.name ?? "")} has no members.`);
    }
    definitions.set(definition.name ?? "", definition.definitions.map(toField));
  }
  const structs = parsed.filter((definition) => definition.aggregatedKind === "struct");
  const root = structs.find(({ name }) => name === schemaName || name === schemaName.replaceAll("/", "::"))?.name;
  if (root === undefined) throw new RecordingError("The schema does not define the message type it is named after.");
  return { definitions: parsed, root, type: build(definitions, root, true) };
}

function toField(field: IDLMessageDefinitionField): ParsedField {
  const { arrayLengths, ...rest } = field;
  const single = arrayLengths?.length === 1 ? arrayLengths[0] : undefined;
  return {
    ...(rest as Omit<ParsedField, "multiDimensional">),
    ...(single === undefined ? {} : { arrayLength: single }),
    multiDimensional: (arrayLengths?.length ?? 0) > 1,
  };
}

function parseLimited<T>(text: string, parse: () => T): T {
  if (text.length > MAX_TEXT) throw new RecordingError("The IDL schema is longer than 128 KiB.");
  checkIdl(text);
  try {
    return parse();
  } catch (error) {
    throw new RecordingError(`The IDL schema cannot be read: ${describeError(error)}`);
  }
}

/** `lenient` leaves out members that have no scalar path instead of refusing the type. */
function build(definitions: Definitions, root: string, lenient: boolean): StructType {
  const open = new Set<string>();
  const done = new Map<string, StructType>();
  const resolveStruct = (name: string): StructType => {
    const known = done.get(name);
    if (known !== undefined) return known;
    const members = definitions.get(name);
    if (members === undefined) throw new RecordingError(`The IDL schema does not define the type ${quoted(name)}.`);
    if (open.has(name)) throw new RecordingError(`The type ${quoted(name)} contains itself.`);
    if (open.size > MAX_DEPTH)
      throw new RecordingError(`The IDL schema nests its types more than ${MAX_DEPTH} levels deep.`);
    open.add(name);
    const fields: StructField[] = [];
    for (const member of members) {
      if (member.isConstant === true || (lenient && (member.multiDimensional || !isKnown(member)))) continue;
      const { arrayLength: length = 0 } = member;
      if (!Number.isSafeInteger(length) || length < 0)
        throw new RecordingError("An array of the IDL schema has no length.");
      const unit = findUnit(member.name);
      const enumValues = member.enumType === undefined ? undefined : toEnum(definitions.get(member.enumType));
      fields.push({
        name: member.name,
        type: resolveType(member),
        array: member.isArray === true ? { length: member.arrayLength ?? null } : null,
        ...(unit === undefined ? {} : { unit }),
        ...(enumValues === undefined ? {} : { enumValues }),
      });
    }
    open.delete(name);
    const built = { name, fields };
    done.set(name, built);
    return built;
  };
  const isKnown = (member: ParsedField): boolean =>
    member.isComplex === true ? definitions.has(member.type) : isScalarType(member.type);
  const resolveType = (member: ParsedField): ScalarType | StructType => {
    const time = lenient ? undefined : TIMES.get(member.type);
    if (time !== undefined) return time;
    if (member.isComplex === true) return resolveStruct(member.type);
    if (isScalarType(member.type)) return member.type;
    throw new RecordingError(`Values of the type ${quoted(member.type)} cannot be read.`);
  };
  return resolveStruct(root);
}

function toEnum(fields: ParsedField[] | undefined): Record<number, string> | undefined {
  if (fields === undefined) return undefined;
  const entries = fields.flatMap(({ name, value }) => (typeof value === "number" ? [[value, name] as const] : []));
  return entries.length > 0 ? Object.fromEntries(entries.slice(0, 512)) : undefined;
}
