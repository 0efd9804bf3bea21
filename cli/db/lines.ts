import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const flushBytes = 256 * 1024;
const newline = 10;

/** Values on disk, a line of JSON each, in a file without a name that is gone when the process ends. */
export class Lines<T> {
  private waiting: string[] = [];
  private waitingLength = 0;
  private written = 0;

  private constructor(private readonly file: FileHandle) {}

  static async create<T>(): Promise<Lines<T>> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "muster-backup-"));
    try {
      return new Lines<T>(await open(path.join(folder, "lines"), "wx+", 0o600));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async add(value: T): Promise<void> {
    const line = `${JSON.stringify(value)}\n`;
    this.waiting.push(line);
    this.waitingLength += line.length;
    if (this.waitingLength >= flushBytes) await this.flush();
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.from(this.waiting.join(""));
    [this.waiting, this.waitingLength] = [[], 0];
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.file.write(bytes, at, bytes.length - at, this.written + at);
      at += bytesWritten;
    }
    this.written += bytes.length;
  }

  /** The size of all lines in bytes. */
  async size(): Promise<number> {
    await this.flush();
    return this.written;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    await this.flush();
    for (let at = 0; at < this.written;) {
      const { bytesRead, buffer } = await this.file.read(Buffer.allocUnsafe(flushBytes), 0, flushBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  values = (): AsyncGenerator<T> => parseLines<T>(this.bytes());

  close = (): Promise<void> => this.file.close();
}

/** Lines of text, without their ends. */
export async function* readLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString();
      [rest, from] = [[], end + 1];
      yield line;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString();
}

/** The values of lines of JSON. Throws a SyntaxError for what is none. */
export async function* parseLines<T>(bytes: AsyncIterable<Buffer>): AsyncGenerator<T> {
  for await (const line of readLines(bytes)) yield JSON.parse(line) as T;
}
