import { deriveTypes } from "@/engine/decode/rare-encodings";
import { adviseOn, splitParts } from "@/engine/decode/ros-derived-names";
import { isScalarType, type ScalarType, type StructType } from "@/engine/decode/schemas/message-type";
import { nameEnums, type Constant, type TextField } from "@/engine/decode/schemas/ros-enums";
import { findUnit } from "@/engine/decode/schemas/units";
import { declareWide, type WideForm, type WideType } from "@/engine/decode/schemas/wide-type";
import { quoted, RecordingError } from "@/engine/formats/recording-error";

const MAX_TEXT = 1024 * 1024;
const MAX_LINE = 4096;
const MAX_DEPTH = 32;
const MAX_TYPES = 2000;
const MAX_FIELDS = 1000;

/**
 * The two dialects of message definitions: `char` and `byte` mean different things, and time is spelled differently.
 */
export type Dialect = "ros1msg" | "ros2msg";

interface TextType {
  /** `package/Type`, or empty for the message itself. */
  name: string;
  lines: readonly string[];
}

/**
 * Reads the concatenated message definitions of ROS 1 and ROS 2 (the message itself, then, behind lines of `=`, every
 * type it needs). Unlike libraries, it retains comments (units), supports service events, takes linear time on hostile
 * text and never compiles names from the file to code. Throws a RecordingError that names the line at fault.
 */
export function parseRosSchema(text: string, schemaName: string, dialect: Dialect): StructType | WideType {
  if (text.length > MAX_TEXT) throw new RecordingError("The message definition is longer than 1 MiB.");
  const types = new Map<string, TextType>();
  const own = canonical(schemaName);
  const add = (name: string, lines: readonly string[]): void => {
    if (types.size > MAX_TYPES) throw new RecordingError("The message definition holds more than 2,000 types.");
    // The first one counts, but for one that was left empty.
    if ((types.get(name)?.lines.length ?? 0) === 0) types.set(name, { name, lines });
  };
  const [first, ...others] = splitSections(text);
  const parts = splitParts(first?.lines ?? []);
  const root = parts === null ? { name: own, lines: first?.lines ?? [] } : null;
  if (parts !== null) for (const [name, lines] of deriveTypes(own, parts)) add(name, lines);
  for (const { name, lines } of others) {
    const derivedFrom = splitParts(lines);
    if (derivedFrom === null) add(canonical(name), lines);
    else for (const [derived, its] of deriveTypes(canonical(name), derivedFrom)) add(derived, its);
  }
  // Some recorders put every definition, their own too, behind a line of `=`.
  const wanted = root === null || root.lines.length === 0 ? (types.get(own) ?? root) : root;
  if (wanted === null) {
    const kind = parts?.length === 2 ? "a service" : "an action";
    throw new RecordingError(`The definition is that of ${kind}, which has no type ${quoted(schemaName)}.`);
  }
  const build = (form: WideForm | null) => resolve(wanted, types, dialect, form);
  const { type, isWide } = build(dialect === "ros1msg" ? null : "text");
  return isWide ? { text: type, two: build("two").type, four: build("four").type } : type;
}

/**
 * Checks a file that defines a ROS 2 message, service or action. Throws a RecordingError that names the line at fault, or
 * what is missing.
 */
export function checkRos2File(text: string, format: "msg" | "srv" | "action"): void {
  const [own, ...others] = splitSections(text);
  if (others.length > 0) throw new RecordingError("The file holds more than one message definition.");
  const parts = splitParts(own?.lines ?? []) ?? [own?.lines ?? []];
  const wanted = { msg: 1, srv: 2, action: 3 }[format];
  if (parts.length !== wanted && format === "msg")
    throw new RecordingError("The definition is that of a service or an action, not of a message.");
  if (parts.length !== wanted)
    throw new RecordingError(`A .${format} file has ${wanted} parts with lines of --- between them.`);
  for (const lines of parts) readLines(lines, "ros2msg");
}

const sectionHead = /^(MSG|SRV|ACTION):/;

/** The definitions in a schema, without comments; the first is that of the message itself. */
export function splitSections(text: string): { name: string; lines: string[] }[] {
  const sections = [{ name: "", lines: [] as string[] }];
  for (const raw of text.split("\n")) {
    if (raw.length > MAX_LINE)
      throw new RecordingError("The message definition has a line of more than 4,096 characters.");
    const line = raw.trim();
    if (line.startsWith("==")) sections.push({ name: "", lines: [] });
    else if (sectionHead.test(line))
      sections.at(-1)!.name = line
        .slice(line.indexOf(":") + 1)
        .split("#", 1)[0]!
        .trim();
    else if (line !== "" && !line.startsWith("#")) sections.at(-1)!.lines.push(line);
  }
  return sections;
}

/** `pkg/msg/Type` and `pkg/Type` are the same type. */
export const canonical = (name: string): string => name.replace(/\/(msg|srv|action)\//, "/");

// type, string bound, array, name, then a constant's value, a comment, or (apart from the name) a default value
const LINE =
  /^([A-Za-z][\w/]*)(?:<=\d{1,10})?(?:\s*\[\s*(<=\s*)?(\d{0,10})\s*\])?\s+([A-Za-z_]\w*)(?:\s*([=#].*)|\s+(.*))?$/;

function readLines(lines: readonly string[], dialect: Dialect): TextField[] {
  const fields: TextField[] = [];
  const constants: Constant[] = [];
  for (const line of lines) {
    const match = LINE.exec(line);
    if (match === null || (match[6] !== undefined && dialect === "ros1msg")) {
      throw new RecordingError(`The message definition has a line that cannot be read: ${quoted(line, 60)}.`);
    }
    const [, type = "", bound, length, name = "", tail, initial = ""] = match;
    const rest = tail ?? initial;
    if (rest.startsWith("=")) {
      const value = Number(rest.slice(1).split("#", 1)[0]!.trim());
      constants.push({ type, name, value, before: fields.length });
      continue;
    }
    const fixed = length !== undefined && length !== "" && bound === undefined;
    const comment = rest.includes("#") ? rest.slice(rest.indexOf("#") + 1) : "";
    fields.push({
      type,
      name,
      array: length === undefined ? null : { length: fixed ? Number(length) : null },
      unit: findUnit(name, comment),
      alias: (dialect === "ros1msg" ? ROS1_NAMES : ROS2_NAMES).get(type),
    });
  }
  if (fields.length > MAX_FIELDS)
    throw new RecordingError("A type of the message definition has more than 1,000 fields.");
  nameEnums(fields, constants);
  return fields;
}

const ROS1_NAMES = new Map<string, ScalarType>([
  ["char", "uint8"],
  ["byte", "int8"],
]);
const ROS2_NAMES = new Map<string, ScalarType>([
  ["char", "uint8"],
  ["byte", "uint8"],
  ["builtin_interfaces/Time", "time"],
  ["builtin_interfaces/msg/Time", "time"],
  ["builtin_interfaces/Duration", "duration"],
  ["builtin_interfaces/msg/Duration", "duration"],
]);

/** The type of a message, and whether it has texts of wide characters, which are declared in a form; null where there are none. */
function resolve(
  root: TextType,
  types: ReadonlyMap<string, TextType>,
  dialect: Dialect,
  form: WideForm | null,
): { type: StructType; isWide: boolean } {
  let isWide = false;
  const byLastName = new Map<string, TextType | null>();
  for (const type of types.values()) {
    const last = type.name.slice(type.name.lastIndexOf("/") + 1);
    byLastName.set(last, byLastName.has(last) ? null : type);
  }
  const done = new Map<TextType, StructType>();
  const open = new Set<TextType>();
  const find = (name: string, from: TextType): TextType => {
    const full = canonical(name);
    const near = `${from.name.slice(0, from.name.lastIndexOf("/") + 1)}${full}`;
    const header = full === "Header" ? types.get("std_msgs/Header") : undefined;
    const found = types.get(full) ?? header ?? types.get(near) ?? (full.includes("/") ? null : byLastName.get(full));
    if (found == null) {
      const type = name.includes("/") ? name : near;
      throw new RecordingError(`The message definition does not define the type ${quoted(name)}. ${adviseOn(type)}`);
    }
    return found;
  };
  const build = (type: TextType): StructType => {
    const known = done.get(type);
    if (known !== undefined) return known;
    if (open.has(type)) throw new RecordingError(`The type ${quoted(type.name)} contains itself.`);
    if (open.size > MAX_DEPTH)
      throw new RecordingError(`The message definition nests its types more than ${MAX_DEPTH} levels deep.`);
    open.add(type);
    const fields = readLines(type.lines, dialect).map(({ type: name, alias, array, unit, enumValues, name: field }) => {
      const wide = form !== null && name === "wstring" ? declareWide(form, array) : null;
      isWide ||= wide !== null;
      const scalar = alias ?? (isScalarType(name) ? name : null);
      return {
        name: field,
        ...(wide ?? { type: scalar ?? build(find(name, type)), array }),
        ...(unit === undefined ? {} : { unit }),
        ...(enumValues === undefined ? {} : { enumValues }),
      };
    });
    open.delete(type);
    const built = { name: type.name, fields };
    done.set(type, built);
    return built;
  };
  const type = build(root);
  return { type, isWide };
}
