import { createHash } from "node:crypto";
import { CommandError } from "@/cli/client/api-client";
import { readFileList } from "@/cli/db/file-list";
import { damagedName, filesFolder, secretName, sumsName, type DamagedFile, type Manifest } from "@/cli/db/format";
import { readLines } from "@/cli/db/lines";
import { openArchive, type ArchiveSource } from "@/cli/db/source";
import { readTar, TarError, type TarEntry } from "@/cli/db/tar";

/** An archive that was read completely and is intact. */
interface VerifiedArchive {
  archive: ArchiveSource;
  manifest: Manifest;
  secret: string | null;
  /** The files that were damaged when the backup was made, with the tags recorded for them. */
  damaged: DamagedFile[];
  /** The SHA-256 of each entry. */
  sums: ReadonlyMap<string, string>;
}

/** A backup that was read completely and is intact, with the earlier ones that hold files of it. */
export interface VerifiedBackup extends VerifiedArchive {
  earlier: EarlierArchive[];
}

interface EarlierArchive {
  archive: ArchiveSource;
  /** The keys of the files that are taken from it. */
  keys: ReadonlySet<string>;
}

/**
 * Opens a backup, and the earlier ones that it needs, and reads all of them, so that a damaged one changes nothing. Throws
 * a CommandError.
 */
export async function verifyBackup(source: string, earlier: readonly string[] = []): Promise<VerifiedBackup> {
  const opened: VerifiedArchive[] = [];
  try {
    for (const name of [source, ...earlier]) opened.push(await verifyArchive(name));
    const [own, ...others] = opened as [VerifiedArchive, ...VerifiedArchive[]];
    return { ...own, earlier: await matchEarlier(own, others) };
  } catch (error) {
    for (const { archive } of opened) await archive.close();
    throw error;
  }
}

export async function closeBackup({ archive, earlier }: VerifiedBackup): Promise<void> {
  for (const each of [archive, ...earlier.map((one) => one.archive)]) await each.close();
}

async function verifyArchive(name: string): Promise<VerifiedArchive> {
  const archive = await openArchive(name);
  try {
    return { archive, ...(await verify(archive)) };
  } catch (error) {
    await archive.close();
    throw error instanceof TarError ? new CommandError(`${name}: ${error.message}.`) : error;
  }
}

/** Compares the entries that were read with the sums that an archive has of them. Resolves to how many those are. */
async function compareSums(entry: TarEntry, sums: ReadonlyMap<string, string>): Promise<number> {
  let count = 0;
  for await (const line of readLines(entry.bytes())) {
    const [sum, name] = [line.slice(0, 64), line.slice(66)];
    if (sums.get(name) !== sum) throw new TarError(`${name} is damaged or missing`);
    count += 1;
  }
  return count;
}

async function verify(archive: ArchiveSource): Promise<Omit<VerifiedArchive, "archive">> {
  const sums = new Map<string, string>();
  const texts = new Map<string, string>();
  let checked: number | null = null;
  for await (const entry of readTar(archive)) {
    if (entry.name === sumsName) {
      checked = await compareSums(entry, sums);
      continue;
    }
    const isText = ["manifest.json", secretName, damagedName].includes(entry.name);
    const hash = createHash("sha256");
    const parts: Buffer[] = [];
    for await (const chunk of entry.bytes()) {
      hash.update(chunk);
      if (isText) parts.push(chunk);
    }
    sums.set(entry.name, hash.digest("hex"));
    if (isText) texts.set(entry.name, Buffer.concat(parts).toString());
  }
  if (checked === null) throw new TarError("the file breaks off, or is no backup of Muster");
  if (checked !== sums.size) throw new TarError("the file holds what no backup of Muster holds");
  const manifest = JSON.parse(texts.get("manifest.json") ?? "null") as Manifest | null;
  if (manifest === null || ![1, 2].includes(manifest.format))
    throw new TarError("the file was written by a newer Muster, or by none");
  const damaged = JSON.parse(texts.get(damagedName) ?? "[]") as DamagedFile[];
  return { manifest, secret: texts.get(secretName) ?? null, damaged, sums };
}

/** Finds each file of a backup that an earlier one holds. Throws a CommandError that names what is missing or differs. */
async function matchEarlier(own: VerifiedArchive, others: readonly VerifiedArchive[]): Promise<EarlierArchive[]> {
  const { archive, manifest } = own;
  if (manifest.files !== "since" && others.length > 0)
    throw new CommandError(`${archive.name} needs no other backup. Leave --with out.`);
  const found = new Map(others.map((other) => [other.manifest.id ?? "", { ...other, keys: new Set<string>() }]));
  if (manifest.files === "since") {
    const absent = new Map<string, number>();
    for await (const { key, backup, sha256 } of readFileList(archive)) {
      if (backup === null || backup === manifest.id) continue;
      const holder = found.get(backup);
      if (!holder) absent.set(backup, (absent.get(backup) ?? 0) + 1);
      else if (holder.sums.get(`${filesFolder}${key}`) === sha256) holder.keys.add(key);
      else throw new CommandError(`${holder.archive.name} does not hold ${key} as ${archive.name} needs it.`);
    }
    if (absent.size > 0) throw new CommandError(describeAbsent(own, absent));
  }
  return [...found.values()].map((holder) => ({ archive: holder.archive, keys: holder.keys }));
}

function describeAbsent({ archive, manifest }: VerifiedArchive, absent: ReadonlyMap<string, number>): string {
  const lines = [...absent].map(([id, count]) => {
    const made = manifest.earlier?.find((each) => each.id === id)?.created_at ?? "an unknown time";
    return `  the backup of ${made} (${id}) holds ${count.toLocaleString("en")} of its files`;
  });
  return `${archive.name} does not hold all of its files, and nothing was changed. Name the others by --with:\n${lines.join("\n")}`;
}
