import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { CommandError } from "@/cli/api-client";
import { damagedName, secretName, sumsName, type DamagedFile, type Manifest } from "@/cli/db-backup";
import { readTar, TarError } from "@/cli/tar";

/** A backup that was read completely and is intact. */
export interface VerifiedBackup {
  file: FileHandle;
  manifest: Manifest;
  secret: string | null;
  /** The files that were damaged when the backup was made, with the tags recorded for them. */
  damaged: DamagedFile[];
}

/** Opens a backup and reads all of it, so that a damaged one changes nothing. Throws a CommandError. */
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

async function verify(file: FileHandle): Promise<Omit<VerifiedBackup, "file">> {
  const sums = new Map<string, string>();
  const texts = new Map<string, string>();
  let sumsText: string | null = null;
  for await (const entry of readTar(file)) {
    const isText = ["manifest.json", secretName, damagedName, sumsName].includes(entry.name);
    const hash = createHash("sha256");
    const parts: Buffer[] = [];
    for await (const chunk of entry.bytes()) {
      hash.update(chunk);
      if (isText) parts.push(chunk);
    }
    const text = Buffer.concat(parts).toString();
    if (entry.name === sumsName) sumsText = text;
    else sums.set(entry.name, hash.digest("hex"));
    if (isText) texts.set(entry.name, text);
  }
  if (sumsText === null) throw new TarError("the file breaks off, or is no backup of Muster");
  const lines = sumsText.split("\n").filter((line) => line !== "");
  const mismatch = lines.find((line) => sums.get(line.slice(66)) !== line.slice(0, 64));
  if (mismatch !== undefined) throw new TarError(`${mismatch.slice(66)} is damaged or missing`);
  if (lines.length !== sums.size) throw new TarError("the file holds what no backup of Muster holds");
  const manifest = JSON.parse(texts.get("manifest.json") ?? "null") as Manifest | null;
  if (manifest?.format !== 1) throw new TarError("the file was written by a newer Muster, or by none");
  const damaged = JSON.parse(texts.get(damagedName) ?? "[]") as DamagedFile[];
  return { manifest, secret: texts.get(secretName) ?? null, damaged };
}
