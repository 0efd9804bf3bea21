import pMap from "p-map";
import { CommandError } from "@/cli/client/api-client";
import { filesFolder, type DamagedFile, type ListedFile } from "@/cli/db/format";
import type { Lines } from "@/cli/db/lines";
import type { TarWriter } from "@/cli/db/tar";
import { isKey } from "@/server/platform/storage/keys";
import type { NamedFile } from "@/server/platform/storage/named-files";
import { ObjectMissing, storeConcurrency, type ObjectStore, type StoredObject } from "@/server/platform/storage/store";
import { TagCheck } from "@/server/platform/storage/tag-check";

type Store = Pick<ObjectStore, "head" | "read">;

/** What became of the files that rows name. */
export interface AddedFiles {
  /** How many the backup holds. */
  files: number;
  /** How many an earlier backup holds. */
  earlier: number;
  /** How many it only names. */
  named: number;
  missing: string[];
  damaged: DamagedFile[];
}

interface Copying {
  named: AsyncIterable<NamedFile>;
  store: Store;
  /** Receives every file that is there. */
  list: Lines<ListedFile>;
  print: (line: string) => void;
}

const none = (): AddedFiles => ({ files: 0, earlier: 0, named: 0, missing: [], damaged: [] });

/** Adds the files to the archive of the backup `id`, but for those that `earlier` lists as they are now. */
export async function addFiles(
  { named, store, list, print }: Copying,
  tar: TarWriter,
  id: string,
  earlier: AsyncGenerator<ListedFile> | null,
): Promise<AddedFiles> {
  const added = none();
  const findEarlier = lookUp(earlier);
  for await (const { key, etag, size_bytes: size } of named) {
    const before = await findEarlier(key);
    // What was damaged may have been repaired.
    if (before && !before.damaged && (size === null || Number(size) === before.size_bytes)) {
      const now = etag ?? (isKey(key) ? ((await store.head(key))?.etag ?? null) : null);
      if (now === before.etag) {
        await list.add(before);
        added.earlier += 1;
        continue;
      }
    }
    const file = await addFile(store, tar, { key, etag });
    if (file === null) {
      added.missing.push(key);
      continue;
    }
    await list.add({ ...file, backup: id });
    if (file.damaged) added.damaged.push({ key, etag: file.etag });
    added.files += 1;
    if (added.files % 100 === 0) print(`${added.files} files …`);
  }
  return added;
}

/** Finds files of a list, by keys that are asked for in its order. */
function lookUp(list: AsyncGenerator<ListedFile> | null): (key: string) => Promise<ListedFile | null> {
  let current: ListedFile | null = null;
  let ended = list === null;
  return async (key) => {
    while (!ended && (current === null || current.key < key)) {
      const next: IteratorResult<ListedFile> | undefined = await list?.next();
      ended = next?.done !== false;
      current = next?.done === false ? next.value : null;
    }
    return current?.key === key ? current : null;
  };
}

async function addFile(
  store: Store,
  tar: TarWriter,
  { key, etag }: { key: string; etag: string | null },
): Promise<Omit<ListedFile, "backup"> | null> {
  const stored = isKey(key) ? await store.head(key) : null;
  const bytes =
    stored &&
    (await store.read(key).catch((error: unknown) => {
      if (error instanceof ObjectMissing) return null;
      throw toUnreadableError(key, error);
    }));
  if (stored === null || bytes === null) return null;
  const recorded = etag ?? stored.etag;
  const check = new TagCheck(recorded, stored.sizeBytes);
  const name = `${filesFolder}${key}`;
  await tar.add(name, stored.sizeBytes, checkChunks(key, bytes, check));
  const damaged = check.matches() === false && !stored.opaque;
  const sha256 = tar.sums.get(name) ?? null;
  return { key, size_bytes: stored.sizeBytes, etag: recorded, sha256, ...(damaged && { damaged }) };
}

async function* checkChunks(
  key: string,
  bytes: ReadableStream<Uint8Array>,
  check: TagCheck,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bytes) {
      check.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw toUnreadableError(key, error);
  }
}

/** Fails the backup, because substituted bytes would look like the file's. A removed file is only listed as missing. */
function toUnreadableError(key: string, error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(
    `The file ${key} cannot be read: ${reason}. Repair its disk, or remove the file and back up without it.`,
  );
}

const batchSize = 500;

/** Lists the files without reading them, and names those that are not there or have another size than recorded. */
export async function nameFiles({ named, store, list, print }: Copying): Promise<AddedFiles> {
  const added = none();
  const look = async (batch: readonly NamedFile[]) => {
    const found = await pMap(batch, ({ key }) => (isKey(key) ? store.head(key) : null), {
      concurrency: storeConcurrency,
    });
    for (const [at, file] of batch.entries()) await note(file, found[at] ?? null);
    print(`${added.named} files …`);
  };
  const note = async ({ key, etag, size_bytes: size }: NamedFile, stored: StoredObject | null) => {
    if (!stored) return void added.missing.push(key);
    const recorded = { key, size_bytes: Number(size ?? stored.sizeBytes), etag: etag ?? stored.etag };
    const damaged = recorded.size_bytes !== stored.sizeBytes;
    if (damaged) added.damaged.push({ key, etag: recorded.etag });
    await list.add({ ...recorded, sha256: null, backup: null, ...(damaged && { damaged }) });
    added.named += 1;
  };
  let batch: NamedFile[] = [];
  for await (const file of named) {
    batch.push(file);
    if (batch.length < batchSize) continue;
    await look(batch);
    batch = [];
  }
  if (batch.length > 0) await look(batch);
  return added;
}
