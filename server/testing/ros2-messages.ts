import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import zstd from "@foxglove/wasm-zstd";
import { McapIndexedReader } from "@mcap/core";

export interface ReadMessage<Message> {
  time: bigint;
  message: Message;
}

/** The messages of an MCAP file by topic, decoded as any reader of ROS 2 does. */
export async function readRos2Messages<Message>(file: Buffer): Promise<Map<string, ReadMessage<Message>[]>> {
  await zstd.isLoaded;
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: () => Promise.resolve(BigInt(file.length)),
      read: (offset, length) => Promise.resolve(file.subarray(Number(offset), Number(offset + length))),
    },
    decompressHandlers: { zstd: (data, size) => zstd.decompress(data, Number(size)) },
  });
  const found = new Map<string, ReadMessage<Message>[]>();
  for await (const { channelId, data, logTime } of reader.readMessages()) {
    const channel = reader.channelsById.get(channelId);
    const schema = reader.schemasById.get(channel?.schemaId ?? 0);
    if (!channel || !schema) continue;
    const decoder = new MessageReader(parse(Buffer.from(schema.data).toString(), { ros2: true }));
    const seen = found.get(channel.topic) ?? [];
    seen.push({ time: logTime, message: decoder.readMessage<Message>(data) });
    found.set(channel.topic, seen);
  }
  return found;
}
