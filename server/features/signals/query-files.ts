import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import pMap from "p-map";
import { type FileRange, findColumnRanges, footerSize } from "@/engine/signals/signal-file-columns";
import { type LocalFile, openCache, shrinkCache, type StoredSignals } from "@/server/features/signals/query-cache";
import { databaseNow } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { cancelled, invalid } from "@/server/platform/errors";
import { isOnDisk } from "@/server/platform/storage/own";
import { ObjectMissing, storeConcurrency } from "@/server/platform/storage/store";

/** Bytes of the files that one query may read. */
const maxQueryBytes = 2_000_000_000;
/**
 * Up to how many bytes a file is read whole, as a second request costs more than its bytes; and the end of a larger one, which
 * is likely to hold its footer.
 */
const limits = {
  disk: { whole: 16_384, end: 16_384 },
  bucket: { whole: 262_144, end: 65_536 },
};
const getLimits = ({ storageKey }: StoredSignals) => (isOnDisk(storageKey) ? limits.disk : limits.bucket);
/** A query's folder that is older was left by a process that was killed. */
const staleMs = 10 * 60_000;

const rootFolder = (): string => path.join(env.DATA_DIR, "signals");

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

interface Wanted extends StoredSignals {
  /** Its name in the query's folder. */
  at: string;
}

interface PlacedFile {
  file: LocalFile;
  sizeBytes: number;
  /** Where the part begins that is there: the footer or, of a small file, all of it. */
  from: number;
}

/** The files of a query in its folder: of each first its footer, then the columns that the query reads. */
export class QueryFiles {
  private constructor(
    private readonly files: readonly PlacedFile[],
    private readonly signal: AbortSignal | undefined,
  ) {}

  /**
   * Puts the footers of files into a query's folder. Throws `invalid("sql")` for files that were deleted, and
   * `cancelled`, here and later, once `signal` is aborted.
   */
  static async place(folder: string, wanted: readonly Wanted[], signal?: AbortSignal): Promise<QueryFiles> {
    requireBytes(wanted.reduce((sum, each) => sum + Math.min(each.sizeBytes, getLimits(each).whole), 0));
    // Every file that is being read listens to it.
    if (signal) setMaxListeners(2 * storeConcurrency, signal);
    const cache = await openCache();
    const place = async ({ at, ...stored }: Wanted): Promise<PlacedFile> => {
      const file = await cache.open(stored, path.join(folder, at), signal);
      return { file, sizeBytes: stored.sizeBytes, from: await fetchFooter(file, stored) };
    };
    return new QueryFiles(await mapFiles(wanted, place, signal), signal);
  }

  /**
   * Reads columns of all files, every one for null. Resolves to the bytes that the query reads. Throws `invalid("sql")`
   * beyond the limit and for files that were deleted.
   */
  async fetch(columns: readonly string[] | null): Promise<number> {
    const names = columns && new Set(columns);
    const find = async (placed: PlacedFile) => ({ ...placed, ranges: await findRanges(placed, names) });
    const parts = await mapFiles(this.files, find, this.signal);
    const bytes = parts
      .flatMap(({ sizeBytes, from, ranges }) => [{ from, to: sizeBytes }, ...ranges])
      .reduce((sum, { from, to }) => sum + to - from, 0);
    requireBytes(bytes);
    const fetchRanges = async ({ file, ranges }: (typeof parts)[number]) => {
      for (const range of ranges) await file.fetch(range);
    };
    await mapFiles(parts, fetchRanges, this.signal);
    await shrinkCache();
    return bytes;
  }
}

async function fetchFooter(file: LocalFile, stored: StoredSignals): Promise<number> {
  const { whole, end } = getLimits(stored);
  const { sizeBytes: size } = stored;
  let from = size <= whole ? 0 : size - end;
  await file.fetch({ from, to: size });
  const footerFrom = size - footerSize(await file.read({ from: size - 8, to: size }));
  if (footerFrom < from) {
    from = Math.max(0, footerFrom);
    await file.fetch({ from, to: size });
  }
  return from;
}

async function findRanges(
  { file, sizeBytes, from }: PlacedFile,
  columns: ReadonlySet<string> | null,
): Promise<FileRange[]> {
  if (from === 0) return [];
  if (!columns) return [{ from: 0, to: from }];
  return findColumnRanges({ from, bytes: await file.read({ from, to: sizeBytes }) }, columns);
}

function requireBytes(bytes: number): void {
  if (bytes <= maxQueryBytes) return;
  const [asked, most] = [bytes, maxQueryBytes].map((each) => `${(each / 1e9).toFixed(1)} GB`);
  throw invalid(
    "sql",
    `The query reads ${asked} of these recordings; it may read ${most}. Choose fewer recordings or fields.`,
  );
}

/** Works on several files at a time. Once the signal is aborted, it begins no other and does not wait for those. */
async function mapFiles<T, R>(
  files: readonly T[],
  work: (file: T) => Promise<R>,
  signal: AbortSignal | undefined,
): Promise<R[]> {
  try {
    return await pMap(files, work, { concurrency: storeConcurrency, ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw cancelled();
    if (!(error instanceof Error && error.name === ObjectMissing.name)) throw error;
    throw invalid("sql", "Files of these recordings were deleted meanwhile. Ask again.");
  }
}
