import { RecordingError } from "@/engine/formats/recording-error";

const MIB = 1024 * 1024;

/** Limits of one recording. Every declared size is checked against these before anything is allocated for it. */
export interface ReaderLimits {
  /** Uncompressed bytes of one chunk, or of one message outside chunks. Default 64 MiB. */
  maxChunkBytes?: number;
  /** Declared uncompressed bytes of all chunks over the bytes of all files, beyond `ratioFloorBytes`. Default 200. */
  maxRatio?: number;
  /** Uncompressed bytes of all chunks that are accepted at any ratio. Default 256 MiB. */
  ratioFloorBytes?: number;
  /** Channels of all files together. Default 100,000. */
  maxChannels?: number;
  /** Bytes of one schema; all schemas together may hold four times as much. Default 16 MiB. */
  maxSchemaBytes?: number;
  /** Milliseconds of the reader's own work (its caller's time between batches is not counted). Default: none. */
  timeBudgetMs?: number;
  /** Decompressed bytes held while chunks that overlap in time are merged. Default 32 MiB. */
  mergeBytes?: number;
  /** The clock behind `timeBudgetMs`, in milliseconds. */
  now?: () => number;
}

/** Counts what an open recording has used so far; the `check…` methods throw a RecordingError beyond a limit. */
export class Allowance {
  readonly maxChunkBytes: number;
  readonly mergeBytes: number;
  private readonly maxRatio: number;
  private readonly ratioFloorBytes: number;
  private readonly maxChannels: number;
  private readonly maxSchemaBytes: number;
  private readonly timeBudgetMs: number;
  private readonly now: () => number;
  private fileBytes = 0;
  private uncompressedBytes = 0;
  private messageBytes = 0;
  private schemaBytes = 0;
  private channels = 0;
  private spentMs = 0;
  private startedAt: number | null = null;

  constructor(limits: ReaderLimits = {}) {
    this.maxChunkBytes = limits.maxChunkBytes ?? 64 * MIB;
    this.mergeBytes = limits.mergeBytes ?? 32 * MIB;
    this.maxRatio = limits.maxRatio ?? 200;
    this.ratioFloorBytes = limits.ratioFloorBytes ?? 256 * MIB;
    this.maxChannels = limits.maxChannels ?? 100_000;
    this.maxSchemaBytes = limits.maxSchemaBytes ?? 16 * MIB;
    this.timeBudgetMs = limits.timeBudgetMs ?? Number.POSITIVE_INFINITY;
    this.now = limits.now ?? (() => performance.now());
  }

  addFile(bytes: number): void {
    this.fileBytes += bytes;
  }

  /** Adds the declared size of a chunk that fits to the total (a damaged index may be read twice). */
  addChunk(uncompressed: number): void {
    this.uncompressedBytes += uncompressed;
    // A robot that stands still compresses well, so a small recording may have any ratio.
    if (this.uncompressedBytes > Math.max(this.ratioFloorBytes, this.maxRatio * this.fileBytes)) {
      throw new RecordingError(`The chunks decompress to more than ${this.maxRatio} times the size of the files.`);
    }
  }

  /** Adds the declared size of a message that was compressed by itself; one may be read several times. */
  addMessage(uncompressed: number): void {
    this.messageBytes += uncompressed;
    if (this.messageBytes > Math.max(this.ratioFloorBytes, this.maxRatio * this.fileBytes))
      throw new RecordingError(`The messages decompress to more than ${this.maxRatio} times the size of the files.`);
  }

  /** Why a chunk of these declared sizes cannot be read; null when it can. */
  chunkExcess(compressed: number, uncompressed: number): string | null {
    const { maxChunkBytes } = this;
    // Compressors add a little to incompressible data, never this much.
    const fits = uncompressed <= maxChunkBytes && compressed <= maxChunkBytes + MIB;
    if (fits) return null;
    const size = uncompressed > maxChunkBytes ? `${mebibytes(uncompressed)} uncompressed` : mebibytes(compressed);
    return `holds ${size} and was left out; at most ${mebibytes(maxChunkBytes)} can be read`;
  }

  /** Subtracts chunks from the total before an inconsistent index is rebuilt. */
  discountChunks(uncompressed: number): void {
    this.uncompressedBytes -= uncompressed;
  }

  /** `count` adds it to the total; without, only its own size is checked. */
  checkSchema(bytes: number, count = true): void {
    if (bytes > this.maxSchemaBytes) {
      throw new RecordingError(
        `A schema holds ${mebibytes(bytes)}; at most ${mebibytes(this.maxSchemaBytes)} can be read.`,
      );
    }
    if (!count) return;
    this.schemaBytes += bytes;
    if (this.schemaBytes > 4 * this.maxSchemaBytes) {
      throw new RecordingError(`The schemas together hold more than ${mebibytes(4 * this.maxSchemaBytes)}.`);
    }
  }

  addChannel(): void {
    this.channels += 1;
    if (this.channels > this.maxChannels) {
      throw new RecordingError(`The recording declares more than ${this.maxChannels.toLocaleString("en")} channels.`);
    }
  }

  /** Starts measuring the reader's own work; `pause` stops it. */
  resume(): void {
    this.startedAt ??= this.now();
  }

  pause(): void {
    if (this.startedAt !== null) this.spentMs += this.now() - this.startedAt;
    this.startedAt = null;
  }

  checkTime(): void {
    const running = this.startedAt === null ? 0 : this.now() - this.startedAt;
    if (this.spentMs + running > this.timeBudgetMs) {
      throw new RecordingError(`Reading took longer than the ${Math.round(this.timeBudgetMs / 1000)} s allowed.`);
    }
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toLocaleString("en", { maximumFractionDigits: 1 })} MiB`;
}
