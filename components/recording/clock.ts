/** The playhead as panels' threads follow it: they receive its changes and compute where it is meanwhile. */
export interface Clock {
  /** Nanoseconds since 1970, at `wall`. */
  at: bigint;
  /** Milliseconds since 1970; the same on a page and in its threads. */
  wall: number;
  playing: boolean;
  /** Whether it would play, but waits for bytes; it does not move meanwhile. */
  isWaiting: boolean;
  speed: number;
}

/** Milliseconds since 1970, finer than `Date.now`. */
export const readWall = (): number => performance.timeOrigin + performance.now();

/** Where the playhead is now, in nanoseconds since 1970. */
export const getMoment = ({ at, wall, playing, speed }: Clock, now = readWall()): bigint =>
  playing ? at + BigInt(Math.round((now - wall) * speed * 1e6)) : at;
