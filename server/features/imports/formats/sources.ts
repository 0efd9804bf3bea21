import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { showName } from "@/domain/projects/label-files/found-labels";
import { BadAnnotationFile, type AnnotationFile } from "@/server/features/imports/formats/annotation-file";

/** Bytes that are read in their order: those of a file, or of an entry of an archive while it is the current one. */
export interface Source {
  /** The path of an entry; empty for the file itself. */
  name: string;
  read: () => AsyncGenerator<Buffer>;
}

const partBytes = 256 * 1024;
const maxEntries = 2_000_000;
/** Texts are seldom packed to a tenth; beyond this, and above what a short one may do, it is a bomb. */
const maxRatio = 200;
const alwaysUnpacked = 1024 * 1024;

/** Whether it is a ZIP archive, also one without entries. */
export async function isArchive({ path }: AnnotationFile): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && ["PK\x03\x04", "PK\x05\x06"].includes(buffer.toString("latin1"));
  } finally {
    await file.close();
  }
}

/** Errors of yauzl, which have no code, and of zlib: what fails but for the disk is the file's fault. */
function toBadFile(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof BadAnnotationFile) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const isOwn = code === null ? error.constructor === Error : code.startsWith("Z_");
  const what = name === "" ? "The ZIP archive" : `${showName(name)} in the ZIP archive`;
  return isOwn ? new BadAnnotationFile(`${what} cannot be read: ${error.message}`) : error;
}

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const name = showName(entry.fileName);
  if (entry.isEncrypted()) throw new BadAnnotationFile(`${name} in the ZIP archive is encrypted.`);
  if (!entry.canDecodeFileData())
    throw new BadAnnotationFile(`${name} in the ZIP archive is compressed by another method than "deflate".`);
  if (entry.uncompressedSize > alwaysUnpacked && entry.uncompressedSize > maxRatio * entry.compressedSize)
    throw new BadAnnotationFile(`${name} in the ZIP archive is more than ${maxRatio} times as large unpacked.`);
  let sum = 0;
  try {
    const stream = await new Promise<Readable>((resolve, reject) =>
      zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
    );
    // Its parts may fail one after another, the later ones when nobody reads any more.
    stream.on("error", () => {});
    for await (const part of stream as AsyncIterable<Buffer>) {
      sum = crc32(part, sum);
      yield part;
    }
  } catch (error) {
    throw toBadFile(error, entry.fileName);
  }
  if (sum !== entry.crc32) throw new BadAnnotationFile(`${name} in the ZIP archive is damaged: its checksum differs.`);
}

/** Folders, and what only the system of an Apple computer adds. */
const isIdle = (name: string): boolean =>
  name.endsWith("/") || name.startsWith("__MACOSX/") || (name.split("/").at(-1) ?? "").startsWith("._");

/** The entries of an archive, each to be read before the next one is asked for. yauzl refuses paths that lead out of it. */
export async function* readArchive(file: AnnotationFile): AsyncGenerator<Source> {
  let zip: ZipFile | null = null;
  try {
    zip = await yauzl.openPromise(file.path, { autoClose: false });
    if (zip.entryCount > maxEntries)
      throw new BadAnnotationFile(`The ZIP archive has ${zip.entryCount} entries; at most ${maxEntries} are read.`);
    let packed = 0;
    for (;;) {
      const entry = await nextEntry(zip);
      if (entry === null) return;
      packed += entry.compressedSize;
      if (packed > file.size) throw new BadAnnotationFile("Entries of the ZIP archive share the same bytes.");
      const opened = zip;
      if (!isIdle(entry.fileName)) yield { name: entry.fileName, read: () => readEntry(opened, entry) };
    }
  } catch (error) {
    throw toBadFile(error, "");
  } finally {
    zip?.close();
  }
}

const nextEntry = (zip: ZipFile): Promise<Entry | null> =>
  new Promise((resolve, reject) => {
    zip.removeAllListeners();
    zip
      .on("entry", resolve)
      .on("end", () => resolve(null))
      .on("error", reject);
    zip.readEntry();
  });

/** The file itself, or the entries that `isWanted` of an archive. */
export async function* readSources(file: AnnotationFile, isWanted: (name: string) => boolean): AsyncGenerator<Source> {
  if (file.size === 0) throw new BadAnnotationFile("The file is empty.");
  if (await isArchive(file)) {
    for await (const source of readArchive(file)) if (isWanted(source.name)) yield source;
    return;
  }
  async function* read(): AsyncGenerator<Buffer> {
    yield* createReadStream(file.path, { highWaterMark: partBytes }) as AsyncIterable<Buffer>;
  }
  yield { name: "", read };
}

const maxTextBytes = 16 * 1024 * 1024;

/** A short text as a whole, without a byte order mark. */
export async function readText(source: Source): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of source.read()) {
    bytes += part.length;
    if (bytes > maxTextBytes)
      throw new BadAnnotationFile(`${showName(source.name)} is longer than ${maxTextBytes / 1024 ** 2} MiB.`);
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new BadAnnotationFile(`${showName(source.name)} is no text in UTF-8.`);
  }
}

/** The beginning of a message about a place in a source. */
export const inSource = ({ name }: Source, place: string): string =>
  name === ""
    ? place.replace(/^(the|line|from|up)(?= )/, (first) => `${first.charAt(0).toUpperCase()}${first.slice(1)}`)
    : `${showName(name)}, ${place}`;
