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

/** Of one file or recording. */
export const maxListed = 1_000;
/** Characters of the values of all metadata records together; the rest is only in the downloads. */
export const maxValues = 256 * 1024;

export const countCharacters = (values: Attachment["values"]): number =>
  Object.entries(values ?? {}).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

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
