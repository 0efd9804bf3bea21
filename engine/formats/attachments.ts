import {
  Malformed,
  Op,
  readAttachmentHead,
  readMetadata,
  readMetadataName,
  RECORD_HEAD,
} from "@/engine/formats/mcap-records";
import type { ReadAhead } from "@/engine/formats/read-ahead";
import { cutText } from "@/engine/formats/recording-error";

/** A file (`attachment`) or a set of texts (`metadata`) that a recorder wrote beside the messages. */
export interface Attachment {
  kind: "attachment" | "metadata";
  /** The `id` of the byte source that holds it. */
  file: string | null;
  name: string;
  /** Of attachments as their recorder gave it; empty for metadata. */
  mediaType: string;
  /** Nanoseconds since the epoch; null for metadata. */
  logTime: bigint | null;
  createTime: bigint | null;
  /** Where its bytes lie in the file: of metadata the body of the record. */
  offset: number;
  length: number;
  /** The texts of metadata; null for attachments. */
  values: Record<string, string> | null;
  /** Some of `values` were cut or left out. */
  truncated: boolean;
}

/** Attachments and metadata records of one file or recording, and how many more there are than are listed. */
export interface AttachmentList {
  listed: Attachment[];
  unlisted: number;
  /** Of the values listed. */
  characters: number;
}

export const emptyAttachments = (): AttachmentList => ({ listed: [], unlisted: 0, characters: 0 });

const maxListed = 1_000;
/** Characters of the values of all metadata records together; the rest is only in the downloads. */
const maxValues = 256 * 1024;
const maxNameLength = 256;
const maxKeys = 200;
const maxValueLength = 4_096;
/** The fields before an attachment's bytes, and a metadata record's name. */
const headBytes = 16 * 1024;
/** The largest metadata record that is taken apart. */
const maxMetadataBytes = 4 * 1024 * 1024;

/** Reads one attachment or metadata record outside the chunks, at most its head and `maxMetadataBytes`. */
export async function addAttachment(
  list: AttachmentList,
  source: ReadAhead,
  warn: (text: string) => void,
  record: { op: number; at: number; length: number },
): Promise<void> {
  if (list.listed.length >= maxListed) {
    list.unlisted += 1;
    return;
  }
  const { op, length } = record;
  const body = record.at + RECORD_HEAD;
  if (op === Op.Attachment) {
    const head = readAttachmentHead(await source.read(body, Math.min(length, headBytes)));
    if (head.bodyOffset + head.length > length) throw new Malformed("an attachment is longer than its record");
    list.listed.push({
      kind: "attachment",
      file: source.id,
      name: cutText(head.name, maxNameLength),
      mediaType: cutText(head.mediaType, maxNameLength),
      logTime: head.logTime,
      createTime: head.createTime,
      offset: body + head.bodyOffset,
      length: head.length,
      values: null,
      truncated: false,
    });
    return;
  }
  if (length > maxMetadataBytes) {
    warn("Metadata records of more than 4 MiB were left out.");
    return;
  }
  const left = maxValues - list.characters;
  const complete = left > 0;
  const bytes = await source.read(body, complete ? length : Math.min(length, headBytes));
  const { name, metadata } = complete ? readMetadata(bytes) : { name: readMetadataName(bytes), metadata: [] };
  const { values, truncated } = cutValues(metadata, left);
  list.characters += countCharacters(values);
  list.listed.push({
    kind: "metadata",
    file: source.id,
    name: cutText(name, maxNameLength),
    mediaType: "",
    logTime: null,
    createTime: null,
    offset: body,
    length,
    values,
    truncated: truncated || !complete,
  });
}

/** The lists of a recording's files as one, within the limits of a single one; more is counted in a warning. */
export function joinAttachments(lists: readonly AttachmentList[], warn: (text: string) => void): Attachment[] {
  const all = lists.flatMap((list) => list.listed);
  const left = Math.max(0, all.length - maxListed) + lists.reduce((sum, list) => sum + list.unlisted, 0);
  if (left > 0) warn(`${left} attachments and metadata records beyond the first 1,000 are not listed.`);
  let characters = 0;
  return all.slice(0, maxListed).map((one) => {
    characters += countCharacters(one.values);
    return one.values === null || characters <= maxValues ? one : { ...one, values: {}, truncated: true };
  });
}

const countCharacters = (values: Attachment["values"]): number =>
  Object.entries(values ?? {}).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

function cutValues(
  metadata: readonly (readonly [string, string])[],
  characters: number,
): { values: Record<string, string>; truncated: boolean } {
  let left = characters;
  const kept: [string, string][] = [];
  let truncated = metadata.length > maxKeys;
  for (const [name, text] of metadata.slice(0, maxKeys)) {
    const key = cutText(name, maxNameLength);
    const value = cutText(text, maxValueLength);
    left -= key.length + value.length;
    // A key of this name would set the prototype of what a reader of the answer makes of it.
    const usable = left >= 0 && key !== "__proto__";
    if (usable) kept.push([key, value]);
    if (!usable || key !== name || value !== text) truncated = true;
  }
  return { values: Object.fromEntries(kept), truncated };
}
