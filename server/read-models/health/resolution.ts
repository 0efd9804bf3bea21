import { readProgress } from "@/server/features/health/progress-service";
import type { OnDb } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import type { Resolution } from "@/server/read-models/health/resource";

const dayMs = 86_400_000;
const bucketMs = { "5m": 300_000, "1h": 3_600_000 } as const;

/** A range of time in parts, at most one for each point that is wanted. */
export interface Bins {
  since: Date;
  until: Date;
  widthMs: number;
}

/** What of a range is read from where: rollups as far as they are made, then what they are made of. */
export interface Sources {
  resolution: Resolution;
  /** Until when rollups of hours and of five minutes are read; before `since` where none are. */
  hoursUntil: Date;
  fineUntil: Date;
}

export function toBins(since: Date, until: Date, points: number): Bins {
  return { since, until, widthMs: Math.max(1, Math.ceil((until.getTime() - since.getTime()) / points)) };
}

/** Chooses the coarsest rollups that are as fine as the bins, or the finest that are still there at the begin. */
export async function chooseSources(on: OnDb, { since, widthMs }: Bins, now: Date): Promise<Sources> {
  const until = await readProgress(on);
  const kept = (days: number | null) => days === null || since.getTime() >= now.getTime() - days * dayMs;
  const isRaw = widthMs < bucketMs["5m"] && since >= until.raw;
  const isFine = widthMs < bucketMs["1h"] && kept(env.RETENTION.metrics_5m);
  if (isRaw) return { resolution: "raw", hoursUntil: since, fineUntil: since };
  if (isFine) return { resolution: "5m", hoursUntil: since, fineUntil: until["5m"] };
  return { resolution: "1h", hoursUntil: until["1h"], fineUntil: until["5m"] };
}
