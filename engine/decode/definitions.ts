import { utf8Text } from "@/engine/bytes";
import { splitParts } from "@/engine/decode/ros-derived-names";
import { deriveTypes } from "@/engine/decode/ros-interfaces";
import { canonical, splitSections } from "@/engine/decode/ros-schema";
import { isScalarType } from "@/engine/decode/schemas/message-type";
import type { ChannelDefinition, Completer } from "@/engine/formats/channel-definition";
import { RecordingError } from "@/engine/formats/recording-error";

export type SchemaLanguage = "ros1msg" | "ros2msg" | "ros2idl";

/** What is known of types beside a recording: definitions uploaded with it, those of its organization, standard ones. */
export interface Definitions {
  /** Tells what is known apart from what was known at another time. */
  readonly id: string;
  /**
   * The text of the file that defines `package/Type`: for a type that is derived from a service or an action, that of
   * this. Null when none is known.
   */
  find(type: string, language: SchemaLanguage): string | null;
}

/** The schema of a channel. */
type Schema = Pick<ChannelDefinition, "schemaEncoding" | "schemaData">;

const maxTypes = 500;
const maxTextLength = 1024 * 1024;
/** Limit of what is read of a recording's own schemas to find what they lack, and of what is added to them. */
const maxBytes = 16 * 1024 * 1024;

const ruler = "=".repeat(80);
const ignored = new Set(["byte", "char", "wstring"]);
/** Types that need no definition. */
const builtin = new Set(["builtin_interfaces/Time", "builtin_interfaces/Duration"]);

const isBlank = (text: string): boolean => !/^[^\S\n]*(?![#\s]|\/\/)./m.test(text);
const lastName = (type: string): string => type.slice(type.lastIndexOf("/") + 1);
const getPackage = (type: string): string => type.slice(0, type.lastIndexOf("/") + 1);

/**
 * Adds to the definitions of a recording's channels what they lack: all of a type where a channel brings only its name,
 * or single types that it uses. What nobody knows stays missing, which the decoder says.
 */
export class DefinitionCompleter implements Completer {
  private readonly byText = new WeakMap<Uint8Array, Map<string, Schema | null>>();
  private readonly byName = new Map<string, Schema | null>();
  private bytes = 0;

  constructor(private readonly definitions: Definitions) {}

  get id(): string {
    return this.definitions.id;
  }

  /** The definition itself where it lacks nothing that is known. */
  complete(definition: ChannelDefinition): ChannelDefinition {
    const { messageEncoding, schemaEncoding, schemaName, schemaData } = definition;
    const languages = listLanguages(messageEncoding, schemaEncoding);
    if (languages.length === 0 || schemaName === "") return definition;
    let known = this.byName;
    if (schemaData.length > 0) {
      known = this.byText.get(schemaData) ?? new Map<string, Schema | null>();
      this.byText.set(schemaData, known);
    }
    const key = `${messageEncoding}\n${schemaEncoding}\n${schemaName}`;
    let schema = known.get(key);
    if (schema === undefined) known.set(key, (schema = this.makeSchema(definition, languages)));
    return schema === null ? definition : { ...definition, ...schema };
  }

  private makeSchema({ schemaName, schemaEncoding, schemaData }: ChannelDefinition, languages: SchemaLanguage[]) {
    this.bytes += schemaData.length;
    if (this.bytes > maxBytes || schemaData.length > maxTextLength) return null;
    const known = languages.find((language) => language === schemaEncoding);
    const text = known === undefined ? "" : utf8Text(schemaData);
    try {
      return isBlank(text) ? this.findWhole(schemaName, languages) : this.addMissing(schemaName, text, known!);
    } catch (error) {
      if (error instanceof RecordingError) return null; // the decoder says the same
      throw error;
    }
  }

  private findWhole(schemaName: string, languages: SchemaLanguage[]): Schema | null {
    for (const language of languages) {
      const text = this.find(canonical(schemaName), language);
      if (text === null) continue;
      const sections = language === "ros2idl" ? idlSection(canonical(schemaName), text) : text;
      return this.addMissing(schemaName, sections, language) ?? this.toSchema(sections, language);
    }
    return null;
  }

  private find(type: string, language: SchemaLanguage): string | null {
    const found = this.bytes > maxBytes ? null : this.definitions.find(type, language);
    this.bytes += found?.length ?? 0;
    return found;
  }

  private toSchema(text: string, language: SchemaLanguage): Schema | null {
    if (text.length > maxTextLength) return null;
    return { schemaEncoding: language, schemaData: new TextEncoder().encode(text) };
  }

  /** Null where nothing is missing that is known. */
  private addMissing(schemaName: string, text: string, language: SchemaLanguage): Schema | null {
    const added =
      language === "ros2idl" ? this.findMissingIdl(text) : this.findMissing(canonical(schemaName), text, language);
    return added.length === 0 ? null : this.toSchema([text, ...added].join("\n"), language);
  }

  private findMissing(own: string, text: string, language: SchemaLanguage): string[] {
    const names = new TypeNames();
    const queue: { name: string; lines: readonly string[] }[] = [];
    const add = (name: string, lines: readonly string[]): void => {
      const parts = splitParts(lines);
      if (parts === null) names.add(name);
      else for (const derived of deriveTypes(name, parts).keys()) names.add(derived);
      queue.push({ name, lines });
    };
    for (const [at, { name, lines }] of splitSections(text).entries()) {
      // One that is empty may be known better, and counts else.
      if (at === 0 || lines.length > 0) add(at === 0 ? own : canonical(name), lines);
    }
    const added: string[] = [];
    const asked = new Set<string>();
    for (const { name: user, lines } of queue) {
      for (const type of typesIn(lines)) {
        if (names.has(type, user)) continue;
        const wanted = type === "Header" ? "std_msgs/Header" : type.includes("/") ? type : `${getPackage(user)}${type}`;
        if (asked.has(wanted) || asked.size >= maxTypes) continue;
        asked.add(wanted);
        const found = this.find(wanted, language);
        if (found === null) continue;
        added.push(`${ruler}\nMSG: ${wanted}\n${found}`);
        add(wanted, splitSections(found)[0]?.lines ?? []);
      }
    }
    return added;
  }

  private findMissingIdl(text: string): string[] {
    const added: string[] = [];
    const asked = new Set([...text.matchAll(/^IDL: (\S+)/gm)].map(([, name = ""]) => canonical(name)));
    const queue = [text];
    for (const next of queue) {
      for (const type of typesInIdl(next)) {
        if (asked.has(type) || asked.size >= maxTypes) continue;
        asked.add(type);
        const found = definesStruct(text, type) ? null : this.find(type, "ros2idl");
        if (found === null) continue;
        added.push(idlSection(type, found));
        queue.push(found);
      }
    }
    return added;
  }
}

/** Which types a schema defines, as its parser finds them. */
class TypeNames {
  private readonly names = new Set<string>();
  private readonly byLast = new Map<string, number>();

  add(name: string): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.byLast.set(lastName(name), (this.byLast.get(lastName(name)) ?? 0) + 1);
  }

  has(type: string, user: string): boolean {
    const { names } = this;
    if (builtin.has(type) || names.has(type) || names.has(`${getPackage(user)}${type}`)) return true;
    if (type === "Header" && names.has("std_msgs/Header")) return true;
    return !type.includes("/") && this.byLast.get(type) === 1;
  }
}

/** The languages in which the definition of a channel's messages may be, those that are preferred first. */
function listLanguages(messageEncoding: string, schemaEncoding: string): SchemaLanguage[] {
  // Recorders that find no definition name its language so, or not at all.
  const isUnknown = schemaEncoding === "" || schemaEncoding === "unknown";
  if (messageEncoding === "ros1") return isUnknown || schemaEncoding === "ros1msg" ? ["ros1msg"] : [];
  if (messageEncoding !== "cdr") return [];
  return isUnknown || schemaEncoding === "ros2msg" || schemaEncoding === "ros2idl" ? ["ros2idl", "ros2msg"] : [];
}

/** The types that the fields of a definition name, other than scalars. */
function typesIn(lines: readonly string[]): Set<string> {
  const types = new Set<string>();
  for (const line of lines) {
    const [, type = ""] = /^([A-Za-z][\w/]*)/.exec(line) ?? [];
    if (type !== "" && !isScalarType(type) && !ignored.has(type)) types.add(canonical(type));
  }
  return types;
}

/** The types that an IDL file names in full. */
const typesInIdl = (text: string): Set<string> =>
  new Set([...text.matchAll(/\b(\w+)::(?:msg|srv|action)::(\w+)/g)].map(([, folder, name]) => `${folder}/${name}`));

const definesStruct = (text: string, type: string): boolean =>
  new RegExp(String.raw`\bstruct\s+${lastName(type)}\b`).test(text);

const idlSection = (type: string, text: string): string => `${ruler}\nIDL: ${type.replace("/", "/msg/")}\n${text}`;
