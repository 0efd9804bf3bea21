import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { copyFile, link, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pMap from "p-map";
import { databaseNow } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { invalid } from "@/server/platform/errors";
import { objectStore } from "@/server/platform/storage/current";
import { ObjectMissing, storeConcurrency } from "@/server/platform/storage/store";

/** Bytes of the files that one query may read. */
const maxQueryBytes = 2_000_000_000;
/** Bytes of files kept on the local disk for later queries. */
const cacheBytes = 4_000_000_000;
/** A query's folder that is older was left by a process that was killed. */
const staleMs = 10 * 60_000;

const rootFolder = (): string => path.join(env.DATA_DIR, "signals");
const cacheFolder = (): string => path.join(rootFolder(), "cache");

/** A folder of its own for one query; nothing but its files can be read from there. */
export async function makeQueryFolder(): Promise<string> {
  await mkdir(rootFolder(), { recursive: true, mode: 0o700 });
  for (const name of await readdir(rootFolder())) {
    if (!name.startsWith("query-")) continue;
    const folder = path.join(rootFolder(), name);
    const age = await stat(folder).then(
      ({ mtimeMs }) => databaseNow().getTime() - mtimeMs,
      () => 0,
    );
    if (age > staleMs) await rm(folder, { recursive: true, force: true });
  }
  const folder = path.join(rootFolder(), `query-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

export const removeQueryFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

interface Wanted {
  storageKey: string;
  etag: string;
  sizeBytes: number;
  /** Its name in the query's folder. */
  at: string;
}

/**
 * Puts files into a query's folder, through a cache on the local disk. Throws `invalid("sql")` beyond the limit.
 * Resolves to the files that are not there any more.
 */
export async function placeFiles(folder: string, files: readonly Wanted[]): Promise<Set<string>> {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > maxQueryBytes) {
    const [asked, most] = [bytes, maxQueryBytes].map((each) => `${(each / 1e9).toFixed(1)} GB`);
    throw invalid(
      "sql",
      `The topics have ${asked} in these recordings; a query may read ${most}. Choose fewer recordings.`,
    );
  }
  await mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
  const missing = new Set<string>();
  await pMap(
    files,
    async (file) => {
      const target = path.join(folder, file.at);
      try {
        await place(file, target);
      } catch (error) {
        if (!(error instanceof Error && error.name === ObjectMissing.name)) throw error;
        missing.add(file.storageKey);
      }
    },
    { concurrency: storeConcurrency },
  );
  await shrinkCache();
  return missing;
}

async function place(file: Wanted, target: string): Promise<void> {
  const { storageKey, etag, sizeBytes } = file;
  const name = createHash("sha256").update(`${storageKey} ${etag}`).digest("hex");
  const cached = path.join(cacheFolder(), name);
  const size = await stat(cached).then(
    (each) => each.size,
    () => -1,
  );
  if (size !== sizeBytes) {
    const part = `${cached}.${randomUUID()}`;
    try {
      const body = await objectStore().read(storageKey);
      await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(part));
      await rename(part, cached);
    } finally {
      await rm(part, { force: true });
    }
  }
  const now = databaseNow();
  await utimes(cached, now, now);
  // Some file systems have no links.
  await link(cached, target).catch(() => copyFile(cached, target));
}

/** Removes the files that were used longest ago until the rest fits. */
async function shrinkCache(): Promise<void> {
  const names = await readdir(cacheFolder());
  const files = await pMap(
    names,
    async (name) => {
      const file = path.join(cacheFolder(), name);
      return stat(file).then(
        ({ size, mtimeMs }) => [{ file, size, mtimeMs }],
        () => [],
      );
    },
    { concurrency: storeConcurrency },
  );
  const known = files.flat().sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const { file, size } of known) {
    bytes += size;
    if (bytes > cacheBytes) await rm(file, { force: true });
  }
}
