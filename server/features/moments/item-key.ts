import { createHash } from "node:crypto";

/** What frames of pictures and clouds are called; `extensions` is what a key may end with. */
const extensions = ["jpg", "png", "webp", "pcd"] as const;
export type Extension = (typeof extensions)[number];

/** Characters of a topic in a key: an index holds at most 2,704 bytes of it. */
const maxTopicLength = 400;

function toFolder(topic: string): string {
  const name = topic.replace(/^\/+/, "");
  if (name.length <= maxTopicLength) return name || "topic";
  return `${name.slice(0, maxTopicLength)}-${createHash("sha256").update(topic).digest("hex").slice(0, 16)}`;
}

/** The key of a frame without its extension: one item for each recording, topic and time, however often it is added. */
export const frameKey = (recordingId: string, topic: string, time: bigint): string =>
  `${recordingId}/${toFolder(topic)}/${time}`;

/** The key of a clip. */
export const clipKey = (recordingId: string, { from, to }: { from: bigint; to: bigint }): string =>
  `${recordingId}/clip/${from}-${to}.mcap`;

/** The keys that a frame may have in a dataset. */
export const possibleKeys = (base: string): string[] => extensions.map((extension) => `${base}.${extension}`);

/** The key without its extension. */
export const baseOfKey = (key: string): string => key.slice(0, key.lastIndexOf("."));

/** Where the file of an item is stored below its dataset's prefix: again the same for an attempt that comes again. */
export const storageName = (momentId: string, key: string): string =>
  `${momentId}/${createHash("sha256").update(key).digest("hex").slice(0, 40)}`;
