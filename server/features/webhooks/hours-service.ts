import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb } from "@/server/platform/db";
import type { Outcome } from "@/server/platform/http-client/post";

/** Upper bounds in milliseconds of the ranges in which durations are counted; the last range is open. */
export const durationBounds = [
  25, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000,
] as const;

/** The duration of attempts without a response that ended faster than any timeout. */
const noDuration = -1;

const hourMs = 3_600_000;

interface Attempt {
  claim: { target: string; organization_id: string };
  outcome: Outcome;
  startedAt: Date;
  durationMs: number;
}

function toBucket({ outcome, durationMs }: Attempt): number {
  if (outcome.statusCode === null && durationMs < 3_000) return noDuration;
  const index = durationBounds.findIndex((bound) => durationMs <= bound);
  return index === -1 ? durationBounds.length : index;
}

/** Adds attempts to the counts of their subscriptions' hours, in the transaction that records them. */
export async function countAttempts(tx: OnDb, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const counts = new Map<string, { key: readonly [string, string, string, boolean, number]; count: number }>();
  for (const attempt of attempts) {
    const { claim, outcome, startedAt } = attempt;
    const hour = new Date(Math.floor(startedAt.getTime() / hourMs) * hourMs).toISOString();
    const key = [claim.target, claim.organization_id, hour, outcome.ok, toBucket(attempt)] as const;
    const entry = counts.get(key.join(" "));
    if (entry) entry.count++;
    else counts.set(key.join(" "), { key, count: 1 });
  }
  const rows = [...counts.values()].map(({ key: [subscription, organization, hour, ok, bucket], count }) => ({
    subscription,
    organization,
    hour,
    ok,
    bucket,
    count,
  }));
  // In one order, so that two workers do not wait for each other.
  await execute(
    tx,
    Prisma.sql`insert into webhook_hours as h (subscription_id, organization_id, hour, ok, bucket, count)
      select r.* from json_to_recordset(${JSON.stringify(rows)}::json)
        as r(subscription text, organization text, hour timestamptz, ok boolean, bucket smallint, count int)
      order by r.subscription, r.hour, r.ok, r.bucket
      on conflict (subscription_id, hour, ok, bucket) do update set count = h.count + excluded.count`,
  );
}
