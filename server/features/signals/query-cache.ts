import { createHash, randomUUID } from "node:crypto";
import { createWriteStream, readFileSync } from "node:fs";
import {
  appendFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pMap from "p-map";
import type { FileRange } from "@/engine/signals/signal-file-columns";
import { databaseNow } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";
import { objectStore } from "@/server/platform/storage/current";
import { storeConcurrency } from "@/server/platform/storage/store";

/** What is kept on the local disk for later queries. */
const cacheLimits = { bytes: 4_000_000_000, files: 20_000 };
/** Files of the cache that list which parts of a file it has. */
const partsSuffix = ".parts";

const rootFolder = (): string => path.join(env.DATA_DIR, "signals", "cache");

/** One folder for each start of the machine: after a crash of the system, parts that were listed may not be on the disk. */
const cacheFolder = (): string =>
  path.join(
    rootFolder(),
    processWide("bootId", () => {
      try {
        return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      } catch {
        return "any";
      }
    }),
  );

export interface StoredSignals {
  storageKey: string;
  etag: string;
  sizeBytes: number;
}

/** Opens files of the object store on the local disk. Lists the cache once, for one query. */
export async function openCache(): Promise<QueryCache> {
  await mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
  const names = (await readdir(cacheFolder())).filter((name) => !name.endsWith(partsSuffix));
  return new QueryCache(new Map(names.map((name) => [name.slice(0, name.indexOf("-")), name])));
}

class QueryCache {
  constructor(private readonly known: ReadonlyMap<string, string>) {}

  /**
   * Makes a file of the store appear at `target`, as large as it is, with the parts that earlier queries read. Reads
   * from the store end when `signal` is aborted.
   */
  async open({ storageKey, etag, sizeBytes }: StoredSignals, target: string, signal?: AbortSignal): Promise<LocalFile> {
    const hash = createHash("sha256").update(`${storageKey} ${etag}`).digest("hex");
    const known = this.known.get(hash);
    // Another query may remove it meanwhile.
    const linked = known !== undefined && (await this.link(known, target));
    const name = linked ? known : `${hash}-${randomUUID()}`;
    const cached = path.join(cacheFolder(), name);
    if (!linked) {
      await writeFile(target, "", { flag: "wx", mode: 0o600 });
      await truncate(target, sizeBytes);
    }
    // Some file systems have no links: the file is this query's alone there.
    const isShared =
      linked ||
      (await link(target, cached).then(
        () => true,
        () => false,
      ));
    const file = new LocalFile(storageKey, target, isShared ? cached + partsSuffix : null, signal);
    if (linked) await file.readParts();
    return file;
  }

  private async link(name: string, target: string): Promise<boolean> {
    try {
      await link(path.join(cacheFolder(), name), target);
      await noteUse(target);
      return true;
    } catch {
      return false;
    }
  }
}

/** By the same clock for every file: what was used longest ago is removed first. */
async function noteUse(target: string): Promise<void> {
  const now = databaseNow();
  await utimes(target, now, now);
}

/** A file of the store of which single parts are on the local disk; the rest of it reads as zeros. */
export class LocalFile {
  private readonly parts: FileRange[] = [];

  constructor(
    private readonly storageKey: string,
    private readonly target: string,
    private readonly partsFile: string | null,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Each line is one part, and was written after its bytes. */
  async readParts(): Promise<void> {
    const { partsFile } = this;
    const lines = partsFile === null ? [] : (await readFile(partsFile, "utf8").catch(() => "")).split("\n");
    // What follows the last line break is not complete.
    for (const line of lines.slice(0, -1)) {
      const [from, to] = line.split("-").map(Number);
      if (from !== undefined && to !== undefined) this.parts.push({ from, to });
    }
  }

  /** Reads a part from the store unless it is there. Rejects with an ObjectMissing when the object was deleted. */
  async fetch({ from, to }: FileRange): Promise<void> {
    this.signal?.throwIfAborted();
    if (this.parts.some((part) => part.from <= from && part.to >= to)) return;
    const body = await objectStore().read(this.storageKey, { start: from, end: to });
    const file = createWriteStream(this.target, { flags: "r+", start: from });
    const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(source, file, this.signal ? { signal: this.signal } : {});
    if (file.bytesWritten !== to - from)
      throw new RangeError(`the store sent ${file.bytesWritten} of ${to - from} bytes`);
    await noteUse(this.target);
    growth.bytes += to - from;
    if (this.partsFile) await appendFile(this.partsFile, `${from}-${to}\n`, { mode: 0o600 });
    this.parts.push({ from, to });
  }

  /** Reads bytes that were fetched. */
  async read({ from, to }: FileRange): Promise<Uint8Array> {
    const file = await open(this.target, "r");
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(to - from), 0, to - from, from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}

/** Bytes read from the store since the cache was last shrunk; it may be too large when a process starts. */
const growth = processWide("queryCacheGrowth", () => ({ bytes: Infinity }));

/** Removes the files that were used longest ago until the rest fits. Looks only after the cache has grown by a tenth. */
export async function shrinkCache(limits = cacheLimits): Promise<void> {
  if (growth.bytes < limits.bytes / 10) return;
  growth.bytes = 0;
  const entries = await readdir(rootFolder(), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const found = await pMap(
    paths.filter((file) => !file.endsWith(partsSuffix)),
    async (file) => {
      return stat(file).then(
        ({ blocks, mtimeMs }) => [{ file, size: blocks * 512, mtimeMs }],
        () => [],
      );
    },
    { concurrency: storeConcurrency },
  );
  const files = found.flat().sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const [at, { file, size }] of files.entries()) {
    bytes += size;
    if (bytes <= limits.bytes && at < limits.files) continue;
    await rm(file, { force: true });
    await rm(file + partsSuffix, { force: true });
  }
}
