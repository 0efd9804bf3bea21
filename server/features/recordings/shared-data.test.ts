import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createDecoder } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { memorySource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader";

const folder = path.resolve("../shared/data");

/** Files of public projects: messages, topics, and topics whose schema cannot be used. */
const files: [name: string, messages: number, topics: number, undecodable: number][] = [
  ["bad-schema.mcap", 20, 2, 1],
  ["diagnostics.mcap", 14, 2, 0],
  ["example-bz2.bag", 8647, 9, 0],
  ["example-lz4.bag", 8647, 9, 0],
  ["example-unsorted-chunks.bag", 3, 1, 0],
  ["example.bag", 8647, 9, 0],
  ["float64-50k.mcap", 50_000, 1, 0],
  ["no-messages.bag", 0, 0, 0],
  ["publish-vs-log-time.mcap", 50, 1, 0],
  ["ros2-service-events.mcap", 10, 4, 0],
  ["ros2-standard-types.mcap", 188, 94, 0],
  ["truncated.mcap", 14, 2, 0],
];

describe.skipIf(!existsSync(folder))("recordings no one here made", () => {
  it.each(files)("%s gives all %i messages of %i topics, decoded", async (name, messages, topics, undecodable) => {
    const reader = await openRecording([memorySource(readFileSync(path.join(folder, name)))]);
    const summary = await reader.summary();
    expect(summary.messageCount).toBe(messages);
    expect(summary.topics).toHaveLength(topics);
    expect(summary.truncated).toBe(name === "truncated.mcap");
    expect(summary.warnings).toHaveLength(summary.truncated ? 1 : 0);
    const failed = new Set<string>();
    let read = 0;
    for await (const batch of reader.messages()) {
      for (const { channel, data } of batch) {
        read += 1;
        try {
          createDecoder(channel).decode(data);
          createFieldReader(channel).read(data);
        } catch {
          failed.add(channel.topic);
        }
      }
      // Enough of the long ones; compiling anew for every message is slow.
      if (read > 2000) break;
    }
    expect(failed.size).toBe(undecodable);
  });
});
