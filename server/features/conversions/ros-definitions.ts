import { ros2galactic, ros2humble, ros2iron, ros2jazzy } from "@foxglove/rosmsg-msgs-common";
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

/** `pkg/Type` of `…/pkg/msg/Type.msg`; `Type` alone for a file outside a package's folder. */
function toTypeName(path: string): string {
  const parts = path.replace(/\.(msg|idl)$/i, "").split(/[/\\]/);
  const folder = parts.at(-2) === "msg" ? parts.at(-3) : parts.at(-2);
  const name = parts.at(-1) ?? "";
  return folder === undefined || folder === "" ? name : `${folder}/${name}`;
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

/**
 * The definitions of messages in files without any: those uploaded beside them, then the standard messages of ROS 2.
 */
export class RosDefinitions {
  private readonly texts = new Map<string, string>();
  private readonly idl = new Map<string, string>();

  constructor(files: readonly DefinitionFile[]) {
    for (const { path, text } of files) {
      const known = path.toLowerCase().endsWith(".idl") ? this.idl : this.texts;
      if (text.length <= maxTextLength) known.set(toTypeName(path), text);
    }
  }

  /** The text of a type's own definition; a file outside a package's folder counts for any package. */
  private own(type: string): string | undefined {
    const uploaded = this.texts.get(type) ?? this.texts.get(lastName(type)) ?? this.byLastName(this.texts, type);
    if (uploaded !== undefined) return uploaded;
    const known = Object.hasOwn(standard, type) ? standard[type] : undefined;
    return known && toText(known);
  }

  /** A folder may be named differently from its package: what counts then is that the name is unique. */
  private byLastName(texts: ReadonlyMap<string, string>, type: string): string | undefined {
    if (Object.hasOwn(standard, type)) return undefined;
    const found = [...texts].filter(([name]) => lastName(name) === lastName(type));
    return found.length === 1 ? found[0]?.[1] : undefined;
  }

  /** The definition of `pkg/msg/Type` with those it needs; null when it is not known. */
  find(name: string): SchemaText | null {
    const root = canonical(name);
    const idl = this.idl.get(root) ?? this.idl.get(lastName(root)) ?? this.byLastName(this.idl, root);
    if (idl !== undefined) return { encoding: "ros2idl", text: this.joinIdl(root, idl) };
    const text = this.own(root);
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
        const found = this.own(full);
        if (found === undefined) continue; // the decoder names the type that is missing
        sections.push(`${"=".repeat(80)}\nMSG: ${full}\n${found}`);
        queue.push({ type: full, text: found });
      }
    }
    return { encoding: "ros2msg", text: sections.join("\n") };
  }

  private joinIdl(root: string, text: string): string {
    const section = (type: string, body: string): string =>
      `${"=".repeat(80)}\nIDL: ${type.replace("/", "/msg/")}\n${body}`;
    const others = [...this.idl].filter(([, body]) => body !== text).map(([type, body]) => section(type, body));
    return [section(root, text), ...others].join("\n");
  }
}
