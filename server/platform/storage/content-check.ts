import { ObjectMissing, type ObjectStore } from "@/server/platform/storage/store";
import { TagCheck, type TaggedFile, type TagThread } from "@/server/platform/storage/tag-check";

/** Handing a file over takes longer than to read this many bytes of it. */
const leastHandedOver = 1024 * 1024;

/**
 * `unverifiable`: the tag does not follow from the bytes (some encryption of S3, stores other than S3), or from parts of
 * a size that we do not know.
 */
export type Content = "intact" | "damaged" | "missing" | "unverifiable";

/** A file as its rows describe it; null where they do not. */
export interface Recorded {
  key: string;
  etag: string | null;
  sizeBytes: number | null;
}

interface CheckOptions {
  trusted?: boolean;
  signal?: AbortSignal;
  thread?: TagThread;
}

/**
 * Compares a stored file with its record. Reads its bytes, unless `trusted`: then the tag that the store has now is
 * enough, because a bucket checks its bytes itself. A large file on the disk is read by `thread`, if there is one.
 */
export async function checkContent(
  store: Pick<ObjectStore, "head" | "open" | "read">,
  { key, etag, sizeBytes }: Recorded,
  { trusted = false, signal, thread }: CheckOptions = {},
): Promise<Content> {
  try {
    const stored = await store.head(key);
    if (!stored) return "missing";
    if (sizeBytes !== null && stored.sizeBytes !== sizeBytes) return "damaged";
    const recorded = etag ?? stored.etag;
    if (trusted && recorded === stored.etag) return "intact";
    const tagged = { etag: recorded, sizeBytes: stored.sizeBytes };
    let matches: Awaited<ReturnType<TagThread["compare"]>> = "ended";
    if (thread && stored.sizeBytes >= leastHandedOver) matches = await compareThere(store, key, tagged, thread, signal);
    if (matches === "ended") matches = await compareHere(store, key, tagged, signal);
    if (matches) return "intact";
    return matches === null || stored.opaque ? "unverifiable" : "damaged";
  } catch (error) {
    if (error instanceof ObjectMissing) return "missing";
    throw error;
  }
}

type Tagged = Omit<TaggedFile, "descriptor">;

async function compareHere(
  store: Pick<ObjectStore, "read">,
  key: string,
  { etag, sizeBytes }: Tagged,
  signal: AbortSignal | undefined,
): Promise<boolean | null> {
  const check = new TagCheck(etag, sizeBytes);
  for await (const chunk of await store.read(key)) {
    signal?.throwIfAborted();
    check.update(chunk);
  }
  return check.matches();
}

/** "ended" also for what is not a file of this machine. */
async function compareThere(
  store: Pick<ObjectStore, "open">,
  key: string,
  tagged: Tagged,
  thread: TagThread,
  signal: AbortSignal | undefined,
): Promise<boolean | null | "ended"> {
  const object = await store.open(key);
  try {
    const { descriptor } = object;
    return descriptor === undefined ? "ended" : await thread.compare({ ...tagged, descriptor }, signal);
  } finally {
    await object.close();
  }
}
