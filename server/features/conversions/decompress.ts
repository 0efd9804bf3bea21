import { open, type FileHandle } from "node:fs/promises";
import { concatBytes, latin1Text } from "@/engine/bytes";
import { NotConvertible, type ConversionOptions } from "@/engine/formats/conversion";
import { zstdFrameSize } from "@/engine/formats/packed-message";
import { reasonNotRead } from "@/engine/formats/reader/unread-files";
import { RecordingError } from "@/engine/formats/recording-error";
import { detectFormat, type RecordingFormat } from "@/server/features/conversions/detect-format";
import { CompressedBeyond, CompressedDamage } from "@/server/platform/files/compressed-damage";
import { decompressStream, type FileCompression } from "@/server/platform/files/decompression";

const maxContentBytes = 32 * 1024 ** 3;
const maxRatio = 200;
const alwaysBytes = 256 * 1024 * 1024;
/** As many as a tar archive needs to be recognised. */
const startBytes = 512;
/** Bytes after which a long write looks at the space of the disk again. */
const spaceEvery = 64 * 1024 * 1024;

/** How much the compressed files of a recording may hold together. */
export class DecompressionLimit {
  private readonly maxBytes: number;
  private bytes = 0;

  constructor(uploadedBytes: number) {
    this.maxBytes = Math.max(alwaysBytes, maxRatio * uploadedBytes);
  }

  /** Throws a RecordingError when `bytes` more are too many. */
  check(bytes: number): void {
    if (this.bytes + bytes > this.maxBytes) {
      throw new RecordingError(`The files decompress to more than ${maxRatio} times their size.`);
    }
  }

  add(bytes: number): void {
    this.check(bytes);
    this.bytes += bytes;
  }
}

export interface DecompressOptions extends ConversionOptions {
  compression: FileCompression;
  /** Bytes of the compressed file, and the first of them. */
  fileBytes: number;
  start: Uint8Array;
  limit: DecompressionLimit;
  /** Rejects when the disk has no space for so many bytes more. */
  space: (bytes: number) => Promise<void>;
}

/** What a compressed file holds. `truncated`: it is damaged after these bytes. */
export interface Decompressed {
  format: RecordingFormat;
  bytes: number;
  truncated: boolean;
}

/**
 * Writes what a compressed file holds into another, piece by piece, up to where it is damaged. Throws a NotConvertible when
 * that begins like no format that is read, and a RecordingError beyond a limit.
 */
export async function decompressFile(
  source: AsyncIterable<Uint8Array>,
  target: string,
  options: DecompressOptions,
): Promise<Decompressed> {
  const { compression, limit } = options;
  const declared = compression === "zstd" ? zstdFrameSize(options.start) : null;
  if (declared !== null) {
    limit.check(declared);
    await options.space(declared);
  }
  const content = new Content(decompressStream(compression, counted(source, options)), options);
  try {
    const format = detectFormat(await content.readStart());
    if (format === null) throw new NotConvertible(content.reasonNotRead());
    const file = await open(target, "w");
    try {
      await content.writeTo(file);
    } finally {
      await file.close();
    }
    return { format, bytes: content.bytes, truncated: content.truncated };
  } finally {
    await content.close();
  }
}

/** Passes the bytes of a compressed file on and reports how far it is. */
async function* counted(
  source: AsyncIterable<Uint8Array>,
  { fileBytes, onProgress }: DecompressOptions,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const piece of source) {
    yield piece;
    read += piece.length;
    onProgress?.(Math.min(1, read / fileBytes));
  }
}

class Content {
  bytes = 0;
  truncated = false;
  private start: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly decompressed: AsyncGenerator<Uint8Array>,
    private readonly options: DecompressOptions,
  ) {}

  /** The first bytes; fewer than 512 only when there are no more. */
  async readStart(): Promise<Uint8Array> {
    while (this.start.length < startBytes) {
      const piece = await this.next();
      if (piece === null) break;
      this.start = concatBytes([this.start, piece]);
    }
    return this.start;
  }

  reasonNotRead(): string {
    const { compression } = this.options;
    if (this.truncated && this.start.length < startBytes)
      return `is a ${compression} file that is damaged at its beginning`;
    if (latin1Text(this.start.subarray(257, 262)) === "ustar") {
      return "is a compressed tar archive: extract it with `tar -xf`, and upload the recordings in it";
    }
    return `is a ${compression} file whose content ${reasonNotRead(this.start)}`;
  }

  async writeTo(file: FileHandle): Promise<void> {
    const { isDue, pause, space } = this.options;
    let checked = 0;
    for (let piece: Uint8Array | null = this.start; piece !== null; piece = await this.next()) {
      await file.writeFile(piece);
      if (this.bytes - checked > spaceEvery) {
        checked = this.bytes;
        await space(0);
      }
      if (isDue()) await pause();
    }
  }

  private async next(): Promise<Uint8Array | null> {
    try {
      const { done, value } = await this.decompressed.next();
      if (done) return null;
      this.options.limit.add(value.length);
      this.bytes += value.length;
      if (this.bytes > maxContentBytes) throw new RecordingError("A compressed file can hold at most 32 GiB.");
      return value;
    } catch (error) {
      if (error instanceof CompressedBeyond) throw new NotConvertible(error.message);
      if (!(error instanceof CompressedDamage)) throw error;
      this.truncated = true;
      return null;
    }
  }

  async close(): Promise<void> {
    await this.decompressed.return(undefined);
  }
}
