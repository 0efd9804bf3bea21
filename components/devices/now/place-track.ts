import { measureDegree } from "@/engine/messages/positions/datum";
import type { Track } from "@/engine/messages/scenes/track";

/** `[t, min, mean, max]`, as series have them. */
type Point = readonly [at: string, min: number, mean: number, max: number];

/** After this long without a point the way is not known. */
const pauseMs = 20 * 60_000;

interface Way {
  /** Degrees, or metres in a frame of the robot's own. */
  isLocal: boolean;
  north: readonly Point[];
  east: readonly Point[];
  /** Where it is now. */
  place: { north: number; east: number };
}

/** The way of a device as maps take it, and when it begins (ms). Metres become degrees about the point 0°, 0°. */
export function toTrack({ isLocal, north, east, place }: Way): { track: Track; startMs: number } {
  const eastAt = new Map(east.map(([time, , mean]) => [time, mean]));
  const places = north.flatMap(([time, , mean]) => {
    const other = eastAt.get(time);
    return other === undefined ? [] : [{ ms: Date.parse(time), north: mean, east: other }];
  });
  // When exactly does not matter to a map, which would be drawn anew with each heartbeat of a robot at rest.
  places.push({ ms: (places.at(-1)?.ms ?? 0) + 1_000, ...place });
  const startMs = places[0]?.ms ?? 0;
  const degree = measureDegree(0);
  const track: Track = { times_ms: [], latitudes: [], longitudes: [], values: [], without_fix: 0 };
  const add = (ms: number, latitude: number | null, longitude: number | null) => {
    track.times_ms.push(ms - startMs);
    track.latitudes.push(latitude);
    track.longitudes.push(longitude);
  };
  for (const [n, each] of places.entries()) {
    const before = places[n - 1];
    if (before && each.ms - before.ms > pauseMs) add(before.ms + 1, null, null);
    add(each.ms, isLocal ? each.north / degree.north : each.north, isLocal ? each.east / degree.east : each.east);
  }
  return { track, startMs };
}
