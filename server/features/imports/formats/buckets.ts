import { createReadStream } from "node:fs";
import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { BadAnnotationFile } from "@/server/features/imports/formats/annotation-file";

/** Bytes of a file for which one bucket is made. */
const bytesPerBucket = 4 * 1024 * 1024;
const maxBuckets = 256;
/** What is held in memory of one bucket. */
const maxBucketBytes = 256 * 1024 * 1024;
const writtenTogether = 64 * 1024;

/** Where a key belongs (FNV-1a). */
function hash(key: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) value = Math.imul(value ^ key.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** Only a line feed ends a line: JSON may hold other separators as they are. */
async function* readLines(file: string): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const part of createReadStream(file, { highWaterMark: 4 * writtenTogether }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, from)) {
      const line = part.subarray(from, end);
      yield (begun.length > 0 ? Buffer.concat([...begun, line]) : line).toString();
      begun = [];
      from = end + 1;
    }
    if (from < part.length) begun.push(part.subarray(from));
  }
}

/** Lines of one bucket, those of the end not yet written. */
class Bucket {
  private lines: string[] = [];
  private waiting = 0;
  private file: FileHandle | null = null;
  private bytes = 0;

  constructor(private readonly target: string) {}

  async add(line: string): Promise<void> {
    this.lines.push(line);
    this.waiting += line.length;
    if (this.waiting >= writtenTogether) await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.lines.length === 0) return;
    this.file ??= await open(this.target, "wx", 0o600);
    const bytes = Buffer.from(`${this.lines.join("\n")}\n`);
    await this.file.appendFile(bytes);
    this.bytes += bytes.length;
    if (this.bytes > maxBucketBytes)
      throw new BadAnnotationFile("The file holds more of a few pictures than can be read together.");
    [this.lines, this.waiting] = [[], 0];
  }

  async *read(): AsyncGenerator<string> {
    if (this.file) {
      await this.flush();
      await this.close();
      yield* readLines(this.target);
    } else yield* this.lines;
    this.lines = [];
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = null;
  }
}

/**
 * Gathers what belongs together but stands apart in a file: values by their keys, in temporary files, of which one at a time is
 * read back. A value comes back as JSON makes it.
 */
export class Buckets {
  private readonly buckets: Bucket[];

  private constructor(
    private readonly folder: string,
    count: number,
  ) {
    this.buckets = Array.from({ length: count }, (_, at) => new Bucket(path.join(folder, String(at))));
  }

  /** For the values of a file of so many bytes. */
  static async make(temporaryFolder: string, bytes: number): Promise<Buckets> {
    const count = Math.min(maxBuckets, Math.max(1, Math.ceil(bytes / bytesPerBucket)));
    return new Buckets(await mkdtemp(path.join(temporaryFolder, "annotations-")), count);
  }

  async add(key: string, value: unknown): Promise<void> {
    await this.buckets[hash(key) % this.buckets.length]?.add(JSON.stringify([key, value]));
  }

  /** The values of each bucket, in the order in which they were added; those of a key are all in one. */
  async *read(): AsyncGenerator<AsyncGenerator<[key: string, value: unknown]>> {
    for (const bucket of this.buckets) yield parseLines(bucket.read());
  }

  async remove(): Promise<void> {
    await Promise.all(this.buckets.map((bucket) => bucket.close()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function* parseLines(lines: AsyncIterable<string>): AsyncGenerator<[key: string, value: unknown]> {
  // Made by `add`.
  for await (const line of lines) yield JSON.parse(line) as [string, unknown];
}
