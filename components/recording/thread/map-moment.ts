import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { readFixDetails, type FixDetails } from "@/engine/messages/positions/fix";
import { UnreadableMessage } from "@/engine/messages/reading";
import { findFeatureAdapter, type MapFeatures } from "@/engine/messages/scenes/map-features";

/** What a map shows of a moment. */
export interface MapWanted {
  /** A topic of a receiver; null for none. */
  fix: string | null;
  /** Topics that draw on maps, with the time of the message that the map shows already. */
  features: readonly { topic: string; time: bigint | null }[];
}

/** What a topic draws on a map. */
export interface DrawnFeatures extends MapFeatures {
  topic: string;
  /** Nanoseconds since 1970; null where there is no message yet. */
  time: bigint | null;
  /** Why it is not drawn. */
  reason: string | null;
}

export interface MapMoment {
  fix: FixDetails | null;
  /** Those that changed. */
  features: DrawnFeatures[];
}

const nothing = { shapes: [], notes: [], reason: null };

/** What maps show of a moment: messages hold more than the track, which is read from signals. */
export async function readMapMoment(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  wanted: MapWanted,
  at: bigint,
): Promise<MapMoment> {
  const features = await Promise.all(
    wanted.features.map(async ({ topic, time }): Promise<DrawnFeatures[]> => {
      const read = await orReason(async () => {
        const message = await chunks.findLatest(topic, at);
        if ((message?.logTime ?? null) === time) return null;
        if (message === null) return { topic, time: null, ...nothing };
        const adapter = findFeatureAdapter(message.channel.schemaName);
        const drawn = adapter && (await orReason(() => adapter(decoders.decode(message))));
        const shown = typeof drawn === "string" ? { ...nothing, reason: drawn } : { ...nothing, ...drawn };
        return { topic, time: message.logTime, ...shown };
      });
      if (typeof read === "string") return [{ topic, time: null, ...nothing, reason: read }];
      return read === null ? [] : [read];
    }),
  );
  const fix = await orReason(async () => {
    const message = wanted.fix === null ? null : await chunks.findLatest(wanted.fix, at);
    return message && readFixDetails(decoders.decode(message));
  });
  // The track says what is wrong with the messages of its topic.
  return { fix: typeof fix === "string" ? null : fix, features: features.flat() };
}

/** The result, or why there is none. */
async function orReason<Result>(read: () => Result | Promise<Result>): Promise<Result | string> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableMessage || error instanceof RecordingError) return error.message;
    throw error;
  }
}
