import { randomUUID } from "node:crypto";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { addFiles, nameFiles, type AddedFiles } from "@/cli/db/copy-files";
import { openEarlier, requireOtherPlace, type EarlierFiles } from "@/cli/db/file-list";
import { computeMark, damagedName, listName, secretName, sumsName } from "@/cli/db/format";
import type { ListedFile, Manifest } from "@/cli/db/format";
import { keepLease, lockBackups, type HeldLease } from "@/cli/db/lease";
import { Lines } from "@/cli/db/lines";
import { listMigrations, listTables, quoted, readSequences, type Table } from "@/cli/db/tables";
import { TarWriter } from "@/cli/db/tar";
import { openTarget, type BackupTarget } from "@/cli/db/target";
import { version } from "@/package.json";
import { float8, queryRows } from "@/server/platform/rows";
import { beginBackup, type BackupKind } from "@/server/platform/storage/backup-lease";
import { countNamedBytes, namedFiles, type NamedFile } from "@/server/platform/storage/named-files";

export interface BackupSource {
  databaseUrl: string;
  authSecret: string;
  /** Includes the secret in the backup, which then opens everything in it. */
  withSecret: boolean;
  /** Names the files instead of copying them. */
  withoutFiles?: boolean;
  /** An earlier backup: a file that it has is named instead of copied. */
  since?: string;
}

export interface BackupSummary extends Omit<AddedFiles, "damaged"> {
  rows: number;
  bytes: number;
  /** Files whose bytes differ from those that were stored. */
  damaged: string[];
}

const pieceBytes = 4 * 1024 * 1024;

/**
 * Writes a snapshot of the database, and of the files that its rows name, to a file or `s3://bucket/key`, which appears
 * only when it is complete. The rows come from one transaction, which ends before files are copied; a lease protects these
 * from removal. Memory use is constant but for the names of files; Muster may run and change data meanwhile.
 */
export async function backup(
  source: BackupSource,
  place: string | BackupTarget,
  print: (line: string) => void = () => {},
): Promise<BackupSummary> {
  const { objectStore } = await import("@/server/platform/storage/current");
  const { databaseUrl, withoutFiles = false, since } = source;
  const kind: BackupKind = withoutFiles ? "without_files" : since === undefined ? "full" : "since";
  const earlier = since === undefined ? null : await openEarlier(since);
  const named = await Lines.create<NamedFile>();
  const list = await Lines.create<ListedFile>();
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "muster-backup", keepAlive: true });
  client.on("error", () => {}); // once the rows are read, nothing depends on it
  let target: BackupTarget | null = null;
  let lease: HeldLease | null = null;
  try {
    if (earlier && typeof place === "string") await requireOtherPlace(place, earlier);
    await client.connect();
    await lockBackups(client, print);
    target = typeof place === "string" ? await openTarget(place, () => estimate(client, kind)) : place;
    const tar = new TarWriter(target.write);
    const id = randomUUID();
    // Before the snapshot, so that no file is removed that the snapshot may name.
    await beginBackup(client, id, kind);
    lease = keepLease(databaseUrl, id);
    const rows = await addRows(client, tar, source, { id, kind, earlier, named });
    const copying = { named: named.values(), store: objectStore(), list, print };
    const { damaged, ...added } = withoutFiles
      ? await nameFiles(copying)
      : await addFiles(copying, tar, id, earlier?.files ?? null);
    if (damaged.length > 0) await tar.addText(damagedName, `${JSON.stringify(damaged, null, 2)}\n`);
    await tar.add(listName, await list.size(), list.bytes());
    await tar.addSums(sumsName);
    await tar.close();
    await lease.requireHeld();
    const bytes = await target.publish();
    target = null;
    await lease.end(true);
    lease = null;
    return { rows, bytes, ...added, damaged: damaged.map(({ key }) => key) };
  } finally {
    await client.end().catch(() => {}); // ends the session and with it the lock
    await lease?.end(false).catch(() => {});
    await target?.discard();
    await earlier?.close();
    await named.close();
    await list.close();
  }
}

interface Snapshot {
  id: string;
  kind: BackupKind;
  earlier: EarlierFiles | null;
  /** Receives the files that the rows name. */
  named: Lines<NamedFile>;
}

/** Adds the manifest, the secret and all rows as of one moment. Resolves to how many rows. */
async function addRows(
  client: pg.Client,
  tar: TarWriter,
  { authSecret, withSecret }: BackupSource,
  { id, kind, earlier, named }: Snapshot,
): Promise<number> {
  await client.query("begin isolation level repeatable read read only");
  await client.query("set local TimeZone = 'UTC'");
  const tables = await listTables(client);
  const { names, queue } = await listMigrations(client);
  const manifest: Manifest = {
    format: kind === "full" ? 1 : 2,
    id,
    created_at: new Date().toISOString(),
    version,
    ...(kind === "without_files" && { files: "none" as const }),
    ...(earlier && { files: "since" as const, earlier: listEarlier(earlier) }),
    migrations: names,
    queue_migration: queue,
    tables: tables.map(({ key, columns, parts }) => ({ key, columns, ...(parts && { parts }) })),
    sequences: await readSequences(client),
    secret_mark: computeMark(authSecret),
  };
  await tar.addText("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  if (withSecret) await tar.addText(secretName, authSecret);
  let rows = 0;
  for (const table of tables) rows += await addTable(client, tar, table);
  for await (const file of namedFiles(client)) await named.add(file);
  await client.query("commit");
  return rows;
}

const listEarlier = ({ manifest: { id, created_at, earlier = [] } }: EarlierFiles) => [{ id, created_at }, ...earlier];

/**
 * About how many bytes the backup will have. How many of the files an earlier one lacks is not known yet: half is a guess
 * whose parts hold all of them, too.
 */
export async function estimate(client: pg.ClientBase, kind: BackupKind): Promise<number> {
  const statement = "select pg_database_size(current_database())::float8 as bytes";
  const [database] = await queryRows(client, { bytes: float8 }, statement);
  const share = { full: 1, since: 0.5, without_files: 0 }[kind];
  return (database?.bytes ?? 0) + share * (await countNamedBytes(client));
}

/** Adds a table in COPY's format, in pieces, because the size of an entry must be known before its bytes. */
async function addTable(client: pg.Client, tar: TarWriter, { key, name, columns, parts }: Table): Promise<number> {
  const list = columns.map(quoted).join(", ");
  // Before version 18, PostgreSQL does not copy a partitioned table itself.
  const source = parts ? `(select ${list} from ${name})` : `${name} (${list})`;
  const stream = client.query(copyTo(`copy ${source} to stdout`));
  let piece: Buffer[] = [];
  let size = 0;
  let number = 0;
  const flush = async () => {
    if (size === 0) return;
    number += 1;
    await tar.add(`tables/${key}/${String(number).padStart(6, "0")}`, size, piece);
    [piece, size] = [[], 0];
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    piece.push(Buffer.from(chunk)); // the driver may reuse its buffer
    size += chunk.length;
    if (size >= pieceBytes) await flush();
  }
  await flush();
  return stream.rowCount ?? 0;
}
