import type { TrackQuery } from "@/domain/recordings/schema";
import { placePrefixes } from "@/engine/messages/fix";
import { TrackThinner, type Track } from "@/engine/messages/track";
import { isReadable, type RowSpan, type SignalFileReader } from "@/engine/signals/signal-file-reader";
import { requireTopic } from "@/server/features/recordings/message-service";
import { openSignals } from "@/server/features/stored-signals/open-signals";
import { findSignalFile, type SignalSource } from "@/server/features/stored-signals/source-queries";
import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";

/** Places of a track: a line of these looks like one of all places. */
const maxPoints = 4_000;

/** The track of a topic through a recording. */
export interface RecordingTrack extends Track {
  /** Nanoseconds since 1970, to which the times are relative. */
  start_ns: string;
  /** The style of the map that it is shown on; null for a grid. */
  style_url: string | null;
  /** Fields of the topic that can colour it. */
  fields: string[];
}

const maxFields = 50;
/** What colours nothing: where the track is. */
const placeFields: ReadonlySet<string> = new Set(
  placePrefixes.flatMap((prefix) => [`${prefix}latitude`, `${prefix}longitude`]),
);

/**
 * Where a receiver of satellites was throughout a recording, thinned evenly in time, from the signals of its topic. Null
 * where these do not say it: they are not written yet, or some message lacks its place.
 */
export async function readTrack(
  ctx: Ctx,
  recordingId: string,
  { topic, colour }: TrackQuery,
): Promise<RecordingTrack | null> {
  await requireTopic(ctx, recordingId, topic);
  const source = await findSignalFile(ctx, recordingId, topic);
  return source && openSignals(source, (reader) => readPlaces(reader, source, colour));
}

/** Numbers of the topic that may say something about the track. */
const listFields = ({ types }: SignalSource): string[] =>
  [...types].flatMap(([path, type]) => (isReadable(type) && !placeFields.has(path) ? [path] : [])).slice(0, maxFields);

async function readPlaces(
  reader: SignalFileReader,
  source: SignalSource,
  colour: string | undefined,
): Promise<RecordingTrack | null> {
  const { groups } = reader;
  const [first, last] = [groups[0], groups.at(-1)];
  if (!first || !last) return null;
  const read = async (field: string, span: RowSpan) => {
    const type = source.types.get(field);
    return type !== undefined && isReadable(type) ? reader.readColumn(field, type, span) : null;
  };
  const prefix = placePrefixes.find((each) => source.types.has(`${each}latitude`)) ?? "";
  const thinner = new TrackThinner(Number(last.to - first.from), reader.rows, maxPoints);
  // Group by group, so that memory does not grow with the recording.
  for (const group of groups) {
    const times = await reader.readTimes(first.from, group);
    const latitudes = await read(`${prefix}latitude`, group);
    const longitudes = await read(`${prefix}longitude`, group);
    if (!times || !latitudes || !longitudes) return null;
    const status = await read("status.status", group);
    const values = colour === undefined ? null : await read(colour, group);
    thinner.add({ times, latitudes, longitudes, status, values });
  }
  return {
    fields: listFields(source),
    start_ns: String(first.from),
    style_url: env.MAP_STYLE_URL ?? null,
    ...thinner.finish(),
  };
}
