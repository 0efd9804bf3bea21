export type RobotKind = "arm" | "amr" | "drone";

/** What goes wrong in a recording, from a share of its duration on. */
export type Incident =
  /** The motor climbs over 80 °C for a minute. */
  | "overheating"
  /** The joints strain while the motor is warm. */
  | "overload"
  /** The emergency stop is pressed. */
  | "emergency_stop"
  /** The camera delivers one frame per second instead of five. */
  | "slow_camera"
  /** The battery sends no messages for a while. */
  | "silent_battery"
  /** The recorder writes nothing for half a minute. */
  | "gap"
  /** The recorder was switched off before it closed the file. */
  | "truncated";

export interface RecordingStory {
  robot: RobotKind;
  seed: number;
  /** Nanoseconds since 1970. */
  start: bigint;
  seconds: number;
  /** Whether the motor is always rather warm. */
  warm?: boolean;
  /** Whether the camera's pictures are recorded, not only that they were taken. */
  pictures?: boolean;
  /** What a mobile robot has to measure the space around it: a scanner, or a lidar besides. */
  lidar?: "scan" | "cloud" | undefined;
  /** Whether the robot's log is recorded. */
  log?: boolean;
  incidents?: readonly Incident[];
}

/** Where the drone starts, in degrees: the origin of its pose. */
export const droneHome = { lat: 53.5561, lon: 9.9655, altitude: 12 } as const;

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** When an incident begins, as a share of the recording, and how long it lasts at most, in seconds. */
const courses: Record<Exclude<Incident, "truncated">, readonly [share: number, seconds: number]> = {
  overheating: [0.45, 75],
  overload: [0.6, 50],
  emergency_stop: [0.5, 20],
  slow_camera: [0.5, 40],
  silent_battery: [0.55, 25],
  gap: [0.4, 30],
};

/** Whether a time, in seconds from the start, is within an incident of the recording. */
export function isWithin(story: RecordingStory, incident: keyof typeof courses, seconds: number): boolean {
  if (!story.incidents?.includes(incident)) return false;
  const [share, length] = courses[incident];
  const begin = story.seconds * share;
  return seconds >= begin && seconds < begin + Math.min(length, story.seconds * 0.35);
}
