import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { BlockWriter } from "@/server/features/exports/block-writer";
import { toWebStream } from "@/server/platform/storage/web-stream";

/** Collects texts in a file while an archive is written, for an entry at its end. */
export interface TextSpool {
  add: (text: string) => Promise<void>;
  /** What was collected, between two other texts. Nothing is added from then on. */
  read: (before: string, after: string) => ReadableStream<Uint8Array>;
}

/** Works with a spool in the file `target`, which the caller deletes. */
export async function withSpool<T>(target: string, work: (spool: TextSpool) => Promise<T>): Promise<T> {
  const file = await open(target, "w", 0o600);
  const blocks = new BlockWriter(file);
  async function* joined(before: string, after: string): AsyncGenerator<Uint8Array> {
    await blocks.flush();
    yield Buffer.from(before);
    yield* createReadStream(target) as AsyncIterable<Buffer>;
    yield Buffer.from(after);
  }
  try {
    return await work({
      add: (text) => blocks.add(Buffer.from(text)),
      read: (before, after) => toWebStream(Readable.from(joined(before, after))),
    });
  } finally {
    await file.close();
  }
}
