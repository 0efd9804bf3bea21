import path from "node:path";

const segment = "[a-z0-9][a-z0-9_-]{0,99}";
/** The signals of a topic, whose percent-encoded name other programs read. */
const signalFile = "signals/[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,199}\\.parquet";
const keyShape = new RegExp(`^${segment}(?:/${segment}){0,9}$|^(?:${segment}/){1,8}${signalFile}$`);
const prefixShape = new RegExp(`^(?:${segment}/){1,9}$`);

/**
 * Whether a text is a storage key: lower-case segments without dots, or a file of signals that begins with none, so that
 * no key can leave its folder.
 */
export const isKey = (text: string): boolean => keyShape.test(text);

/** The file of a key below `root`. Throws for anything but a storage key. */
export function pathOfKey(root: string, key: string): string {
  if (!isKey(key)) throw new Error("not a storage key");
  return path.join(root, key);
}

/** The folder of a prefix (`a/b/`) below `root`. Throws for anything but a prefix of storage keys. */
export function pathOfPrefix(root: string, prefix: string): string {
  if (!prefixShape.test(prefix)) throw new Error("not a storage prefix");
  return path.join(root, prefix);
}

/** The file that says whose store on disk it is. Not a storage key, so it is no object of anybody. */
export const markName = ".installation";

const buckets = "bucket/";

/** The prefix of keys of objects in the bucket of a storage configuration. */
export const bucketPrefix = (configUid: string): string => `${buckets}${configUid}/`;

/** Splits a key into its bucket's configuration and the key there; null for a key in the installation's own store. */
export function inBucket(key: string): { configUid: string; key: string } | null {
  if (!key.startsWith(buckets)) return null;
  const end = key.indexOf("/", buckets.length);
  return { configUid: key.slice(buckets.length, end), key: key.slice(end + 1) };
}
