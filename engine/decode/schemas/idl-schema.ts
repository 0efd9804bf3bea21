import { parseIDL, type IDLMessageDefinition, type IDLMessageDefinitionField } from "@foxglove/omgidl-parser";
import { simplifyConstants } from "@/engine/decode/schemas/idl-constants";
import { checkIdl } from "@/engine/decode/schemas/idl-limits";
import { isScalarType, type ScalarType, type StructField, type StructType } from "@/engine/decode/schemas/message-type";
import { nameEnums, type Constant, type TextField } from "@/engine/decode/schemas/ros-enums";
import { findUnit } from "@/engine/decode/schemas/units";
import { quoted, RecordingError } from "@/engine/formats/recording-error";

/** The parsers take superlinear time; a text of this length takes a second or two. */
const MAX_TEXT = 128 * 1024;
const MAX_DEPTH = 32;

/** A member of a type, as far as it matters here. */
interface Member extends Omit<IDLMessageDefinitionField, "arrayLengths"> {
  arrayLength?: number;
  enumType?: string;
  multiDimensional: boolean;
}

/** What precedes each file of a schema. */
const sectionHead = /^={80}\r?\nIDL: .*$/gm;

type Definitions = Map<string, Member[]>;

/** Types whose messages are read as those of ROS are, or else by the decoder of DDS. */
export type IdlSchema = { kind: "struct"; encoding: "cdr"; type: StructType } | DdsSchema;

interface DdsSchema {
  kind: "omgidl";
  definitions: IDLMessageDefinition[];
  root: string;
  type: StructType;
}

const TIMES = new Map<string, ScalarType>([
  ["builtin_interfaces/msg/Time", "time"],
  ["builtin_interfaces/msg/Duration", "duration"],
]);

/** The type of a ros2idl schema. Throws a RecordingError when it cannot be read. */
export function parseRos2IdlSchema(text: string, schemaName: string): IdlSchema {
  const parsed = parseLimited(text.replace(sectionHead, ""));
  const definitions = toDefinitions(parsed, rosName);
  const first = parsed.find(({ aggregatedKind }) => aggregatedKind === "struct")?.name ?? "";
  const root = definitions.has(schemaName) ? schemaName : rosName(first);
  const own = parsed.find(({ name = "" }) => rosName(name) === root)?.name;
  if (own !== undefined && needsObjects(definitions, root))
    return { kind: "omgidl", definitions: parsed, root: own, type: build(toDefinitions(parsed), own, true) };
  return { kind: "struct", encoding: "cdr", type: build(definitions, root, false) };
}

/**
 * The definitions of an omgidl schema, for its own decoder, and the scalar fields of its root that have a plain path.
 */
export function parseOmgIdlSchema(text: string, schemaName: string): DdsSchema {
  const parsed = parseLimited(text);
  const structs = parsed.filter((definition) => definition.aggregatedKind === "struct");
  // An array of structs without members could be of any length in a message of a few bytes.
  const empty = structs.find(({ definitions }) => definitions.length === 0);
  if (empty) throw new RecordingError(`The type ${quoted(empty.name ?? "")} has no members.`);
  const root = structs.find(({ name }) => name === schemaName || name === schemaName.replaceAll("/", "::"))?.name;
  if (root === undefined) throw new RecordingError("The schema does not define the message type it is named after.");
  return { kind: "omgidl", definitions: parsed, root, type: build(toDefinitions(parsed), root, true) };
}

const rosName = (name: string): string => name.replaceAll("::", "/");

/** The members of all types but unions, and constants of modules and enums, by their names. */
function toDefinitions(parsed: readonly IDLMessageDefinition[], toName = (name: string) => name): Definitions {
  const definitions: Definitions = new Map();
  for (const definition of parsed) {
    if (definition.aggregatedKind === "union") continue;
    const members = definition.definitions.map(toMember);
    for (const member of members) {
      member.type = toName(member.type);
      if (member.enumType !== undefined) member.enumType = toName(member.enumType);
    }
    definitions.set(toName(definition.name ?? ""), members);
  }
  return definitions;
}

function toMember({ arrayLengths = [], ...rest }: IDLMessageDefinitionField): Member {
  const [arrayLength] = arrayLengths;
  return {
    ...rest,
    ...("enumType" in rest && typeof rest.enumType === "string" && { enumType: rest.enumType }),
    ...(arrayLengths.length === 1 && { arrayLength }),
    multiDimensional: arrayLengths.length > 1,
  };
}

/** Whether a type leads to unions or to arrays of several dimensions. */
function needsObjects(definitions: Definitions, root: string): boolean {
  const seen = new Set<string>();
  const waiting = [root];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const { isComplex, type, multiDimensional } of definitions.get(name) ?? []) {
      if (multiDimensional || (isComplex === true && !definitions.has(type))) return true;
      if (isComplex === true) waiting.push(type);
    }
  }
  return false;
}

function parseLimited(text: string): IDLMessageDefinition[] {
  if (text.length > MAX_TEXT) throw new RecordingError("The IDL schema is longer than 128 KiB.");
  checkIdl(text);
  try {
    return parseIDL(simplifyConstants(text));
  } catch (error) {
    throw new RecordingError(describeFault(error instanceof Error ? error.message : ""));
  }
}

/** What the parser objects to. */
function describeFault(message: string): string {
  const line = /\bline (\d+)/.exec(message)?.[1];
  if (line !== undefined) return `The IDL schema cannot be read: line ${line} is not understood.`;
  const name = /^Could not find node (\S+)/.exec(message)?.[1];
  if (name !== undefined) return `The IDL schema cannot be read: it does not define ${quoted(name)}.`;
  const constant = /^Expected constant value (\S+)/.exec(message)?.[1];
  if (constant !== undefined) return `The IDL schema cannot be read: ${quoted(constant)} is not a number.`;
  return "The IDL schema cannot be read.";
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
    const constants = nameMembers(members, definitions.get(`${name}_Constants`) ?? []);
    for (const member of members) {
      if (member.isConstant === true || (lenient && (member.multiDimensional || !isKnown(member)))) continue;
      const { arrayLength: length = 0 } = member;
      if (!Number.isSafeInteger(length) || length < 0)
        throw new RecordingError("An array of the IDL schema has no length.");
      const unit =
        readAnnotation(member, "unit", "value") ?? findUnit(member.name, readAnnotation(member, "verbatim", "text"));
      const enumValues =
        member.enumType === undefined ? constants.get(member.name) : toEnum(definitions.get(member.enumType));
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
  const isKnown = (member: Member): boolean =>
    member.isComplex === true ? definitions.has(member.type) : isScalarType(member.type);
  const resolveType = (member: Member): ScalarType | StructType => {
    const time = lenient ? undefined : TIMES.get(member.type);
    if (time !== undefined) return time;
    if (member.isComplex === true) return resolveStruct(member.type);
    if (isScalarType(member.type)) return member.type;
    throw new RecordingError(`Values of the type ${quoted(member.type)} cannot be read.`);
  };
  return resolveStruct(root);
}

/** A text of an annotation, such as `@unit(value="m/s")`; at most 40 characters of a unit. */
function readAnnotation({ annotations }: Member, name: "unit" | "verbatim", parameter: string): string | undefined {
  const annotation = annotations?.[name];
  const value =
    annotation?.type === "named-params"
      ? annotation.namedParams[parameter]
      : annotation?.type === "const-param"
        ? annotation.value
        : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return name === "unit" && value.length > 40 ? undefined : value.trim();
}

/** Names of the members' values, by member: ROS keeps the constants of a message in a module beside it. */
function nameMembers(members: readonly Member[], constants: readonly Member[]): Map<string, Record<number, string>> {
  const fields = members.map(({ name, type }): TextField => ({
    name,
    type,
    array: null,
    unit: undefined,
    alias: undefined,
  }));
  const named = constants.flatMap(({ name, type, value }): Constant[] => {
    // Where several members may be meant, only their names tell which.
    const isClear = fields.filter((field) => field.type === type).length === 1;
    return typeof value === "number" ? [{ type, name, value, before: isClear ? 0 : Infinity }] : [];
  });
  nameEnums(fields, named);
  return new Map(
    fields.flatMap(({ name, enumValues }) => (enumValues === undefined ? [] : [[name, enumValues] as const])),
  );
}

function toEnum(fields: readonly Member[] | undefined): Record<number, string> | undefined {
  if (fields === undefined) return undefined;
  const entries = fields.flatMap(({ name, value }) => (typeof value === "number" ? [[value, name] as const] : []));
  return entries.length > 0 ? Object.fromEntries(entries.slice(0, 512)) : undefined;
}
