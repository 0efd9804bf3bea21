import type { MessagesQuery } from "@/domain/recordings/schema";
import { isoFromNs, nsPerMs } from "@/domain/time/nanoseconds";
import { createDecoder, type MessageDecoder } from "@/engine/decode/decode";
import { jsonSafe } from "@/engine/decode/json-safe";
import type { Channel, RawMessage, RecordingReader } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { openByteSources } from "@/server/features/recordings/file-service";
import { withOpenReader } from "@/server/features/recordings/open-readers";
import type { MessageResource, MessagesAround } from "@/server/features/recordings/resource";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { invalid, notFound, ServiceError } from "@/server/platform/errors";
import { ObjectMissing } from "@/server/platform/storage/store";

/** Milliseconds that a request may spend reading a recording's files. */
const budgetMs = 15_000;

/**
 * A topic of a recording as processing stored it. Throws `not_found`, or `invalid("topic")` for one the recording
 * lacks.
 */
export async function requireTopic(ctx: Ctx, recordingId: string, topic: string) {
  await findRecording(ctx, recordingId);
  const row = await ctx.db.topic.findFirst({ where: { recordingId, name: topic, organizationId: ctx.organizationId } });
  if (!row) throw invalid("topic", `"${topic.slice(0, 200)}" is not a topic of this recording.`);
  return row;
}

/**
 * Reads a recording's files for one request, within `budgetMs`. Throws `not_found` when the files were deleted,
 * `invalid([])` when they cannot be read, `unavailable` after the timeout.
 */
export async function withRecording<T>(
  ctx: Ctx,
  recordingId: string,
  work: (reader: RecordingReader, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(budgetMs);
  try {
    const files = await openByteSources(ctx, recordingId);
    // What it depends on is part of the key, so that a reader is never shared across callers or changed files.
    const key = [
      ctx.organizationId,
      recordingId,
      files[0]?.completer?.id ?? "",
      ...files.map((file) => file.size),
    ].join(" ");
    return await withOpenReader(key, files, (reader) => {
      signal.throwIfAborted();
      return work(reader, signal);
    });
  } catch (error) {
    if (error instanceof ObjectMissing) throw notFound();
    if (signal.aborted) throw new ServiceError("unavailable", { detail: "Reading this recording takes too long." });
    if (error instanceof RecordingError) throw invalid([], error.message);
    throw error;
  }
}

interface CopiedMessage extends Omit<RawMessage, "data"> {
  data: Uint8Array;
}
/** Copies the payload: it is a view into a chunk that the next batch overwrites. */
const copyMessage = (message: RawMessage): CopiedMessage => ({ ...message, data: Uint8Array.from(message.data) });

/** The first `count` messages of a topic within a range of nanoseconds. */
async function readFollowing(
  reader: RecordingReader,
  topic: string,
  { start, end }: { start: bigint; end: bigint },
  count: number,
  signal: AbortSignal,
): Promise<CopiedMessage[]> {
  const found: CopiedMessage[] = [];
  for await (const batch of reader.messages({ topics: new Set([topic]), start, end, signal })) {
    found.push(...batch.slice(0, count - found.length).map(copyMessage));
    if (found.length >= count) break;
  }
  return found;
}

/**
 * The last `count` messages of a topic before a time. Readers only read forwards, so the search starts at a distance
 * estimated from the topic's mean period and extends when it found too few.
 */
async function readPreceding(
  reader: RecordingReader,
  topic: { name: string; firstNs: bigint; periodNs: bigint },
  before: bigint,
  count: number,
  signal: AbortSignal,
): Promise<CopiedMessage[]> {
  if (count === 0 || before <= topic.firstNs) return [];
  for (let span = topic.periodNs * BigInt(2 * count); ; span *= 8n) {
    const start = before - span > topic.firstNs ? before - span : topic.firstNs;
    let found: CopiedMessage[] = [];
    for await (const batch of reader.messages({ topics: new Set([topic.name]), start, end: before - 1n, signal })) {
      found = [...found, ...batch.slice(-count).map(copyMessage)].slice(-count);
    }
    if (found.length === count || start === topic.firstNs) return found;
  }
}

/** Bytes of a message that cannot be decoded which a page shows. */
const headBytes = 1_024;

/** Decoded messages of a topic around `at`: up to half of `limit` before it, the rest from it on. */
export const readMessages = (ctx: Ctx, recordingId: string, input: MessagesQuery): Promise<MessagesAround> =>
  readAround(ctx, recordingId, input, (_message, decoded) => decoded);

/** The same for pages, with the first bytes of those that could not be decoded, in base64. */
export const readMessagesWithBytes = (ctx: Ctx, recordingId: string, input: MessagesQuery) =>
  readAround(ctx, recordingId, input, ({ data }, decoded) => ({
    ...decoded,
    head: decoded.error === null ? null : Buffer.from(data.subarray(0, headBytes)).toString("base64"),
  }));

async function readAround<T extends MessageResource>(
  ctx: Ctx,
  recordingId: string,
  input: MessagesQuery,
  describe: (message: CopiedMessage, decoded: MessageResource) => T,
) {
  const topic = await requireTopic(ctx, recordingId, input.topic);
  const firstNs = topic.firstNs ?? 0n;
  const lastNs = topic.lastNs ?? firstNs;
  const span = lastNs - firstNs;
  const mean = span / (topic.messageCount > 1n ? topic.messageCount - 1n : 1n);
  const periodNs = mean > 0n ? mean : nsPerMs;
  const at = input.at ?? firstNs;
  // Outliers of the topic lie outside its stored range.
  const following = { start: at > firstNs ? at : firstNs, end: lastNs };

  return withRecording(ctx, recordingId, async (reader, signal) => {
    const after = await readFollowing(reader, topic.name, following, input.limit, signal);
    const half = Math.floor(input.limit / 2);
    const wanted = Math.max(half, input.limit - after.length);
    const before = await readPreceding(
      reader,
      { name: topic.name, firstNs, periodNs },
      at > lastNs ? lastNs + 1n : at,
      wanted,
      signal,
    );
    const messages = [...before, ...after.slice(0, input.limit - before.length)];
    const decode = createMessageDecoder();
    return {
      topic: topic.name,
      schema: topic.schemaName,
      encoding: topic.encoding,
      at: String(at),
      messages: messages.map((message) => describe(message, decode(message))),
    };
  });
}

/**
 * Returns a function that decodes messages, with one decoder for each channel; an undecodable message carries the
 * reason.
 */
function createMessageDecoder(): (message: CopiedMessage) => MessageResource {
  const decoders = new Map<Channel, MessageDecoder | RecordingError>();
  const getDecoder = (channel: Channel): MessageDecoder => {
    let decoder = decoders.get(channel);
    if (!decoder) {
      try {
        decoder = createDecoder(channel);
      } catch (error) {
        if (!(error instanceof RecordingError)) throw error;
        decoder = error;
      }
      decoders.set(channel, decoder);
    }
    if (decoder instanceof RecordingError) throw decoder;
    return decoder;
  };
  return (message) => {
    const envelope = {
      time: isoFromNs(message.logTime),
      log_time_ns: String(message.logTime),
      publish_time_ns: String(message.publishTime),
      sequence: message.sequence,
      size_bytes: message.data.byteLength,
    };
    try {
      return { ...envelope, value: jsonSafe(getDecoder(message.channel).decode(message.data)), error: null };
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      return { ...envelope, value: null, error: error.message };
    }
  };
}
