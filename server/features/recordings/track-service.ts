import type { TrackQuery } from "@/domain/recordings/schema";
import { placeOnEarth, readDeviceDatum, type Datum } from "@/engine/messages/positions/datum";
import { isPlace, placePrefixes } from "@/engine/messages/positions/fix";
import { TrackThinner, type Track } from "@/engine/messages/scenes/track";
import {
  isReadable,
  type NumberColumn,
  type RowSpan,
  type SignalFileReader,
} from "@/engine/signals/signal-file-reader";
import { requireTopic } from "@/server/features/recordings/message-service";
import { findRecording } from "@/server/features/recordings/service";
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
  /**
   * Whether it is odometry without a datum: its degrees are those of metres from 0°, 0°, and mean no place on earth.
   */
  is_local: boolean;
}

/** What of a topic says where it was: degrees, or metres of a frame that a datum places on earth. */
interface PlaceColumns {
  first: string;
  second: string;
  toDegrees: ((x: number, y: number) => { latitude: number; longitude: number }) | null;
  isLocal: boolean;
}

/** Where odometry holds its position: of ROS, whose pose has a covariance, and of Foxglove. */
const positionPrefixes = ["pose.pose.position.", "pose.position."];

/** Null for a topic that holds no degrees. */
function findDegrees({ types }: SignalSource): PlaceColumns | null {
  const prefix = placePrefixes.find((each) => types.has(`${each}latitude`));
  return prefix === undefined
    ? null
    : { first: `${prefix}latitude`, second: `${prefix}longitude`, toDegrees: null, isLocal: false };
}

/** Null for a topic of which no field says where it was. */
async function findPlaceColumns(ctx: Ctx, recordingId: string, source: SignalSource): Promise<PlaceColumns | null> {
  const degrees = findDegrees(source);
  if (degrees !== null) return degrees;
  const { types } = source;
  const metres = positionPrefixes.find((each) => types.has(`${each}x`) && types.has(`${each}y`));
  if (metres === undefined) return null;
  const datum = await findDatum(ctx, recordingId);
  const toDegrees = placeOnEarth(datum ?? { latitude: 0, longitude: 0, yaw: 0 });
  return { first: `${metres}x`, second: `${metres}y`, toDegrees, isLocal: datum === null };
}

/** The datum that the metadata of a recording's device name; null without one, and where its topic has no place. */
async function findDatum(ctx: Ctx, recordingId: string): Promise<Datum | null> {
  const { organizationId } = ctx;
  const { device_id: uid } = await findRecording(ctx, recordingId);
  const device = await ctx.db.device.findFirst({ where: { uid, organizationId }, select: { metadata: true } });
  const source = readDeviceDatum(device?.metadata);
  if (source?.kind !== "topic") return source?.datum ?? null;
  const file = await findSignalFile(ctx, recordingId, source.topic);
  const columns = file && findDegrees(file);
  if (!file || !columns) return null;
  const place = await openSignals(file, (reader) => readFirstPlace(reader, file, columns));
  return place && { ...place, yaw: source.yaw };
}

const maxFields = 50;
/** What colours nothing: where the track is. */
const placeFields: ReadonlySet<string> = new Set(
  placePrefixes.flatMap((prefix) => [`${prefix}latitude`, `${prefix}longitude`]),
);

/**
 * Where a receiver of satellites, or odometry, was throughout a recording, thinned evenly in time, from the signals of its
 * topic. Null where these do not say it: they are not written yet, or some message lacks its place.
 */
export async function readTrack(
  ctx: Ctx,
  recordingId: string,
  { topic, colour }: TrackQuery,
): Promise<RecordingTrack | null> {
  await requireTopic(ctx, recordingId, topic);
  const source = await findSignalFile(ctx, recordingId, topic);
  const columns = source && (await findPlaceColumns(ctx, recordingId, source));
  return source && columns && openSignals(source, (reader) => readPlaces(reader, source, columns, colour));
}

/** Numbers of the topic that may say something about the track. */
const listFields = ({ types }: SignalSource): string[] =>
  [...types].flatMap(([path, type]) => (isReadable(type) && !placeFields.has(path) ? [path] : [])).slice(0, maxFields);

const isFinitePlace = (latitude: number, longitude: number): boolean =>
  Number.isFinite(latitude) && Number.isFinite(longitude);

/** Null for a field that is absent, or holds no numbers. */
async function readField(
  reader: SignalFileReader,
  { types }: SignalSource,
  field: string,
  span: RowSpan,
): Promise<NumberColumn | null> {
  const type = types.get(field);
  return type !== undefined && isReadable(type) ? reader.readColumn(field, type, span) : null;
}

/** The first place of a topic of degrees, with a fix where it says so; what comes after it is not read. */
async function readFirstPlace(
  reader: SignalFileReader,
  source: SignalSource,
  { first, second }: PlaceColumns,
): Promise<{ latitude: number; longitude: number } | null> {
  for (const group of reader.groups) {
    const [latitudes, longitudes, status] = [
      await readField(reader, source, first, group),
      await readField(reader, source, second, group),
      await readField(reader, source, "status.status", group),
    ];
    if (!latitudes || !longitudes) return null;
    for (const [row, latitude] of latitudes.entries()) {
      const longitude = longitudes[row]!;
      if ((status?.[row] ?? 0) >= 0 && isPlace(latitude, longitude)) return { latitude, longitude };
    }
  }
  return null;
}

async function readPlaces(
  reader: SignalFileReader,
  source: SignalSource,
  { first: firstColumn, second: secondColumn, toDegrees, isLocal }: PlaceColumns,
  colour: string | undefined,
): Promise<RecordingTrack | null> {
  const { groups } = reader;
  const [first, last] = [groups[0], groups.at(-1)];
  if (!first || !last) return null;
  const read = (field: string, span: RowSpan) => readField(reader, source, field, span);
  const isKnown = isLocal ? isFinitePlace : isPlace;
  const thinner = new TrackThinner(Number(last.to - first.from), reader.rows, maxPoints, isKnown);
  // Group by group, so that memory does not grow with the recording.
  for (const group of groups) {
    const times = await reader.readTimes(first.from, group);
    const [a, b] = [await read(firstColumn, group), await read(secondColumn, group)];
    if (!times || !a || !b) return null;
    const places = toDegrees && Array.from(a, (x, at) => toDegrees(x, b[at] ?? Number.NaN));
    const latitudes = places ? places.map(({ latitude }) => latitude) : a;
    const longitudes = places ? places.map(({ longitude }) => longitude) : b;
    const status = await read("status.status", group);
    const values = colour === undefined ? null : await read(colour, group);
    thinner.add({ times, latitudes, longitudes, status, values });
  }
  return {
    fields: listFields(source),
    is_local: isLocal,
    start_ns: String(first.from),
    style_url: env.MAP_STYLE_URL ?? null,
    ...thinner.finish(),
  };
}
