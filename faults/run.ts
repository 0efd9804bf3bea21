import type { createChance } from "@/faults/random";

export interface FaultRun {
  /** For files of the faults; removed at the end. */
  folder: string;
  /** The number of kills of the first part. */
  kills: number;
  /** How long the load of the last part lasts. */
  minutes: number;
  /** Takes a minute or two, as part of `npm test`, and installs nothing. */
  short: boolean;
  chance: ReturnType<typeof createChance>;
  /** The time since the start, for a line of output. */
  at: () => string;
}
