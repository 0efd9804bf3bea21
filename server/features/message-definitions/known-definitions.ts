import { ros1, ros2galactic, ros2humble, ros2iron, ros2jazzy } from "@foxglove/rosmsg-msgs-common";
import { getDefinitionFormat, toTypeName, type DefinitionFormat } from "@/domain/message-definitions/type-name";
import type { Definitions, SchemaLanguage } from "@/engine/decode/definitions";
import { splitDerivedName } from "@/engine/decode/ros-derived-names";

/** A file that defines types. */
export interface DefinitionFile {
  path: string;
  text: string;
}

type MessageDefinition = (typeof ros2humble)[keyof typeof ros2humble];
type Standard = Readonly<Record<string, MessageDefinition>>;

const maxTextLength = 1024 * 1024;
const standardOfRos2: Standard = {
  ...ros2galactic,
  ...ros2iron,
  ...ros2jazzy,
  // The last one without definitions in its files.
  ...ros2humble,
};
const standardOfRos1: Standard = ros1;

const builtin = new Map([
  ["time", "builtin_interfaces/Time"],
  ["duration", "builtin_interfaces/Duration"],
]);

/** The lines of a standard message. Defaults are left out: they mean nothing to a reader. */
function toText({ definitions }: MessageDefinition, language: SchemaLanguage): string {
  const lines = definitions.map((field) => {
    const type = (language === "ros1msg" ? undefined : builtin.get(field.type)) ?? field.type;
    if (field.isConstant) return `${type} ${field.name}=${field.valueText ?? String(field.value)}`;
    const bound = field.arrayLength ?? (field.arrayUpperBound === undefined ? "" : `<=${field.arrayUpperBound}`);
    return `${type}${field.isArray ? `[${bound}]` : ""} ${field.name}`;
  });
  return lines.join("\n");
}

const lastName = (type: string): string => type.slice(type.lastIndexOf("/") + 1);

/** Texts by the format of their files, and by type. */
type Texts = Record<DefinitionFormat, Map<string, string>>;

function collect(files: readonly DefinitionFile[]): Texts {
  const texts: Texts = { msg: new Map(), srv: new Map(), action: new Map(), idl: new Map() };
  for (const { path, text } of files) {
    const format = getDefinitionFormat(path);
    if (format !== null && text.length <= maxTextLength) texts[format].set(toTypeName(path), text);
  }
  return texts;
}

/** A folder may be named differently from its package: what counts then is that the name is unique. */
function byLastName(texts: ReadonlyMap<string, string>, type: string): string | undefined {
  const found = [...texts].filter(([name]) => lastName(name) === lastName(type));
  return found.length === 1 ? found[0]?.[1] : undefined;
}

const definesStruct = (text: string, type: string): boolean =>
  new RegExp(String.raw`\bstruct\s+${lastName(type)}\b`).test(text);

/**
 * What is known of types beside a recording now: files uploaded with it, then those kept for the organization, then the
 * standard messages of ROS. Remembers what was found.
 */
export class KnownDefinitions implements Definitions {
  readonly id = "now";
  /** What `find` returned other than null, by language and type. */
  readonly found: Record<string, string> = {};
  private readonly uploaded: Texts;
  private readonly kept: Texts;

  constructor(uploaded: readonly DefinitionFile[], kept: readonly DefinitionFile[] = []) {
    this.uploaded = collect(uploaded);
    this.kept = collect(kept);
  }

  find(type: string, language: SchemaLanguage): string | null {
    const text = this.search(type, language);
    if (text === undefined) return null;
    this.found[toKey(type, language)] = text;
    return text;
  }

  private search(type: string, language: SchemaLanguage): string | undefined {
    const derived = /^[\w/]+$/.test(type) ? splitDerivedName(type) : null;
    if (language === "ros2idl") {
      const whole = derived === null ? undefined : this.own(derived.stem, "idl", language);
      return this.own(type, "idl", language) ?? (whole && definesStruct(whole, type) ? whole : undefined);
    }
    const text = this.own(type, "msg", language);
    if (text !== undefined || derived === null) return text;
    return this.own(derived.stem, derived.kind === "service" ? "srv" : "action", language);
  }

  /**
   * The text of a type's own file. An uploaded file outside a package's folder counts for any package; one in a folder of
   * another name where no standard message has the name.
   */
  private own(type: string, format: DefinitionFormat, language: SchemaLanguage): string | undefined {
    const uploaded = this.uploaded[format];
    const near = uploaded.get(type) ?? uploaded.get(lastName(type)) ?? this.kept[format].get(type);
    if (near !== undefined) return near;
    const standard = language === "ros1msg" ? standardOfRos1 : standardOfRos2;
    const known = Object.hasOwn(standard, type) ? standard[type] : undefined;
    if (known === undefined) return byLastName(uploaded, type);
    return format === "msg" ? toText(known, language) : undefined;
  }
}

const toKey = (type: string, language: SchemaLanguage): string => `${language} ${type}`;

/** What was found when a recording was processed; nothing else is known. `id`: of these. */
export const storedDefinitions = (found: ReadonlyMap<string, string>, id: string): Definitions => ({
  id,
  find: (type, language) => found.get(toKey(type, language)) ?? null,
});
