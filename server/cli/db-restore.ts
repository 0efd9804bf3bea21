import { createHash } from "node:crypto";
import { mkdir, open, rename, rm, writeFile, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import pino from "pino";
import { CommandError } from "@/server/cli/api-client";
import { markOf, secretName, sumsName, type Manifest } from "@/server/cli/db-backup";
import { advanceSequences, isInUse, migrationsOf, quoted, stateOf, tablesOf, type Table } from "@/server/cli/db-tables";
import { readTar, TarError, type TarEntry } from "@/server/cli/tar";
import { migrateDatabase, readMigrations } from "@/server/database/migrate";
import { DiskStore } from "@/server/storage/disk";

const quiet = pino({ level: "silent" });

type Rows = ReturnType<typeof copyFrom>;

export interface RestoreTarget {
  databaseUrl: string;
  dataDir: string;
  /** The AUTH_SECRET that the operator sets. Without it, that of the backup becomes DATA_DIR's own. */
  authSecret: string | undefined;
  /** Asked before anything that is there is replaced. */
  mayReplace: () => Promise<boolean>;
}

/** A backup that was read once from end to end and is whole. */
export interface VerifiedBackup {
  file: FileHandle;
  manifest: Manifest;
  secret: string | null;
}

/** Opens a backup and reads all of it, so that nothing is touched for the sake of a damaged one. Throws a CommandError. */
export async function verifyBackup(source: string): Promise<VerifiedBackup> {
  const file = await open(source, "r").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${source} cannot be read (${error.code}).`);
  });
  try {
    return { file, ...(await verify(file)) };
  } catch (error) {
    await file.close();
    throw error instanceof TarError ? new CommandError(`${source}: ${error.message}.`) : error;
  }
}

async function verify(file: FileHandle): Promise<{ manifest: Manifest; secret: string | null }> {
  const sums = new Map<string, string>();
  const texts = new Map<string, string>();
  let claimed: string | null = null;
  for await (const entry of readTar(file)) {
    const kept = ["manifest.json", secretName, sumsName].includes(entry.name);
    const hash = createHash("sha256");
    const parts: Buffer[] = [];
    for await (const chunk of entry.bytes()) {
      hash.update(chunk);
      if (kept) parts.push(chunk);
    }
    const text = Buffer.concat(parts).toString();
    if (entry.name === sumsName) claimed = text;
    else sums.set(entry.name, hash.digest("hex"));
    if (kept) texts.set(entry.name, text);
  }
  if (claimed === null) throw new TarError("the file breaks off, or is no backup of Muster");
  const lines = claimed.split("\n").filter((line) => line !== "");
  const wrong = lines.find((line) => sums.get(line.slice(66)) !== line.slice(0, 64));
  if (wrong !== undefined) throw new TarError(`${wrong.slice(66)} is damaged or missing`);
  if (lines.length !== sums.size) throw new TarError("the file holds what no backup of Muster holds");
  const manifest = JSON.parse(texts.get("manifest.json") ?? "null") as Manifest | null;
  if (manifest?.format !== 1) throw new TarError("the file was written by a newer Muster, or by none");
  return { manifest, secret: texts.get(secretName) ?? null };
}

/** Puts a backup in place of what is there: an empty database, or one that may be replaced. Throws a CommandError. */
export async function restore(backup: VerifiedBackup, target: RestoreTarget): Promise<{ files: number; createdAt: string }> {
  const { file, manifest, secret } = backup;
  try {
    checkSecret(manifest, secret, target);
    const migrations = migrationsFor(manifest);
    await clear(target);
    await migrateDatabase(target.databaseUrl, quiet, migrations);
    const files = await fill(file, manifest, target);
    if (target.authSecret === undefined && secret !== null) await keepSecret(target.dataDir, secret);
    await migrateDatabase(target.databaseUrl, quiet);
    return { files, createdAt: manifest.created_at };
  } finally {
    await file.close();
  }
}

function checkSecret({ secret_mark: mark }: Manifest, secret: string | null, { authSecret }: RestoreTarget): void {
  const used = authSecret ?? secret;
  if (used === null) throw new CommandError("This backup was made with AUTH_SECRET in the environment. Set the same one to restore it.");
  if (markOf(used) !== mark) {
    throw new CommandError("AUTH_SECRET is not the one this backup was made with, so the secrets in it could not be opened. Set that one, or none.");
  }
}

/** Those of this Muster's migrations that the backup's database had; later ones follow once its rows are in. */
function migrationsFor({ migrations }: Manifest): ReturnType<typeof readMigrations> {
  const known = readMigrations();
  const unknown = migrations.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) throw new CommandError(`This backup is from a newer Muster: it has the migration ${unknown}. Update Muster first.`);
  return known.filter(({ name }) => migrations.includes(name));
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "muster-restore" });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function clear(target: RestoreTarget): Promise<void> {
  await connected(target.databaseUrl, async (client) => {
    if (await isInUse(client)) throw new CommandError("Muster is running on this database. Stop it first.");
    const state = await stateOf(client);
    if (state === "bare") return;
    if (state === "filled" && !(await target.mayReplace())) {
      throw new CommandError("The database is not empty, and nothing was changed. Restore into an empty one, or replace this one with --force.");
    }
    const tables = [...(await tablesOf(client)).filter(({ key }) => key.startsWith("public.")).map(({ name }) => name)];
    const kept = ["_prisma_migrations", "worker_heartbeats", "rate_limits"].map((name) => `public.${name}`);
    await client.query(`drop table if exists ${[...tables, ...kept].join(", ")} cascade`);
    await client.query("drop schema if exists graphile_worker cascade");
    if (state === "filled") await rm(path.join(target.dataDir, "files"), { recursive: true, force: true });
  });
}

/** Rows in one transaction, which commits when all of them and all files are there. Resolves to how many files. */
const fill = (file: FileHandle, manifest: Manifest, target: RestoreTarget): Promise<number> =>
  connected(target.databaseUrl, async (client) => {
    const { queue } = await migrationsOf(client);
    if (queue < manifest.queue_migration) throw new CommandError("This backup is from a newer Muster: its job queue is newer. Update Muster first.");
    const present = new Map((await tablesOf(client)).map((table) => [table.key, table]));
    const store = new DiskStore(path.join(target.dataDir, "files"));
    await client.query("begin");
    await client.query("set local TimeZone = 'UTC'");
    // What migrations put there is in the backup too, as it was left.
    const empty = [...present.values()].filter(({ key }) => key.startsWith("public.")).map(({ name }) => name);
    await client.query(`truncate ${empty.join(", ")} cascade`);
    const etags = new Map<string, string>();
    let into: { table: Table; rows: Rows } | null = null;
    const finish = async () => {
      if (!into) return;
      const { rows } = into;
      into = null;
      rows.end();
      await finished(rows);
    };
    for await (const entry of readTar(file)) {
      const [kind, key = ""] = entry.name.split("/");
      if (kind === "files") etags.set(entry.name.slice("files/".length), await keep(store, entry));
      if (kind !== "tables") continue;
      if (into?.table.key !== key) {
        await finish();
        const columns: string[] = manifest.tables.find((table) => table.key === key)?.columns ?? [];
        const table = present.get(key);
        if (!table) throw new CommandError(`There is no table ${key} here.`);
        const rows: Rows = client.query(copyFrom(`copy ${table.name} (${columns.map(quoted).join(", ")}) from stdin`));
        into = { table, rows };
      }
      await pour(entry, into.rows);
    }
    await finish();
    await checkFiles(client, etags);
    // Work that ran when the backup was made begins again.
    await client.query("update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_at is not null");
    await client.query("update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_at is not null");
    await advanceSequences(client);
    await client.query("commit");
    return etags.size;
  });

async function pour(entry: TarEntry, rows: Rows): Promise<void> {
  for await (const chunk of entry.bytes()) {
    // An error of the statement comes with the callback, a full buffer holds it back: both are what has to be waited for.
    await new Promise<void>((resolve, reject) => rows.write(chunk, (error) => (error ? reject(error) : resolve())));
  }
}

async function keep(store: DiskStore, entry: TarEntry): Promise<string> {
  const body = Readable.toWeb(Readable.from(entry.bytes())) as ReadableStream<Uint8Array>;
  return (await store.put(entry.name.slice("files/".length), body, entry.size)).etag;
}

/** What was stored must be what the rows say was uploaded. */
async function checkFiles(client: pg.Client, etags: ReadonlyMap<string, string>): Promise<void> {
  for (let after = ""; ; ) {
    const { rows } = await client.query<{ storage_key: string; etag: string | null }>(
      "select storage_key, etag from stored_files where confirmed_at is not null and storage_key not like 'bucket/%' and storage_key > $1 order by storage_key limit 1000",
      [after],
    );
    for (const { storage_key: key, etag } of rows) {
      const found = etags.get(key);
      if (found !== undefined && etag !== null && found !== etag) throw new CommandError(`The file ${key} is not the one that was uploaded.`);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.storage_key;
  }
}

async function keepSecret(dataDir: string, secret: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const file = path.join(dataDir, "auth-secret");
  await writeFile(`${file}.new`, secret, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
