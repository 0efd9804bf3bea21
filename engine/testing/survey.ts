import { parseCondition } from "@/domain/conditions/condition-schema";
import { processColumns } from "@/engine/columns/pass";
import { createDecoder } from "@/engine/decode/decode";
import { jsonSafe } from "@/engine/decode/json-safe";
import { blobSource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { openRecording } from "@/engine/formats/reader/reader";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

export { loadPortableCodecs } from "@/engine/formats/codecs/portable-codecs";

/** Everything the engine reads from a recording's file, as JSON text, which must be the same on every platform. */
export async function surveyRecording(file: Blob, codecs: Codecs, conditions: readonly unknown[]): Promise<string> {
  const reader = await openRecording([blobSource(file)], codecs);
  const messages: unknown[] = [];
  for await (const batch of reader.messages()) {
    for (const { channel, logTime, data } of batch) {
      messages.push([channel.topic, logTime, decoded(channel, data)]);
    }
  }
  const rules = conditions.map((condition, at) => ({
    uid: `rule-${at}`,
    version: 1,
    condition: parseCondition(condition),
  }));
  const { summary, series, density, results, warnings } = await processColumns([blobSource(file)], rules, { codecs });
  const stored = [...series.finish(), ...density.finish()].map((entry) => ({ ...entry, data: [...entry.data] }));
  const topics = summary.topics.map(({ topic, messageCount, schemaName }) => [topic, schemaName, messageCount]);
  return JSON.stringify({ topics, gaps: summary.gaps, messages, stored, results, warnings }, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

/** The decoded message, or why it cannot be decoded. */
function decoded(channel: Channel, data: Uint8Array): unknown {
  try {
    return jsonSafe(createDecoder(channel).decode(data));
  } catch (error) {
    if (error instanceof RecordingError) return error.message;
    throw error;
  }
}
