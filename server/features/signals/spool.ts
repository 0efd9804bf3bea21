import { appendFileSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import type { FileSink } from "@/engine/signals/parquet-file";
import { toWebStream } from "@/server/platform/storage/web-stream";

/** Bytes kept in memory for a file before they are appended: many small writes cost more than the bytes. */
const heldBytes = 64 * 1024;

interface Spooled {
  file: string;
  held: Uint8Array;
  heldBytes: number;
}

/** Files that are written on the local disk until their size is known: a store wants it before the bytes. */
export class Spool {
  private readonly files = new Map<string, Spooled>();

  private constructor(private readonly folder: string) {}

  /** An empty spool; what an attempt that was killed left in its folder is removed. */
  static async create(folder: string): Promise<Spool> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return new Spool(folder);
  }

  /** Forgets all files; those that come next overwrite them. */
  clear(): void {
    this.files.clear();
  }

  /** Receives the bytes of a file. */
  sink(name: string): FileSink {
    const file = path.join(this.folder, String(this.files.size));
    const spooled: Spooled = { file, held: new Uint8Array(0), heldBytes: 0 };
    this.files.set(name, spooled);
    writeFileSync(file, "");
    return (bytes) => {
      if (spooled.heldBytes + bytes.length > heldBytes) {
        appendFileSync(file, takeHeld(spooled));
        if (bytes.length > heldBytes / 2) {
          appendFileSync(file, bytes);
          return;
        }
      }
      hold(spooled, bytes);
    };
  }

  /** The complete file as a stream. */
  async read(name: string): Promise<ReadableStream<Uint8Array>> {
    const spooled = this.files.get(name);
    if (!spooled) throw new Error("no such file");
    await appendFile(spooled.file, takeHeld(spooled));
    const file = await open(spooled.file);
    return toWebStream(file.createReadStream());
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

function hold(spooled: Spooled, bytes: Uint8Array): void {
  const needed = spooled.heldBytes + bytes.length;
  if (needed > spooled.held.length) {
    const grown = new Uint8Array(Math.min(heldBytes, Math.max(1_024, needed * 2)));
    grown.set(spooled.held.subarray(0, spooled.heldBytes));
    spooled.held = grown;
  }
  spooled.held.set(bytes, spooled.heldBytes);
  spooled.heldBytes = needed;
}

/** What was held; valid until more is. */
function takeHeld(spooled: Spooled): Uint8Array {
  const held = spooled.held.subarray(0, spooled.heldBytes);
  spooled.heldBytes = 0;
  return held;
}
