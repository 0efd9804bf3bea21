import { isPlace } from "@/engine/messages/positions/fix";

/** Part of a track: rows of one topic, in the order of time. */
export interface TrackRows {
  /** Nanoseconds after the track's start. */
  times: ArrayLike<number>;
  /** Degrees. */
  latitudes: ArrayLike<number>;
  longitudes: ArrayLike<number>;
  /** `status.status` of each; null where the topic has none. */
  status: ArrayLike<number> | null;
  /** What colours the track; null for nothing. */
  values: ArrayLike<number> | null;
}

/** Where a receiver of satellites was, in the order of time. */
export interface Track {
  /** Milliseconds after the track's start. */
  times_ms: number[];
  /** Degrees; null from where the receiver had no fix, or sent nothing. */
  latitudes: (number | null)[];
  longitudes: (number | null)[];
  /** What colours the track, of each place; null where there is no number. Empty when nothing colours it. */
  values: (number | null)[];
  /** Messages without a fix. */
  without_fix: number;
}

/** Digits after the point: a centimetre is 0.0000001 degrees. */
const digits = 1e8;
/** A pause is longer than this many periods of the topic, and than `leastPauseNs`. */
const pausePeriods = 5;
const leastPauseNs = 5e9;

/** A place that is kept, or where the track ends. */
interface Kept {
  time: number;
  latitude: number | null;
  longitude: number | null;
  value: number | null;
}

/** Thins a track evenly in time while its rows come in. */
export class TrackThinner {
  private readonly track: Track = { times_ms: [], latitudes: [], longitudes: [], values: [], without_fix: 0 };
  private readonly stepNs: number;
  private readonly pauseNs: number;
  private last: { time: number; latitude: number; longitude: number; value: number | null } | null = null;
  private keptAt = -Infinity;
  private hasValues = false;

  /** `spanNs` and `rows` are of the whole track, of which about `points` places are kept, of those that `isKnown` lets pass. */
  constructor(
    spanNs: number,
    rows: number,
    points: number,
    private readonly isKnown: (latitude: number, longitude: number) => boolean = isPlace,
  ) {
    this.stepNs = spanNs / Math.max(1, points - 2);
    this.pauseNs = Math.max(leastPauseNs, (pausePeriods * spanNs) / Math.max(1, rows - 1));
  }

  add({ times, latitudes, longitudes, status, values }: TrackRows): void {
    for (let row = 0; row < times.length; row++) {
      const [time, latitude, longitude] = [times[row]!, latitudes[row]!, longitudes[row]!];
      if (this.last !== null && time < this.last.time) continue;
      if ((status !== null && status[row]! < 0) || !this.isKnown(latitude, longitude)) {
        this.track.without_fix++;
        this.interrupt(time);
        continue;
      }
      if (this.last !== null && time - this.last.time > this.pauseNs) this.interrupt(this.last.time);
      const value = values?.[row];
      const place = { time, latitude, longitude, value: value !== undefined && Number.isFinite(value) ? value : null };
      if (values !== null) this.hasValues = true;
      if (this.last === null || time - this.keptAt >= this.stepNs) this.keep(place);
      this.last = place;
    }
  }

  finish(): Track {
    this.keepLast();
    return this.track;
  }

  private keep({ time, latitude, longitude, value }: Kept): void {
    this.track.times_ms.push(Math.round(time / 1e3) / 1e3);
    this.track.latitudes.push(latitude && Math.round(latitude * digits) / digits);
    this.track.longitudes.push(longitude && Math.round(longitude * digits) / digits);
    if (this.hasValues) this.track.values.push(value);
    this.keptAt = time;
  }

  private keepLast(): void {
    if (this.last !== null && this.last.time > this.keptAt) this.keep(this.last);
  }

  /** From `time` on it is not known where the receiver is. */
  private interrupt(time: number): void {
    if (this.last === null) return;
    this.keepLast();
    this.keep({ time, latitude: null, longitude: null, value: null });
    this.last = null;
  }
}
