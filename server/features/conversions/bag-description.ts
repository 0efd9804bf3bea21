import { withoutCompression } from "@/domain/recordings/file-names";
import { quoted } from "@/engine/formats/recording-error";

/** Bytes of a description that are read. */
export const maxDescriptionBytes = 4 * 1024 * 1024;
const maxLineLength = 4_096;
const maxFiles = 10_000;
const maxNamed = 3;

/** What rosbag2 said in its `metadata.yaml`. Its times and sizes are not used, because the files are measured. */
export interface BagDescription {
  /** The files that it names, as they are named. */
  files: string[];
  /** By the name of a file without its folder and compression: how many messages it has. */
  messageCounts: Map<string, number>;
  /** How its files or messages are compressed; empty for not at all. */
  compression: string;
}

const toName = (path: string): string => withoutCompression(path.slice(path.lastIndexOf("/") + 1));

/** A plain value of one line, or one in quotes without escapes. */
const toValue = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;

/**
 * The description in a `metadata.yaml`; null for other files of that name. Reads line by line the form that rosbag2 writes
 * and no other YAML: parsers of all of it can be made to use any amount of memory.
 */
export function parseBagDescription(text: string): BagDescription | null {
  const found: BagDescription = { files: [], messageCounts: new Map(), compression: "" };
  let isDescription = false;
  /** The member of the description that a line is in, and the file of `files` that it is of. */
  let member = "";
  let file = "";
  for (const line of text.split("\n", 1_000_000)) {
    if (line.length > maxLineLength) continue;
    const [, indent = "", dash, key, rest = ""] = /^( *)(- +)?(?:(\w+):(?: +|$))?(.*)$/.exec(line.trimEnd()) ?? [];
    const value = toValue(rest.trim());
    if (indent === "" && dash === undefined && key !== undefined) isDescription = key === "rosbag2_bagfile_information";
    if (!isDescription) continue;
    if (indent.length === 2 && dash === undefined && key !== undefined) {
      member = key;
      if (key === "compression_format") found.compression = value;
    } else if (member === "relative_file_paths" && dash !== undefined && value !== "") {
      if (found.files.length < maxFiles) found.files.push(value);
    } else if (member === "files") {
      if (key === "path") file = toName(value);
      if (key === "message_count" && /^\d{1,15}$/.test(value) && found.messageCounts.size < maxFiles) {
        found.messageCounts.set(file, Number(value));
      }
    }
  }
  return member === "" ? null : found;
}

/** What does not fit between a description and the files uploaded with it, one line each. `name`: of the description. */
export function describeMismatch(
  name: string,
  { files, compression }: BagDescription,
  uploaded: readonly string[],
): string[] {
  const known = new Set(uploaded.map(toName));
  const missing = files.filter((file) => !known.has(toName(file)));
  const warnings: string[] = [];
  if (missing.length > 0) {
    const shown = missing.slice(0, maxNamed).map((file) => quoted(file));
    const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : "";
    warnings.push(`${name} names files that were not uploaded: ${shown.join(", ")}${more}.`);
  }
  if (compression !== "" && compression !== "zstd") {
    warnings.push(`${name} names a compression that is not read: ${quoted(compression)}.`);
  }
  return warnings;
}
