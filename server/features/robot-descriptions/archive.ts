import { Readable } from "node:stream";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { z } from "zod";
import { maxRobotFiles, maxRobotUnpackedBytes } from "@/domain/robot-descriptions/schema";
import { refusalOfPath } from "@/domain/uploads/file-path";
import { UnreadableMessage } from "@/engine/messages/reading";
import { listMeshes, readRobot, type Robot } from "@/engine/messages/scenes/robot";
import { findRobotFile, isRobotFile, isUrdf } from "@/engine/robots/robot-files";
import type { OpenObject } from "@/server/platform/storage/store";

/** The zip is no robot description; `message` is safe to show to users. */
export class UnfitArchive extends Error {
  override readonly name = "UnfitArchive";
}

/** Where a file lies in the zip. */
export const ArchivedFile = z.object({
  path: z.string(),
  /** Bytes, unpacked. */
  size: z.int(),
  /** The place of its packed bytes from the beginning of the zip, and how many they are. */
  offset: z.int(),
  packed: z.int(),
  deflated: z.boolean(),
});
export type ArchivedFile = z.output<typeof ArchivedFile>;

/** What a zip holds: its files, the URDF first, and what that describes. */
export interface RobotArchive {
  files: ArchivedFile[];
  name: string;
  links: number;
  joints: number;
  /** Meshes that the URDF names and the zip does not hold. */
  missing: string[];
}

const maxUrdfBytes = 16_000_000;
const maxPathLength = 1_000;
const partBytes = 1024 * 1024;
/** Meshes that are named as missing. */
const maxMissing = 1_000;

/** Reads a stored zip at any position. */
class ObjectReader extends yauzl.RandomAccessReader {
  constructor(private readonly object: OpenObject) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const { object } = this;
    async function* parts() {
      for (let at = start; at < end; at += partBytes) {
        const bytes = await object.read(at, Math.min(partBytes, end - at));
        yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }
    }
    return Readable.from(parts(), { objectMode: false });
  }
}

const openZip = promisify(
  (
    reader: yauzl.RandomAccessReader,
    size: number,
    options: yauzl.Options,
    done: (error: Error | null, zip: ZipFile) => void,
  ) => yauzl.fromRandomAccessReader(reader, size, options, done),
);

/** The entries of a zip, one after another. */
async function* listEntries(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) => {
      zip.removeAllListeners();
      zip
        .on("entry", resolve)
        .on("end", () => resolve(null))
        .on("error", reject);
      zip.readEntry();
    });
    if (entry === null) return;
    yield entry;
  }
}

/** The path of a file, which yauzl has made sure to stay inside; null for folders and for what is of no use. */
function readPath({ fileName }: Entry): string | null {
  if (fileName.length > maxPathLength) throw new UnfitArchive(`The path ${fileName.slice(0, 100)}… is too long.`);
  if (fileName.endsWith("/") || !isRobotFile(fileName)) return null;
  const refusal = refusalOfPath(fileName);
  if (refusal !== null) throw new UnfitArchive(`The path ${JSON.stringify(fileName.slice(0, 100))}: ${refusal}`);
  return fileName;
}

/** Unpacks a file and compares it with what the zip says of it; hands out its parts, whose sum is never larger. */
async function unpack(zip: ZipFile, entry: Entry, path: string, onPart: (part: Buffer) => void): Promise<void> {
  const stream = await new Promise<Readable>((resolve, reject) =>
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  // Its parts may fail one after another, the later ones when nobody reads any more.
  stream.on("error", () => {});
  let sum = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    sum = crc32(part, sum);
    onPart(part);
  }
  if (sum !== entry.crc32) throw new UnfitArchive(`The zip is damaged: ${path} has another checksum.`);
}

/**
 * Examines a stored zip of a URDF and its meshes: every file is unpacked once, so that what it declares holds when it is
 * served. Throws UnfitArchive with the reason when it is none, or too large.
 */
export async function examineArchive(object: OpenObject, size: number): Promise<RobotArchive> {
  let zip: ZipFile;
  try {
    zip = await openZip(new ObjectReader(object), size, { lazyEntries: true, autoClose: false });
  } catch (error) {
    throw toUnfit(error);
  }
  if (zip.entryCount > maxRobotFiles)
    throw new UnfitArchive(`The zip holds ${zip.entryCount} files; at most ${maxRobotFiles} are allowed.`);
  const files: ArchivedFile[] = [];
  const texts: { path: string; text: string }[] = [];
  const known = new Set<string>();
  let unpacked = 0;
  try {
    for await (const entry of listEntries(zip)) {
      const path = readPath(entry);
      if (path === null) continue;
      const shown = path.slice(0, 100);
      if (known.has(path)) throw new UnfitArchive(`The zip holds ${shown} twice.`);
      known.add(path);
      if (!entry.canDecodeFileData())
        throw new UnfitArchive(
          entry.isEncrypted()
            ? `${shown} is encrypted.`
            : `${shown} is compressed by a method that cannot be read; use "deflate".`,
        );
      unpacked += entry.uncompressedSize;
      if (unpacked > maxRobotUnpackedBytes)
        throw new UnfitArchive(`The files hold more than ${maxRobotUnpackedBytes / 1024 ** 2} MiB unpacked.`);
      const isText = isUrdf(path);
      if (isText && entry.uncompressedSize > maxUrdfBytes) throw new UnfitArchive("The URDF is longer than 16 MB.");
      const parts: Buffer[] = [];
      await unpack(zip, entry, shown, (part) => isText && parts.push(part));
      if (isText) texts.push({ path, text: Buffer.concat(parts).toString() });
      const { fileDataStart: offset } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
      const deflated = entry.compressionMethod !== 0;
      files.push({ path, size: entry.uncompressedSize, offset, packed: entry.compressedSize, deflated });
    }
  } catch (error) {
    throw toUnfit(error);
  }
  return describe(files, texts);
}

function describe(files: ArchivedFile[], texts: readonly { path: string; text: string }[]): RobotArchive {
  const [urdf, ...others] = texts;
  if (urdf === undefined) throw new UnfitArchive("The zip holds no .urdf file.");
  if (others.length > 0) {
    const names = texts.slice(0, 5).map(({ path }) => path.slice(0, 100));
    throw new UnfitArchive(`The zip holds ${texts.length} .urdf files, of which one is needed: ${names.join(", ")}`);
  }
  const [visual, collision] = [read(urdf, "visual"), read(urdf, "collision")];
  const paths = files.map(({ path }) => path);
  const meshes = new Set([...listMeshes(visual), ...listMeshes(collision)]);
  const missing = [...meshes].filter((address) => findRobotFile(paths, address) === null);
  return {
    files: files.toSorted((a, b) => Number(b.path === urdf.path) - Number(a.path === urdf.path)),
    name: visual.name.slice(0, 255),
    links: visual.links.length,
    joints: visual.joints.length,
    missing: missing.slice(0, maxMissing).map((address) => address.slice(0, maxPathLength)),
  };
}

function read({ path, text }: { path: string; text: string }, part: "visual" | "collision"): Robot {
  try {
    return readRobot(text, part);
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    throw new UnfitArchive(`${path.slice(0, 100)} cannot be read: ${error.message}`);
  }
}

/** Errors of zlib and of yauzl, which names no code: what fails while a zip is read, but for our store, is its fault. */
function toUnfit(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UnfitArchive) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const isOwn = code !== null ? code.startsWith("Z_") : error.constructor === Error;
  return isOwn ? new UnfitArchive(`The file cannot be read as a zip: ${error.message}`) : error;
}
