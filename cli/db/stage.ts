import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { filesFolder, sumsName } from "@/cli/db/format";
import type { ArchiveSource } from "@/cli/db/source";
import { readTar, TarError, type TarEntry } from "@/cli/db/tar";
import type { VerifiedBackup } from "@/cli/db/verify";
import type { DiskStore } from "@/server/platform/storage/disk";

/** The file with the rows of each table, in COPY's format. */
export type TableFiles = Map<string, string>;

/**
 * Stores the files of a backup and writes the rows of its tables to files below `folder`, so that archives are read once
 * and the transaction that loads the rows stays short.
 */
export async function stage(
  { archive, earlier }: VerifiedBackup,
  store: DiskStore,
  folder: string,
): Promise<{ files: number; tables: TableFiles }> {
  await mkdir(folder);
  const tables: TableFiles = new Map();
  let files = 0;
  const addFile = async (entry: TarEntry): Promise<void> => {
    const body = Readable.toWeb(Readable.from(entry.bytes())) as ReadableStream<Uint8Array>;
    await store.put(entry.name.slice(filesFolder.length), body, entry.size);
    files += 1;
  };
  await readWhole(archive, async (entry) => {
    const [kind, table = ""] = entry.name.split("/");
    if (kind === "tables") {
      const place = tables.get(table) ?? path.join(folder, String(tables.size));
      tables.set(table, place);
      await pipeline(entry.bytes(), createWriteStream(place, { flags: "a", mode: 0o600 }));
    } else if (entry.name.startsWith(filesFolder)) await addFile(entry);
  });
  for (const { archive: holder, keys } of earlier)
    await readWhole(holder, async (entry) => {
      const isFile = entry.name.startsWith(filesFolder) && keys.has(entry.name.slice(filesFolder.length));
      if (isFile) await addFile(entry);
    });
  return { files, tables };
}

/** Reads an archive that was verified before. Throws a TarError when it is not whole any more. */
async function readWhole(archive: ArchiveSource, take: (entry: TarEntry) => Promise<void>): Promise<void> {
  let isWhole = false;
  for await (const entry of readTar(archive)) {
    // The last one: without it an archive that breaks off between two entries would look complete.
    isWhole ||= entry.name === sumsName;
    await take(entry);
  }
  if (!isWhole) throw new TarError("the file breaks off");
  await archive.requireSame();
}
