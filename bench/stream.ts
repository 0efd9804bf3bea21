import fs from "node:fs";
import zstd from "@foxglove/wasm-zstd";
import { McapStreamReader } from "@mcap/core";
import { loadLz4 } from "@/engine/formats/codecs/lz4";

/** Seconds that the reference reader takes to read and decompress a file without decoding messages. */
export async function streamSeconds(location: string): Promise<number> {
  await zstd.isLoaded;
  const lz4 = await loadLz4();
  const started = performance.now();
  const reader = new McapStreamReader({
    decompressHandlers: {
      zstd: (bytes, size) => zstd.decompress(bytes, Number(size)),
      lz4: (bytes, size) => lz4(bytes, Number(size)),
    },
  });
  for await (const chunk of fs.createReadStream(location, { highWaterMark: 1024 * 1024 })) {
    reader.append(chunk as Buffer);
    while (reader.nextRecord());
  }
  if (!reader.done()) throw new Error(`${location} was not read to its end`);
  return (performance.now() - started) / 1_000;
}
