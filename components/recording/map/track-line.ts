import type { Track } from "@/engine/messages/scenes/track";
import { LocalPlane, MercatorPlane, type Place, type Plane } from "./place";

/** Where the receiver was at a moment. */
export interface Located extends Place {
  latitude: number;
  longitude: number;
  /** Radians clockwise from north by the motion around the moment; null where it hardly moved. */
  heading: number | null;
}

/** A distance in metres below which a motion has no direction: receivers at rest wander as far. */
const stillMetres = 0.5;

/** How many colours a track has. */
const colourSteps = 32;

/** The values that colour a track, and the pieces of each colour. */
export interface TrackColours {
  least: number;
  most: number;
  /** By colour, of `colourSteps`: the places where its pieces begin. */
  pieces: readonly number[][];
}

/** Null without a number. */
function readColours(values: readonly (number | null)[]): TrackColours | null {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (least > most) return null;
  const pieces = Array.from({ length: colourSteps }, (): number[] => []);
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const share = most > least ? (value - least) / (most - least) : 0;
    pieces[Math.min(colourSteps - 1, Math.floor(share * colourSteps))]!.push(at);
  }
  return { least, most, pieces };
}

/** A track on a plane, its times in seconds of a time axis. */
export class TrackLine {
  readonly times: Float64Array;
  /** Units of the plane; NaN where the place is not known. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly bounds: { left: number; right: number; bottom: number; top: number };
  readonly plane: Plane;
  /** What colours it; null for nothing. */
  readonly colours: TrackColours | null;

  /**
   * `startAt` is the track's start in seconds of the axis. The track has at least one place. On Mercator's plane it fits
   * tiles, else distances are true.
   */
  constructor(
    private readonly track: Track,
    startAt: number,
    isMercator = false,
  ) {
    const { latitudes, longitudes } = track;
    const first = latitudes.findIndex((latitude) => latitude !== null);
    const origin = [latitudes[first] ?? 0, longitudes[first] ?? 0] as const;
    const plane = isMercator ? new MercatorPlane(...origin) : new LocalPlane(...origin);
    this.plane = plane;
    this.colours = readColours(track.values);
    const places = latitudes.map((latitude, at) =>
      latitude === null ? { x: NaN, y: NaN } : plane.place(latitude, longitudes[at] ?? 0),
    );
    this.times = Float64Array.from(track.times_ms, (ms) => startAt + ms / 1000);
    this.x = Float64Array.from(places, ({ x }) => x);
    this.y = Float64Array.from(places, ({ y }) => y);
    this.bounds = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    for (const { x, y } of places) {
      if (Number.isNaN(x)) continue;
      this.bounds.left = Math.min(this.bounds.left, x);
      this.bounds.right = Math.max(this.bounds.right, x);
      this.bounds.bottom = Math.min(this.bounds.bottom, y);
      this.bounds.top = Math.max(this.bounds.top, y);
    }
  }

  /** A part of the earth without a track, for maps that show only other things. Degrees. */
  static around({ south, north, west, east }: { south: number; north: number; west: number; east: number }): TrackLine {
    // Two corners that nobody was at, with nothing between them.
    const times_ms = [Infinity, Infinity, Infinity];
    const corners = { latitudes: [south, null, north], longitudes: [west, null, east] };
    return new TrackLine({ times_ms, ...corners, values: [], without_fix: 0 }, 0);
  }

  /** How many places are at or before a moment. */
  countUpTo(seconds: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= seconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where the receiver was at a moment, between the places before and after it; null where that is not known. */
  locate(seconds: number): Located | null {
    const at = this.countUpTo(seconds) - 1;
    if (at < 0 || Number.isNaN(this.x[at]!)) return null;
    const { latitudes, longitudes } = this.track;
    const next = at + 1 < this.x.length && !Number.isNaN(this.x[at + 1]!) ? at + 1 : at;
    const length = this.times[next]! - this.times[at]!;
    const share = length > 0 ? (seconds - this.times[at]!) / length : 0;
    const mix = (a: number, b: number): number => a + (b - a) * share;
    return {
      x: mix(this.x[at]!, this.x[next]!),
      y: mix(this.y[at]!, this.y[next]!),
      latitude: mix(latitudes[at]!, latitudes[next]!),
      // A step across the antimeridian is short, and not worth a way around the earth.
      longitude:
        Math.abs(longitudes[next]! - longitudes[at]!) > 180 ? longitudes[at]! : mix(longitudes[at]!, longitudes[next]!),
      heading: this.getHeading(next === at ? Math.max(0, at - 1) : at, next),
    };
  }

  /** The moment of the place nearest to a point, and its distance in units of the plane. */
  findNearest(x: number, y: number): { seconds: number; distance: number } {
    let best = { seconds: 0, distance: Infinity };
    for (let at = 0; at < this.x.length; at++) {
      const distance = Math.hypot(this.x[at]! - x, this.y[at]! - y);
      if (distance < best.distance) best = { seconds: this.times[at]!, distance };
    }
    return best;
  }

  private getHeading(from: number, to: number): number | null {
    const [east, north] = [this.x[to]! - this.x[from]!, this.y[to]! - this.y[from]!];
    return Math.hypot(east, north) * this.plane.metresPerUnit < stillMetres ? null : Math.atan2(east, north);
  }
}
