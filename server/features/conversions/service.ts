import path from "node:path";
import { isBagDescription, withoutCompression } from "@/domain/recordings/file-names";
import { utf8Text } from "@/engine/bytes";
import type { Definitions } from "@/engine/decode/definitions";
import { NotConvertible, type Conversion, type ConversionOptions } from "@/engine/formats/conversion";
import { quoted, RecordingError } from "@/engine/formats/recording-error";
import {
  describeMismatch,
  maxDescriptionBytes,
  parseBagDescription,
  type BagDescription,
} from "@/server/features/conversions/bag-description";
import { ConversionTime } from "@/server/features/conversions/conversion-time";
import { convertDb3 } from "@/server/features/conversions/db3";
import { convertWithLog, type Written } from "@/server/features/conversions/db3-log";
import { decompressFile, DecompressionLimit } from "@/server/features/conversions/decompress";
import { detectFormat, extensions } from "@/server/features/conversions/detect-format";
import { McapFile } from "@/server/features/conversions/mcap-file";
import { readConversion, storeMade, type StoredConversion } from "@/server/features/conversions/stored-service";
import { TypeSchemas } from "@/server/features/conversions/type-schemas";
import { convertUlog } from "@/server/features/conversions/ulog";
import { copyStored, withStored, withWorkFolder } from "@/server/features/conversions/work-folder";
import type { Ctx } from "@/server/platform/context";
import type { StoredFile } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { detectCompression } from "@/server/platform/files/decompression";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { objectStore } from "@/server/platform/storage/current";
import { requireSpace } from "@/server/platform/storage/disk-space";
import { displayName } from "@/server/platform/storage/file-name";

/** A converted file is written beside its copy before it is stored, so that twice this has to fit on the disk. */
const maxFileBytes = 32 * 1024 ** 3;
/** Enough for every format's magic bytes and the sizes that a compressed file declares. */
const startBytes = 32;

export interface ConvertOptions {
  /** The definitions of types that the files do not define. */
  definitions: Definitions;
  /** Resolves when the files are known to be what was uploaded: before that, none is converted. */
  intact: Promise<void>;
  signal: AbortSignal;
  /** `done`: 0..1 of the file that is converted. */
  onProgress: (stage: "converting", done: number) => void;
}

/** What is known of the files of a recording after those that need it were converted. */
export interface ConvertedFiles {
  /** The format of the first converted file; null when there is none. */
  format: Conversion["format"] | null;
  truncated: boolean;
  warnings: string[];
  /** By the uid of a file, why it could not be converted: the end of a sentence. */
  failures: Map<string, string>;
}

/**
 * Makes the files that are read of those that were uploaded, unless they are there already: decompresses what is compressed
 * as a whole, then makes an indexed MCAP file of every db3 or ULog file. Idempotent: work that was cut off is done again
 * under the same keys. Throws a RecordingError beyond a limit.
 */
export async function convertFiles(ctx: Ctx, recordingId: string, options: ConvertOptions): Promise<ConvertedFiles> {
  const files = await ctx.db.storedFile.findMany({
    where: { recordingId, organizationId: ctx.organizationId, confirmedAt: { not: null } },
    orderBy: [{ position: "asc" }, { uid: "asc" }],
  });
  return new Conversions(ctx, files, options).run();
}

class Conversions {
  private readonly uploaded: readonly StoredFile[];
  /** By the uid of a file, the one that was made of it. */
  private readonly made: ReadonlyMap<string | null, StoredFile>;
  private readonly byPath: ReadonlyMap<string, StoredFile>;
  private readonly time: ConversionTime;
  private readonly limit: DecompressionLimit;
  private readonly descriptions: BagDescription[] = [];
  private readonly result: ConvertedFiles = { format: null, truncated: false, warnings: [], failures: new Map() };

  constructor(
    private readonly ctx: Ctx,
    files: readonly StoredFile[],
    private readonly options: ConvertOptions,
  ) {
    this.uploaded = files.filter(({ derivedFrom }) => derivedFrom === null);
    this.made = new Map(files.map((file) => [file.derivedFrom, file]));
    this.byPath = new Map(this.uploaded.map((file) => [file.path, file]));
    const bytes = this.uploaded.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0);
    this.time = new ConversionTime(this.uploaded.length, bytes, options.signal);
    this.limit = new DecompressionLimit(bytes);
  }

  async run(): Promise<ConvertedFiles> {
    await this.readDescriptions();
    for (const file of this.uploaded) {
      let current = file;
      try {
        current = await this.decompress(file);
        await this.convert(current);
      } catch (error) {
        if (!(error instanceof NotConvertible)) throw error;
        this.result.failures.set(current.uid, error.message);
      }
    }
    return this.result;
  }

  /** What rosbag2 said of its files. Read each time, as it is short and tells of the upload as a whole. */
  private async readDescriptions(): Promise<void> {
    for (const { path: named, storageKey, sizeBytes } of this.uploaded.filter((file) => isBagDescription(file.path))) {
      const bytes = Math.min(Number(sizeBytes), maxDescriptionBytes);
      const text = bytes === 0 ? "" : utf8Text(await objectStore().readBytes(storageKey, 0, bytes));
      const description = parseBagDescription(text);
      const name = quoted(named);
      if (description === null)
        this.result.warnings.push(`${name} is kept but not read: it is none that rosbag2 wrote.`);
      else this.result.warnings.push(...describeMismatch(name, description, [...this.byPath.keys()]));
      if (description) this.descriptions.push(description);
    }
  }

  /** How many messages a file has, as rosbag2 said when it closed it; null when it did not. */
  private getDescribedCount(file: StoredFile): number | null {
    const name = displayName(file.path);
    return this.descriptions.find(({ messageCounts }) => messageCounts.has(name))?.messageCounts.get(name) ?? null;
  }

  private add({ format, truncated, warnings }: StoredConversion): void {
    if (format === "db3" || format === "ulog") this.result.format ??= format;
    this.result.truncated ||= truncated;
    this.result.warnings.push(...warnings);
  }

  /** The file itself or, of one that is compressed as a whole, the one with its content. */
  private async decompress(file: StoredFile): Promise<StoredFile> {
    const made = this.made.get(file.uid);
    const stored = readConversion(made);
    if (made && stored) {
      const isContent = stored.format === "gzip" || stored.format === "zstd";
      if (isContent) this.add(stored);
      return isContent ? made : file;
    }
    const start = await readStart(file);
    const compression = detectCompression(start);
    if (compression === null) return file;
    await this.options.intact;
    return withWorkFolder(file, 0, async (folder) => {
      const location = path.join(folder, "content");
      const options = {
        ...{ ...this.steps, compression, start, limit: this.limit, fileBytes: Number(file.sizeBytes) },
        space: (wanted: number) => requireSpace(folder, wanted),
      };
      const { format, bytes, truncated } = await this.time.measure(() =>
        withStored(file, (source) => decompressFile(source, location, options)),
      );
      const name = quoted(displayName(file.path));
      const warnings = truncated ? [`${name} is damaged or cut off: it was decompressed as far as it goes.`] : [];
      const conversion: StoredConversion = { format: compression, truncated, warnings };
      const content = withoutCompression(file.path);
      const named = content === file.path ? `${content}.${extensions[format]}` : content;
      this.add(conversion);
      return storeMade(this.ctx, file, { location, bytes, path: named, suffix: "-content", conversion });
    });
  }

  /** Makes an MCAP file of a db3 or ULog file; leaves others as they are. */
  private async convert(file: StoredFile): Promise<void> {
    const stored = readConversion(this.made.get(file.uid));
    if (stored && (stored.format === "ulog" || isCurrent(stored, this.options.definitions))) return this.add(stored);
    const format = detectFormat(await readStart(file));
    if (format !== "db3" && format !== "ulog") return;
    const log = format === "db3" ? this.byPath.get(`${file.path}-wal`) : undefined;
    const fileBytes = Number(file.sizeBytes) + Number(log?.sizeBytes ?? 0);
    if (fileBytes > maxFileBytes) throw new RecordingError("A file of this format can have at most 32 GiB.");
    await this.options.intact;
    await withWorkFolder(file, 2 * fileBytes, async (folder) => {
      const schemas = new TypeSchemas(this.options.definitions);
      const input = { file, log, folder, fileBytes };
      const { conversion, location, bytes } = await this.time.measure(() =>
        format === "db3" ? this.writeDb3(input, schemas) : this.writeUlog(input),
      );
      const { truncated, warnings } = conversion;
      const made: StoredConversion = { format, truncated, warnings, definitions: schemas.found };
      this.add(made);
      const named = { path: `${file.path}.mcap`, suffix: "-mcap" };
      await storeMade(this.ctx, file, { location, bytes, ...named, conversion: made });
    });
  }

  private get steps(): ConversionOptions {
    return { ...this.time.steps, onProgress: (done) => this.options.onProgress("converting", done) };
  }

  private async writeDb3({ file, log, folder, fileBytes }: Input, schemas: TypeSchemas): Promise<Written> {
    const { signal } = this.options;
    const source = path.join(folder, "source.db3");
    await copyStored(file, source, signal);
    if (log) await copyStored(log, `${source}-wal`, signal);
    const { zstd } = await recordingCodecs();
    const names = { name: quoted(displayName(file.path)), logName: quoted(displayName(`${file.path}-wal`)) };
    const input = { path: source, ...names, hasLog: log !== undefined, describedCount: this.getDescribedCount(file) };
    return convertWithLog(input, this.time.steps, (attempt) =>
      writeMcap(path.join(folder, `converted-${attempt}.mcap`), (mcap) =>
        convertDb3(source, mcap, { ...this.steps, schemas, zstd, fileBytes }),
      ),
    );
  }

  private async writeUlog({ file, folder, fileBytes }: Input): Promise<Written> {
    const source = path.join(folder, "source.ulog");
    await copyStored(file, source, this.options.signal);
    const times = await readTimes(file);
    return writeMcap(path.join(folder, "converted.mcap"), (mcap) =>
      convertUlog(source, mcap, { ...this.steps, ...times, fileBytes }),
    );
  }
}

/** A file to be converted with its write-ahead log, the bytes of both, and where to work. */
interface Input {
  file: StoredFile;
  log: StoredFile | undefined;
  folder: string;
  fileBytes: number;
}

async function writeMcap(location: string, convert: (mcap: McapFile) => Promise<Conversion>): Promise<Written> {
  const mcap = await McapFile.create(location);
  try {
    const conversion = await convert(mcap);
    return { conversion, location, bytes: await mcap.finish() };
  } finally {
    await mcap.close();
  }
}

const readStart = ({ storageKey, sizeBytes }: StoredFile): Promise<Uint8Array> =>
  sizeBytes === 0n ? Promise.resolve(new Uint8Array(0)) : objectStore().readBytes(storageKey, 0, startBytes);

/** Whether the types without a definition in the file would be written with the same ones now. */
function isCurrent({ definitions }: StoredConversion, known: Definitions): boolean {
  if (definitions === undefined) return false; // converted before the definitions were kept
  const schemas = new TypeSchemas(known);
  for (const type of Object.keys(definitions)) schemas.find(type);
  return Object.entries(definitions).every(([type, digest]) => schemas.found[type] === digest);
}

/** When a recording was created, and when it began if its uploader said so, in milliseconds since 1970. */
async function readTimes({
  recordingId,
  organizationId,
}: StoredFile): Promise<{ startedAt: number | null; createdAt: number }> {
  const { startedAt, createdAt } = await prisma.recording.findFirstOrThrow({
    where: { uid: recordingId ?? "", organizationId },
    select: { startedAt: true, createdAt: true },
  });
  const isGiven = startedAt.getTime() !== createdAt.getTime();
  return { startedAt: isGiven ? startedAt.getTime() : null, createdAt: createdAt.getTime() };
}
