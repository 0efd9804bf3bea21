import { open, type FileHandle } from "node:fs/promises";
import { McapWriter } from "@mcap/core";
import type { ConversionSink, ConvertedChannel } from "@/engine/formats/conversion";
import { signalCompression } from "@/server/platform/files/signal-compression";

const chunkBytes = 1024 * 1024;
/** Zstd, by its number in Parquet. */
const zstdCodec = 6;

/** An indexed MCAP file on disk, written chunk by chunk. */
export class McapFile implements ConversionSink {
  private readonly sequences = new Map<number, number>();
  private readonly schemas = new Map<string, number>();
  private position = 0;

  private constructor(
    private readonly handle: FileHandle,
    private readonly writer: McapWriter,
  ) {}

  static async create(path: string): Promise<McapFile> {
    const handle = await open(path, "w");
    let file: McapFile | null = null;
    const { codec, compress } = signalCompression();
    const writer = new McapWriter({
      writable: {
        position: () => BigInt(file?.position ?? 0),
        write: async (bytes) => {
          await handle.writeFile(bytes);
          if (file) file.position += bytes.byteLength;
        },
      },
      chunkSize: chunkBytes,
      // Without zstd the file is as large as what it holds.
      ...(codec === zstdCodec && {
        compressChunk: (data: Uint8Array) => ({ compression: "zstd", compressedData: Uint8Array.from(compress(data)) }),
      }),
    });
    file = new McapFile(handle, writer);
    await writer.start({ profile: "", library: "muster" });
    return file;
  }

  async addChannel(channel: ConvertedChannel): Promise<number> {
    const { topic, messageEncoding, schemaName, schemaEncoding, schemaData } = channel;
    const key = JSON.stringify([schemaName, schemaEncoding, Buffer.from(schemaData).toString("latin1")]);
    let schemaId = schemaName === "" ? 0 : this.schemas.get(key);
    if (schemaId === undefined) {
      schemaId = await this.writer.registerSchema({ name: schemaName, encoding: schemaEncoding, data: schemaData });
      this.schemas.set(key, schemaId);
    }
    return this.writer.registerChannel({ schemaId, topic, messageEncoding, metadata: new Map() });
  }

  async addMessage(channelId: number, logTime: bigint, data: Uint8Array): Promise<void> {
    const sequence = ((this.sequences.get(channelId) ?? 0) + 1) >>> 0;
    this.sequences.set(channelId, sequence);
    await this.writer.addMessage({ channelId, sequence, logTime, publishTime: logTime, data });
  }

  async addMetadata(name: string, entries: ReadonlyMap<string, string>): Promise<void> {
    await this.writer.addMetadata({ name, metadata: new Map(entries) });
  }

  /** Completes the file; resolves to its size in bytes. */
  async finish(): Promise<number> {
    await this.writer.end();
    return this.position;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
