import { countCharacters, maxListed, maxValues, type AttachmentList } from "@/engine/formats/attachment";
import {
  Malformed,
  Op,
  readAttachmentHead,
  readMetadata,
  readMetadataName,
  RECORD_HEAD,
} from "@/engine/formats/mcap/mcap-records";
import type { ReadAhead } from "@/engine/formats/read-ahead";
import { cutText } from "@/engine/formats/recording-error";

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
