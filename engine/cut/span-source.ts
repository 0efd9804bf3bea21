import { plainBytes } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkRef } from "@/engine/formats/indexed-file";

/** Bytes of neighbouring chunks that are read at once. */
const maxSpanBytes = 4 * 1024 * 1024;
/** Bytes between two chunks that are read with them: at most this share of the second. */
const maxGapShare = 0.01;

/** Neighbouring chunks of a file. */
export interface Span {
  offset: number;
  length: number;
  chunks: ChunkRef[];
}

/** Joins chunks that follow each other in their file, in the order given. */
export function joinChunks(chunks: readonly ChunkRef[]): Span[] {
  const spans: Span[] = [];
  for (const chunk of chunks) {
    const last = spans.at(-1);
    const gap = last && last.chunks[0]!.file === chunk.file ? chunk.offset - (last.offset + last.length) : -1;
    const length = chunk.offset + chunk.length - (last?.offset ?? 0);
    if (last && gap >= 0 && gap <= chunk.length * maxGapShare && length <= maxSpanBytes) {
      last.length = length;
      last.chunks.push(chunk);
    } else spans.push({ offset: chunk.offset, length: chunk.length, chunks: [chunk] });
  }
  return spans;
}

/** A file of which the bytes of a span are at hand; everything else is read from the file. */
export class SpanSource implements ByteSource {
  readonly size: number;
  readonly id: string;
  private held: { offset: number; bytes: Uint8Array } = { offset: 0, bytes: new Uint8Array(0) };

  constructor(private readonly source: ByteSource) {
    this.size = source.size;
    this.id = source.id ?? "";
  }

  /** Begins to read a span. */
  fetch({ offset, length }: Span): Promise<Uint8Array> {
    return this.source.read(offset, length);
  }

  /** Answers from a span until the next one. */
  hold({ offset }: Span, bytes: Uint8Array): void {
    this.held = { offset, bytes: plainBytes(bytes) };
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    const { held } = this;
    const from = offset - held.offset;
    // A reader that asks for more than the span does so to be ahead.
    if (from >= 0 && from < held.bytes.length) return Promise.resolve(held.bytes.subarray(from, from + length));
    return this.source.read(offset, length);
  }
}
