import type { Decompress } from "@/engine/formats/codecs/codecs";
import {
  NotConvertible,
  type Conversion,
  type ConversionOptions,
  type ConversionSink,
} from "@/engine/formats/conversion";
import { zstdFrameSize } from "@/engine/formats/packed-message";
import { RecordingError } from "@/engine/formats/recording-error";
import { SqliteFile, type SqliteRow } from "@/server/features/conversions/sqlite-file";
import type { SchemaText, TypeSchemas } from "@/server/features/conversions/type-schemas";

const maxMessageBytes = 64 * 1024 * 1024;
const maxSchemaBytes = 16 * 1024 * 1024;
/** Channels of an MCAP file have 16-bit numbers. */
const maxTopics = 60_000;
const maxRatio = 200;
const unpackedAlways = 256 * 1024 * 1024;

const topicsSql = `select id, substr(name, 1, 4096) as name, substr(type, 1, 1024) as type,
    substr(serialization_format, 1, 64) as format from topics limit ${maxTopics + 1}`;
const definitionsSql = `select substr(topic_type, 1, 1024) as type, substr(encoding, 1, 64) as encoding,
    case when length(encoded_message_definition) <= ${maxSchemaBytes} then encoded_message_definition end as text
  from message_definitions limit ${maxTopics}`;
// In the order of storage: sorting would hold the whole file, and the readers of MCAP sort.
const messagesSql = `select topic_id as topic, timestamp as time, length(data) as size,
    case when typeof(data) = 'blob' and length(data) <= ${maxMessageBytes} then data end as data from messages`;

export interface Db3Options extends ConversionOptions {
  schemas: TypeSchemas;
  zstd: Decompress;
  /** Bytes of the file. */
  fileBytes: number;
}

interface Topic {
  channelId: number;
  count: number;
}

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Writes the messages of a rosbag2 SQLite file to a sink. Damage ends it early, with what was read until then. Throws a
 * NotConvertible for a file without anything to read, and a RecordingError beyond a limit.
 */
export async function convertDb3(path: string, sink: ConversionSink, options: Db3Options): Promise<Conversion> {
  const file = SqliteFile.open(path);
  const warnings = new Set<string>();
  try {
    const topics = await addTopics(file, sink, options);
    const result = { format: "db3" as const, messageCount: 0, truncated: false };
    try {
      result.messageCount = await copyMessages(file, sink, topics, options, warnings);
    } catch (error) {
      if (!(error instanceof NotConvertible)) throw error;
      result.messageCount = [...topics.values()].reduce((sum, { count }) => sum + count, 0);
      if (result.messageCount === 0) throw error;
      result.truncated = true;
      warnings.add("Pages of the db3 file are damaged; it was read as far as they go.");
    }
    return { ...result, warnings: [...warnings] };
  } finally {
    file.close();
  }
}

function readDefinitions(file: SqliteFile): Map<string, SchemaText> {
  const definitions = new Map<string, SchemaText>();
  if (!file.has("message_definitions")) return definitions;
  for (const { type, encoding, text } of file.rows(definitionsSql)) {
    if ((encoding === "ros2msg" || encoding === "ros2idl") && typeof text === "string" && text !== "") {
      definitions.set(toText(type), { encoding, text });
    }
  }
  return definitions;
}

async function addTopics(
  file: SqliteFile,
  sink: ConversionSink,
  { schemas }: Db3Options,
): Promise<Map<number | bigint, Topic>> {
  const stored = readDefinitions(file);
  const topics = new Map<number | bigint, Topic>();
  for (const row of file.rows(topicsSql)) {
    if (topics.size >= maxTopics) throw new RecordingError("The recording declares more topics than can be read.");
    const { id } = row;
    if (typeof id !== "number" && typeof id !== "bigint") continue;
    const type = toText(row.type);
    const messageEncoding = toText(row.format) || "cdr";
    const schema = stored.get(type) ?? (messageEncoding === "cdr" ? schemas.find(type) : null);
    const channelId = await sink.addChannel({
      topic: toText(row.name),
      messageEncoding,
      schemaName: type,
      schemaEncoding: schema?.encoding ?? "",
      schemaData: new TextEncoder().encode(schema?.text ?? ""),
    });
    topics.set(id, { channelId, count: 0 });
  }
  return topics;
}

async function copyMessages(
  file: SqliteFile,
  sink: ConversionSink,
  topics: ReadonlyMap<number | bigint, Topic>,
  options: Db3Options,
  warnings: Set<string>,
): Promise<number> {
  const { fileBytes, isDue, pause, onProgress, zstd } = options;
  let count = 0;
  let storedBytes = 0;
  let unpackedBytes = 0;
  for (const row of file.rows(messagesSql)) {
    const topic = topics.get(row.topic as number);
    const message = topic && readMessage(row, warnings);
    // Damaged pages can be visited again and again; the rows of a sound file fit into it.
    storedBytes += 8 + (typeof row.size === "number" ? row.size : 0);
    if (storedBytes > fileBytes + 8_192)
      throw new NotConvertible("is a ROS 2 db3 file with pages that refer to themselves");
    const data = message ? unpack(message.data, zstd, warnings) : null;
    if (topic && message && data) {
      unpackedBytes += data.length;
      if (unpackedBytes > unpackedAlways && unpackedBytes > maxRatio * fileBytes) {
        throw new RecordingError(`The messages decompress to more than ${maxRatio} times the size of the files.`);
      }
      await sink.addMessage(topic.channelId, message.time, data);
      topic.count += 1;
      count += 1;
    } else if (!topic) warnings.add("Messages of topics that the db3 file does not list were left out.");
    if (isDue()) {
      onProgress?.(Math.min(1, storedBytes / fileBytes));
      await pause();
    }
  }
  return count;
}

function readMessage(row: SqliteRow, warnings: Set<string>): { time: bigint; data: Uint8Array } | null {
  const { time, data, size } = row;
  if (!(data instanceof Uint8Array) || (typeof time !== "bigint" && !Number.isSafeInteger(time)) || Number(time) < 0) {
    const large = typeof size === "number" && size > maxMessageBytes;
    warnings.add(
      large
        ? "Messages of more than 64 MiB were left out."
        : "Rows of the db3 file that hold no message with a time were left out.",
    );
    return null;
  }
  return { time: BigInt(time as number | bigint), data };
}

/** rosbag2 can compress message by message; CDR never begins like a frame of zstd. Null for one that is too large. */
function unpack(data: Uint8Array, zstd: Decompress, warnings: Set<string>): Uint8Array | null {
  const size = zstdFrameSize(data);
  if (size === null) return data;
  if (size > maxMessageBytes) {
    warnings.add("Messages of more than 64 MiB were left out.");
    return null;
  }
  try {
    return zstd(data, size);
  } catch {
    warnings.add("Messages that cannot be decompressed are kept as they are.");
    return data;
  }
}
