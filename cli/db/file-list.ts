import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { CommandError } from "@/cli/client/api-client";
import { listName, sumsName, type ListedFile, type Manifest } from "@/cli/db/format";
import { parseLines, readLines } from "@/cli/db/lines";
import { openArchive, type ArchiveSource } from "@/cli/db/source";
import { findFromEnd, readTar, TarError } from "@/cli/db/tar";

/** An earlier backup, whose files the next one need not hold again. */
export interface EarlierFiles {
  manifest: Manifest & { id: string };
  /** Those that it lists, in the order of keys. Read once. */
  files: AsyncGenerator<ListedFile>;
  close: () => Promise<void>;
}

/** The files that an archive lists. Only its end is read. Throws a CommandError when it has no list, or a TarError. */
export async function* readFileList(source: ArchiveSource): AsyncGenerator<ListedFile> {
  const from = await findFromEnd(source, listName, sumsName);
  if (from === null)
    throw new CommandError(`${source.name} does not list its files: it is of an older Muster, or not complete.`);
  for await (const entry of readTar(source, from)) {
    if (entry.name !== listName) return;
    yield* parseLines<ListedFile>(entry.bytes());
  }
}

/** Compares the list of files with its hash, which shows that the archive is complete. Reads the end only. */
async function checkFileList(source: ArchiveSource): Promise<void> {
  const from = await findFromEnd(source, listName, sumsName);
  let sum: string | null = null;
  for await (const entry of from === null ? [] : readTar(source, from)) {
    if (entry.name === listName) {
      const hash = createHash("sha256");
      for await (const chunk of entry.bytes()) hash.update(chunk);
      sum = hash.digest("hex");
    } else if (entry.name === sumsName) {
      let last = "";
      for await (const line of readLines(entry.bytes())) last = line;
      if (last === `${sum}  ${listName}`) return;
    }
  }
  throw new CommandError(
    `${source.name} does not list its files: it is of an older Muster, or not complete. Make a full backup first.`,
  );
}

async function readManifest(source: ArchiveSource): Promise<Manifest | null> {
  for await (const entry of readTar(source))
    return entry.name === "manifest.json" ? (JSON.parse(await text(entry.bytes())) as Manifest) : null;
  return null;
}

/** The first entry of a backup; null for what is none. */
async function peekManifest(name: string): Promise<Manifest | null> {
  const source = await openArchive(name);
  try {
    return await readManifest(source);
  } catch (error) {
    if (error instanceof TarError || error instanceof SyntaxError) return null; // reading all of it says why
    throw error;
  } finally {
    await source.close();
  }
}

/** Which files a backup holds; undefined for an older one, and for what is no backup. */
export const peekFiles = async (name: string): Promise<Manifest["files"]> => (await peekManifest(name))?.files;

/**
 * Refuses a place, by whatever name, whose backup is the `earlier` one or one before it: files that the backup to be made
 * leaves out are only there. Throws a CommandError.
 */
export async function requireOtherPlace(
  place: string,
  { manifest: { id, earlier = [] } }: EarlierFiles,
): Promise<void> {
  const replaced = await peekManifest(place).catch((error: unknown) => {
    if (error instanceof CommandError) return null; // there is none
    throw error;
  });
  if (replaced?.id === undefined) return;
  if (replaced.id === id)
    throw new CommandError(
      "This backup would replace the one that --since names, which holds files of it. Give it another name.",
    );
  const before = earlier.find((each) => each.id === replaced.id);
  if (before)
    throw new CommandError(
      `This backup would replace that of ${before.created_at}, which may hold files of it. Give it another name.`,
    );
}

/** Opens the backup whose files the next one leaves out. Throws a CommandError for one that cannot be used so. */
export async function openEarlier(name: string): Promise<EarlierFiles> {
  const source = await openArchive(name);
  try {
    const manifest = await readManifest(source);
    if (manifest === null) throw new TarError("the file is no backup of Muster");
    if (manifest.files === "none")
      throw new CommandError(`${name} has no files. Name a backup that has, or leave --since out.`);
    await checkFileList(source);
    const { id = "" } = manifest;
    return { manifest: { ...manifest, id }, files: readFileList(source), close: () => source.close() };
  } catch (error) {
    await source.close();
    throw error instanceof TarError ? new CommandError(`${name}: ${error.message}.`) : error;
  }
}
