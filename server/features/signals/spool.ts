import { appendFileSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { FileSink } from "@/engine/signals/parquet-file";

/** Bytes kept in memory for a file before they are appended: many small writes cost more than the bytes. */
const heldBytes = 64 * 1024;

interface Spooled {
  file: string;
  held: Uint8Array[];
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
    const spooled: Spooled = { file: path.join(this.folder, String(this.files.size)), held: [], heldBytes: 0 };
    this.files.set(name, spooled);
    writeFileSync(spooled.file, "");
    return (bytes) => {
      spooled.held.push(bytes.slice());
      spooled.heldBytes += bytes.length;
      if (spooled.heldBytes < heldBytes) return;
      appendFileSync(spooled.file, Buffer.concat(spooled.held));
      spooled.held = [];
      spooled.heldBytes = 0;
    };
  }

  /** The complete file as a stream. */
  async read(name: string): Promise<ReadableStream<Uint8Array>> {
    const spooled = this.files.get(name);
    if (!spooled) throw new Error("no such file");
    await appendFile(spooled.file, Buffer.concat(spooled.held));
    spooled.held = [];
    const file = await open(spooled.file);
    return Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
