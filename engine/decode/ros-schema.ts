import { isScalarType, type ScalarType, type StructType } from "@/engine/decode/message-type";
import { nameEnums, type Constant, type TextField } from "@/engine/decode/ros-enums";
import { findUnit } from "@/engine/decode/units";
import { declareWide, type WideForm, type WideType } from "@/engine/decode/wide-type";
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
  fields: TextField[];
}

/**
 * Reads the concatenated message definitions of ROS 1 and ROS 2 (the message itself, then, behind lines of `=`, every
 * type it needs). Unlike libraries, it retains comments (units), supports service events, takes linear time on hostile
 * text and never compiles names from the file to code. Throws a RecordingError that names the line at fault.
 */
export function parseRosSchema(text: string, schemaName: string, dialect: Dialect): StructType | WideType {
  if (text.length > MAX_TEXT) throw new RecordingError("The message definition is longer than 1 MiB.");
  const types = new Map<string, TextType>();
  let root: TextType | null = null;
  for (const section of splitSections(text)) {
    const parts = section.lines.some((line) => line === "---") ? splitService(section.lines) : null;
    if (root === null) {
      const own = canonical(schemaName);
      root =
        parts === null ? { name: own, fields: readLines(section.lines, dialect) } : service(parts, own, dialect, types);
    } else if (parts === null) {
      const name = canonical(section.name);
      if (types.size > MAX_TYPES) throw new RecordingError("The message definition holds more than 2,000 types.");
      if (!types.has(name)) types.set(name, { name, fields: readLines(section.lines, dialect) });
    }
  }
  if (root === null) throw new RecordingError("The message definition is empty.");
  const { type, isWide } = resolve(root, types, dialect === "ros1msg" ? null : "text");
  if (!isWide) return type;
  return { text: type, two: resolve(root, types, "two").type, four: resolve(root, types, "four").type };
}

/** Checks the lines of a ROS 2 message's own definition. Throws a RecordingError that names the line at fault. */
export function checkRos2Message(text: string): void {
  const [own, ...others] = splitSections(text);
  if (others.length > 0) throw new RecordingError("The file holds more than one message definition.");
  readLines(own?.lines ?? [], "ros2msg");
}

function splitSections(text: string): { name: string; lines: string[] }[] {
  const sections = [{ name: "", lines: [] as string[] }];
  for (const raw of text.split("\n")) {
    if (raw.length > MAX_LINE)
      throw new RecordingError("The message definition has a line of more than 4,096 characters.");
    const line = raw.trim();
    if (line.startsWith("==")) sections.push({ name: "", lines: [] });
    else if (line.startsWith("MSG:")) sections.at(-1)!.name = line.slice(4).split("#", 1)[0]!.trim();
    else if (line !== "" && !line.startsWith("#")) sections.at(-1)!.lines.push(line);
  }
  return sections;
}

/** `pkg/msg/Type` and `pkg/Type` are the same type. */
function canonical(name: string): string {
  return name.replace(/\/(msg|srv|action)\//, "/");
}

function splitService(lines: string[]): [string[], string[]] {
  const at = lines.indexOf("---");
  return [lines.slice(0, at), lines.slice(at + 1).filter((line) => line !== "---")];
}

const SERVICE_INFO = [
  "uint8 REQUEST_SENT=0",
  "uint8 REQUEST_RECEIVED=1",
  "uint8 RESPONSE_SENT=2",
  "uint8 RESPONSE_RECEIVED=3",
  "uint8 event_type",
  "builtin_interfaces/Time stamp",
  "char[16] client_gid",
  "int64 sequence_number",
];

/** ROS 2 records service events with the text of the service; the event type around it is implied. */
function service(parts: [string[], string[]], name: string, dialect: Dialect, types: Map<string, TextType>): TextType {
  const [request, response] = parts;
  if (name.endsWith("_Request")) return { name, fields: readLines(request, dialect) };
  if (name.endsWith("_Response")) return { name, fields: readLines(response, dialect) };
  if (!name.endsWith("_Event")) throw new RecordingError("The definition is that of a service, not of a message.");
  const stem = name.slice(0, -"_Event".length);
  const info = "service_msgs/ServiceEventInfo";
  types.set(info, { name: info, fields: readLines(SERVICE_INFO, dialect) });
  types.set(`${stem}_Request`, { name: `${stem}_Request`, fields: readLines(request, dialect) });
  types.set(`${stem}_Response`, { name: `${stem}_Response`, fields: readLines(response, dialect) });
  const lines = [`${info} info`, `${stem}_Request[<=1] request`, `${stem}_Response[<=1] response`];
  return { name, fields: readLines(lines, dialect) };
}

// type, string bound, array, name, then a constant's value, a comment, or (apart from the name) a default value
const LINE =
  /^([A-Za-z][\w/]*)(?:<=\d{1,10})?(?:\s*\[\s*(<=\s*)?(\d{0,10})\s*\])?\s+([A-Za-z_]\w*)(?:\s*([=#].*)|\s+(.*))?$/;

function readLines(lines: string[], dialect: Dialect): TextField[] {
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
  types: Map<string, TextType>,
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
    if (found == null) throw new RecordingError(`The message definition does not define the type ${quoted(name)}.`);
    return found;
  };
  const build = (type: TextType): StructType => {
    const known = done.get(type);
    if (known !== undefined) return known;
    if (open.has(type)) throw new RecordingError(`The type ${quoted(type.name)} contains itself.`);
    if (open.size > MAX_DEPTH)
      throw new RecordingError(`The message definition nests its types more than ${MAX_DEPTH} levels deep.`);
    open.add(type);
    const fields = type.fields.map(({ type: name, alias, array, unit, enumValues, name: field }) => {
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
