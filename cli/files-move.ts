import pMap from "p-map";
import type pg from "pg";
import { CommandError } from "@/cli/client/api-client";
import { isInUse } from "@/cli/db/tables";
import { verifyFiles } from "@/cli/files-verify";
import { readInstallation, readMark, writeMark } from "@/server/platform/installation/claim-store";
import { isKey } from "@/server/platform/storage/keys";
import { namedFiles } from "@/server/platform/storage/named-files";
import type { OwnStore } from "@/server/platform/storage/own-store";
import { ObjectMissing } from "@/server/platform/storage/store";
import { TagCheck } from "@/server/platform/storage/tag-check";

export interface Moved {
  copied: number;
  /** Files that an earlier run had copied. */
  skipped: number;
  bytes: number;
  /** Files that were lost before. */
  missing: string[];
  /** Files whose bytes were damaged before; they are copied as they are. */
  damaged: string[];
  /** How many objects of the source were deleted. */
  deleted: number;
}

interface MoveOptions {
  deleteSource?: boolean;
  print?: (line: string) => void;
}

const concurrency = 4;

/**
 * Copies every file that a row names from one store of the installation to another, which then is its store. Can be
 * repeated after an interruption. Throws a CommandError while Muster runs, or when the target is another's.
 */
export async function moveFiles(
  client: pg.Client,
  source: OwnStore,
  target: OwnStore,
  { deleteSource = false, print = () => {} }: MoveOptions = {},
): Promise<Moved> {
  if (source.location === target.location) throw new CommandError(`The files are in ${target.location} already.`);
  if (await isInUse(client)) throw new CommandError("Muster is running on this database. Stop it first.");
  const installation = await readInstallation(client);
  if (installation === null)
    throw new CommandError("Start Muster once with its present STORAGE before you move files.");
  await checkMarks(source, target, installation);
  await writeMark(target, { installation, moving_from: source.location });
  const moved: Moved = { copied: 0, skipped: 0, bytes: 0, missing: [], damaged: [], deleted: 0 };
  await client.query("begin isolation level repeatable read read only");
  await pMap(
    namedFiles(client),
    async ({ key, etag }) => {
      await moveFile(source, target, { key, etag }, moved);
      const done = moved.copied + moved.skipped;
      if (done % 100 === 0) print(`${done} files, ${(moved.bytes / 1e6).toFixed(0)} MB copied …`);
    },
    { concurrency },
  );
  await client.query("commit");
  // The target first: at every moment a store accepts the database.
  await writeMark(target, { installation });
  await writeMark(source, { installation, moved_to: target.location });
  if (deleteSource) moved.deleted = await deleteFiles(client, source, target, print);
  return moved;
}

async function checkMarks(source: OwnStore, target: OwnStore, installation: string): Promise<void> {
  const [from, to] = [await readMark(source), await readMark(target)];
  if (from?.installation !== installation)
    throw new CommandError(`The store ${source.location} is not the one of the installation ${installation}.`);
  const finished = from.moved_to !== undefined;
  if (finished && from.moved_to !== target.location)
    throw new CommandError(`The files of ${source.location} were moved to ${from.moved_to}. Set STORAGE to that.`);
  if (to !== null && to.installation !== installation)
    throw new CommandError(`The store ${target.location} belongs to the installation ${to.installation}.`);
  if (to === null) {
    for await (const { key } of target.list())
      throw new CommandError(`The store ${target.location} is not empty: it holds ${key}, for example.`);
  }
}

async function moveFile(
  source: OwnStore,
  target: OwnStore,
  { key, etag }: { key: string; etag: string | null },
  moved: Moved,
): Promise<void> {
  const stored = isKey(key) ? await source.head(key) : null;
  if (!stored) return void moved.missing.push(key);
  const sizeBytes = stored.sizeBytes;
  // An object is stored completely or not at all, and the target belongs to this move.
  if ((await target.head(key))?.sizeBytes === sizeBytes) return void (moved.skipped += 1);
  const check = new TagCheck(etag ?? stored.etag, sizeBytes);
  const checkBytes = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      check.update(chunk);
      controller.enqueue(chunk);
    },
  });
  try {
    const copy = await target.put(key, (await source.read(key)).pipeThrough(checkBytes), sizeBytes);
    if (copy.sizeBytes !== sizeBytes) throw new CommandError(`${key} was not stored as it was sent.`);
  } catch (error) {
    if (error instanceof ObjectMissing) return void moved.missing.push(key);
    throw error;
  }
  if (check.matches() === false && !stored.opaque) moved.damaged.push(key);
  moved.copied += 1;
  moved.bytes += sizeBytes;
}

/** Deletes the objects of the source, once all files of both were read and are intact. Resolves to their number. */
async function deleteFiles(
  client: pg.Client,
  source: OwnStore,
  target: OwnStore,
  print: (line: string) => void,
): Promise<number> {
  // The source too: a file without a recorded tag that is damaged there looks intact as a copy.
  for (const store of [source, target]) {
    print(`Reading every file of ${store.location} …`);
    const { found } = await verifyFiles(client, store, { print });
    const faulty = [...found.damaged, ...found.missing];
    if (faulty.length > 0)
      throw new CommandError(
        `The files are moved, but ${source.location} was not deleted, because these of ${store.location} are damaged or missing:\n${faulty.join("\n")}`,
      );
  }
  let deleted = 0;
  for await (const { key } of source.list()) {
    await source.delete(key);
    deleted += 1;
  }
  return deleted;
}
