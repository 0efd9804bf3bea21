import { createHash } from "node:crypto";
import type { Part } from "@/cli/db/tables";

/** The first entry of a backup: what it was made from, so that a restore can check whether it can use it. */
export interface Manifest {
  /** 2 where files are elsewhere, which a Muster that knows only 1 refuses. */
  format: 1 | 2;
  /** Absent in backups of earlier versions. */
  id?: string;
  created_at: string;
  /** Of the Muster that made it; absent in backups of earlier versions. */
  version?: string;
  /** Which files it holds: all that rows name, none, or those that the backup before has not. Absent: all. */
  files?: "all" | "none" | "since";
  /** The backups that may hold files of this one, the newest first; only of `since`. */
  earlier?: EarlierBackup[];
  migrations: string[];
  queue_migration: number;
  /** Of partitioned tables with their parts, which are made before their rows are there. */
  tables: { key: string; columns: string[]; parts?: Part[] }[];
  /** The last number that each sequence gave; absent in backups of earlier versions. */
  sequences?: Record<string, string>;
  /** Identifies the AUTH_SECRET that opens the sealed values in the rows, without revealing it. */
  secret_mark: string;
}

interface EarlierBackup {
  id: string;
  created_at: string;
}

/** The last entry, which shows that the backup is complete: the hash of each other entry, as for `sha256sum -c`. */
export const sumsName = "SHA256SUMS";
export const secretName = "auth-secret";
/** The damaged files as DamagedFile[]; the entry is absent when there are none. */
export const damagedName = "damaged.json";
/** Every file that rows name and that was there, a ListedFile a line in the order of keys, just before the sums. */
export const listName = "files.jsonl";
export const filesFolder = "files/";

export const computeMark = (secret: string): string =>
  createHash("sha256").update(`muster backup ${secret}`).digest("hex").slice(0, 16);

/** A file whose bytes do not match the entity tag that was recorded when it was stored. */
export interface DamagedFile {
  key: string;
  etag: string;
}

export interface ListedFile {
  key: string;
  size_bytes: number;
  /** As it was recorded when the file was stored: the MD5, or that of an object in parts. */
  etag: string;
  /** Of its bytes in `backup`; null where no backup holds them. */
  sha256: string | null;
  /** The id of the backup that holds its bytes; null: only the store has them. */
  backup: string | null;
  damaged?: true;
}
