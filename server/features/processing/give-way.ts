import { setTimeout as sleep } from "node:timers/promises";
import { processWide } from "@/server/platform/process-wide";

/** Milliseconds that a large recording rests after each slice of work (10 ms) while small ones are processed beside it. */
const restMs = 40;

const small = processWide("smallRecordings", () => ({ running: 0 }));

/** Processes a small recording, for which the large ones of this process give way. */
export async function beforeLarge(work: () => Promise<void>): Promise<void> {
  small.running += 1;
  try {
    await work();
  } finally {
    small.running -= 1;
  }
}

/** Rests while small recordings are processed, which leaves a fifth of the time to a large one. */
export async function giveWay(): Promise<void> {
  if (small.running > 0) await sleep(restMs);
}
