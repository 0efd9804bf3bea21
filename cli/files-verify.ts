import pMap from "p-map";
import type pg from "pg";
import { checkContent, type Content } from "@/server/platform/storage/content-check";
import { isKey } from "@/server/platform/storage/keys";
import { namedFiles, unnamedKeys, type NamedFile } from "@/server/platform/storage/named-files";
import type { OwnStore } from "@/server/platform/storage/own-store";

export interface Verified {
  checked: number;
  bytes: number;
  /** Files of each result but `intact`. */
  found: Record<Exclude<Content, "intact">, string[]>;
  /** Objects that no row names. */
  unknown: string[];
}

interface VerifyOptions {
  /** Checks this many files, chosen at random, instead of all. */
  sample?: number;
  print?: (line: string) => void;
}

const concurrency = 4;
const batchSize = 1_000;

/** Reads stored files and compares their bytes with what was recorded. Muster may run meanwhile. */
export async function verifyFiles(client: pg.Client, store: OwnStore, options: VerifyOptions = {}): Promise<Verified> {
  const { sample, print = () => {} } = options;
  const found: Verified["found"] = { damaged: [], missing: [], unverifiable: [] };
  const result: Verified = { checked: 0, bytes: 0, found, unknown: [] };
  await client.query("begin isolation level repeatable read read only");
  const files = sample === undefined ? namedFiles(client) : await chooseFiles(client, sample);
  await pMap(
    files,
    async ({ key, etag, size_bytes: size }) => {
      const sizeBytes = size === null ? null : Number(size);
      const content = isKey(key) ? await checkContent(store, { key, etag, sizeBytes }) : "missing";
      if (content !== "intact") found[content].push(key);
      result.bytes += sizeBytes ?? 0;
      if (++result.checked % 100 === 0) print(`${result.checked} files …`);
    },
    { concurrency },
  );
  await client.query("commit");
  // A file that was removed meanwhile is not missing.
  for (const kind of ["missing", "damaged"] as const) found[kind] = await stillNamed(client, found[kind]);
  if (sample === undefined) result.unknown = await findUnknown(client, store);
  return result;
}

async function chooseFiles(client: pg.Client, count: number): Promise<NamedFile[]> {
  const chosen: NamedFile[] = [];
  let seen = 0;
  for await (const file of namedFiles(client)) {
    seen += 1;
    const at = seen <= count ? seen - 1 : Math.floor(Math.random() * seen);
    if (at < count) chosen[at] = file;
  }
  return chosen;
}

async function stillNamed(client: pg.Client, keys: readonly string[]): Promise<string[]> {
  const gone = new Set(await unnamedKeys(client, keys));
  return keys.filter((key) => !gone.has(key));
}

/** The objects that no row names, not even that of an unfinished upload. */
async function findUnknown(client: pg.Client, store: OwnStore): Promise<string[]> {
  const unknown: string[] = [];
  let batch: string[] = [];
  const look = async () => {
    unknown.push(...(await unnamedKeys(client, batch)));
    batch = [];
  };
  for await (const { key } of store.list()) {
    batch.push(key);
    if (batch.length === batchSize) await look();
  }
  await look();
  return unknown.sort();
}
