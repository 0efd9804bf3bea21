import { createHash } from "node:crypto";
import { ros2galactic, ros2humble, ros2iron, ros2jazzy } from "@foxglove/rosmsg-msgs-common";
import { getDefinitionFormat, toTypeName } from "@/domain/message-definitions/type-name";
import { isScalarType } from "@/engine/decode/message-type";

/** A definition with all the types it needs, as MCAP stores it. */
export interface SchemaText {
  encoding: "ros2msg" | "ros2idl";
  text: string;
}

/** A `.msg` or `.idl` file of a recording. */
export interface DefinitionFile {
  path: string;
  text: string;
}

type MessageDefinition = (typeof ros2humble)[keyof typeof ros2humble];

const maxTypes = 500;
const maxTextLength = 1024 * 1024;
const standard: Readonly<Record<string, MessageDefinition>> = {
  ...ros2galactic,
  ...ros2iron,
  ...ros2jazzy,
  // The last one without definitions in its files.
  ...ros2humble,
};

/** `pkg/msg/Type` and `pkg/Type` are the same type. */
const canonical = (name: string): string => name.replace(/\/(msg|srv|action)\//, "/");
const builtin = new Map([
  ["time", "builtin_interfaces/Time"],
  ["duration", "builtin_interfaces/Duration"],
]);

/** The lines of a standard message. Defaults are left out: they mean nothing to a reader. */
function toText({ definitions }: MessageDefinition): string {
  const lines = definitions.map((field) => {
    const type = builtin.get(field.type) ?? field.type;
    if (field.isConstant) return `${type} ${field.name}=${field.valueText ?? String(field.value)}`;
    const bound = field.arrayLength ?? (field.arrayUpperBound === undefined ? "" : `<=${field.arrayUpperBound}`);
    return `${type}${field.isArray ? `[${bound}]` : ""} ${field.name}`;
  });
  return lines.join("\n");
}

const lastName = (type: string): string => type.slice(type.lastIndexOf("/") + 1);

/** The types that the fields of a definition name, other than scalars. */
function typesIn(text: string): Set<string> {
  const types = new Set<string>();
  for (const line of text.split("\n")) {
    const [, type = ""] = /^\s*([A-Za-z][\w/]*)/.exec(line) ?? [];
    if (type !== "" && !isScalarType(type) && !["byte", "char", "wstring"].includes(type)) types.add(canonical(type));
  }
  return types;
}

type Texts = Map<string, string>;

/** A folder may be named differently from its package: what counts then is that the name is unique. */
function byLastName(texts: Texts, type: string): string | undefined {
  const found = [...texts].filter(([name]) => lastName(name) === lastName(type));
  return found.length === 1 ? found[0]?.[1] : undefined;
}

/** The types that an IDL file names in full. */
const typesInIdl = (text: string): Set<string> =>
  new Set([...text.matchAll(/\b(\w+)::(?:msg|srv|action)::(\w+)/g)].map(([, folder, name]) => `${folder}/${name}`));

const idlSection = (type: string, text: string): string =>
  `${"=".repeat(80)}\nIDL: ${type.replace("/", "/msg/")}\n${text}`;

/**
 * The definitions of messages in files without any: those uploaded beside them, then those kept for the organization,
 * then the standard messages of ROS 2.
 */
export class RosDefinitions {
  private readonly uploaded = { msg: new Map<string, string>(), idl: new Map<string, string>() };
  /** By type, a digest of what `find` returned; null for types that are not known. */
  readonly found: Record<string, string | null> = {};
  private readonly kept = { msg: new Map<string, string>(), idl: new Map<string, string>() };

  constructor(uploaded: readonly DefinitionFile[], kept: readonly DefinitionFile[] = []) {
    for (const { path, text } of uploaded) {
      const format = getDefinitionFormat(path);
      if (format !== null && text.length <= maxTextLength) this.uploaded[format].set(toTypeName(path), text);
    }
    for (const { path, text } of kept) this.kept[getDefinitionFormat(path) ?? "msg"].set(toTypeName(path), text);
  }

  /**
   * The text of a type's own definition. An uploaded file outside a package's folder counts for any package; one in a
   * folder of another name where no standard message has the name.
   */
  private own(type: string, format: "msg" | "idl"): string | undefined {
    const uploaded = this.uploaded[format];
    const near = uploaded.get(type) ?? uploaded.get(lastName(type));
    if (near !== undefined) return near;
    if (this.kept[format].has(type)) return this.kept[format].get(type);
    const known = Object.hasOwn(standard, type) ? standard[type] : undefined;
    if (known === undefined) return byLastName(uploaded, type);
    return format === "msg" ? toText(known) : undefined;
  }

  /** The definition of `pkg/msg/Type` with those it needs; null when it is not known. */
  find(name: string): SchemaText | null {
    const found = this.join(name);
    this.found[name] = found && createHash("sha256").update(found.text).digest("base64url").slice(0, 22);
    return found;
  }

  private join(name: string): SchemaText | null {
    const root = canonical(name);
    const idl = this.own(root, "idl");
    if (idl !== undefined) return { encoding: "ros2idl", text: this.joinIdl(root, idl) };
    const text = this.own(root, "msg");
    if (text === undefined) return null;
    const sections = [text];
    const seen = new Set([root]);
    const queue = [{ type: root, text }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const near = next.type.slice(0, next.type.lastIndexOf("/") + 1);
      for (const named of typesIn(next.text)) {
        const full = named === "Header" ? "std_msgs/Header" : named.includes("/") ? named : `${near}${named}`;
        if (seen.has(full) || seen.size > maxTypes) continue;
        seen.add(full);
        const found = this.own(full, "msg");
        if (found === undefined) continue; // the decoder names the type that is missing
        sections.push(`${"=".repeat(80)}\nMSG: ${full}\n${found}`);
        queue.push({ type: full, text: found });
      }
    }
    return { encoding: "ros2msg", text: sections.join("\n") };
  }

  /** The file of a type with those of all types that they name. */
  private joinIdl(root: string, text: string): string {
    const sections = new Map([[root, idlSection(root, text)]]);
    const queue = [text];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const type of typesInIdl(next)) {
        const found = sections.has(type) || sections.size > maxTypes ? undefined : this.own(type, "idl");
        if (found === undefined) continue;
        sections.set(type, idlSection(type, found));
        queue.push(found);
      }
    }
    return [...sections.values()].join("\n");
  }
}
