import type { ShownRows } from "@/domain/demo/schema";
import { deliveryStatuses } from "@/domain/webhooks/delivery-status";
import type { WebhookListFilters } from "@/domain/webhooks/schema";
import { createdIn, failureCause, isFailing } from "@/server/features/webhooks/failing-queries";
import { durationBounds } from "@/server/features/webhooks/hours-service";
import type { WebhookResource } from "@/server/features/webhooks/resource";
import { getWebhook, listWebhooks } from "@/server/features/webhooks/service";
import { isDeliveryVisible } from "@/server/features/webhooks/visible-queries";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { bool, int2, int4, int8, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

/** A webhook with the additional columns of its list. */
export interface WebhookOverview extends WebhookResource {
  /** The attempts of the last 24 hours in twelve parts of two hours, oldest first. */
  bars: { from: string; ok: number; failed: number }[];
  /** The share of successful ones among these attempts; null without any. */
  delivered_rate: number | null;
  /** Milliseconds, from the ranges in which durations are counted; null without a response. */
  p50_ms: number | null;
  p95_ms: number | null;
  /** Its newest delivery, and whether that waits for another attempt after a failed one. */
  last: { at: string; status: (typeof deliveryStatuses)[number]; retrying: boolean } | null;
  /** What failed in the last week and was not sent again, of what the caller sees, with the newest cause; or null. */
  failing: { since: string; cause: string; count: number; more: boolean } | null;
}

const partMs = 2 * 3_600_000;
const parts = 12;
const maxFailing = 1_000;

/** Milliseconds below which `share` of the counted durations lie, interpolated within a range. */
function quantile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  for (let bucket = 0; bucket <= durationBounds.length; bucket++) {
    const count = counts.get(bucket) ?? 0;
    if (count > 0 && before + count >= share * total) {
      const from = durationBounds[bucket - 1] ?? 0;
      const to = durationBounds[bucket] ?? from;
      return Math.round(from + ((to - from) * (share * total - before)) / count);
    }
    before += count;
  }
  return null;
}

interface Part {
  part: number;
  ok: boolean;
  bucket: number;
  count: number;
}

function summarize(start: Date, rows: readonly Part[]) {
  const bars = Array.from({ length: parts }, (_, at) => ({
    from: new Date(start.getTime() + at * partMs).toISOString(),
    ok: 0,
    failed: 0,
  }));
  const durations = new Map<number, number>();
  let [ok, all] = [0, 0];
  for (const row of rows) {
    const bar = bars[row.part];
    if (bar) bar[row.ok ? "ok" : "failed"] += row.count;
    if (row.bucket >= 0) durations.set(row.bucket, (durations.get(row.bucket) ?? 0) + row.count);
    if (row.ok) ok += row.count;
    all += row.count;
  }
  return {
    bars,
    delivered_rate: all === 0 ? null : ok / all,
    p50_ms: quantile(durations, 0.5),
    p95_ms: quantile(durations, 0.95),
  };
}

async function addStatistics(ctx: Ctx, webhooks: readonly WebhookResource[]): Promise<WebhookOverview[]> {
  const uids = webhooks.map(({ uid }) => uid);
  const start = new Date((Math.floor(databaseMs() / partMs) + 1) * partMs - parts * partMs);
  const weekAgo = new Date(databaseMs() - 7 * 24 * 3_600_000);
  const [hours, states] = await Promise.all([
    sql(
      { subscription_id: text, part: notNull(int4), ok: bool, bucket: int2, count: notNull(int8) },
      Prisma.sql`select subscription_id, floor(extract(epoch from hour - ${start}::timestamptz) / ${partMs / 1_000})::int as part,
          ok, bucket, sum(count) as count
        from webhook_hours where organization_id = ${ctx.organizationId} and subscription_id = any(${uids})
          and hour >= ${start}::timestamptz
        group by 1, 2, 3, 4`,
    ),
    sql(
      {
        subscription_id: notNull(text),
        at: nullable(timestamptz),
        status: nullable(oneOf(deliveryStatuses)),
        retrying: nullable(bool),
        taken: notNull(int8),
        count: notNull(int8),
        since: nullable(timestamptz),
        cause: nullable(text),
      },
      Prisma.sql`select w.uid as subscription_id, l.created_at as at, l.status, l.retrying, f.*
        from unnest(${uids}::text[]) as w(uid)
        left join lateral (
          select created_at, status, status = 'pending' and error is not null as retrying from webhook_deliveries d
          where d.subscription_id = w.uid order by d.uid desc limit 1) l on true
        cross join lateral (
          select count(*) as taken, count(*) filter (where visible) as count, min(created_at) filter (where visible) as since,
            (array_agg(cause order by uid desc) filter (where visible))[1] as cause
          from (
            select d.uid, d.created_at, ${failureCause} as cause, ${isDeliveryVisible(ctx)} as visible from webhook_deliveries d
            where d.subscription_id = w.uid and ${isFailing} and ${Prisma.join(createdIn({ since: weekAgo }), " and ")}
            order by d.uid desc limit ${maxFailing + 1}) newest) f`,
    ),
  ]);
  const parted = new Map<string, Part[]>(uids.map((uid) => [uid, []]));
  for (const row of hours) parted.get(row.subscription_id)?.push({ ...row, count: Number(row.count) });
  const found = new Map(states.map((row) => [row.subscription_id, row]));
  return webhooks.map((webhook) => {
    const { at, status, retrying, taken, count, since, cause } = found.get(webhook.uid) ?? { taken: 0, count: 0 };
    return {
      ...webhook,
      ...summarize(start, parted.get(webhook.uid) ?? []),
      last: at && status ? { at, status, retrying: retrying ?? false } : null,
      failing:
        since && cause
          ? { since, cause, count: Math.min(Number(count), maxFailing), more: Number(taken) > maxFailing }
          : null,
    };
  });
}

/** Webhooks with how they did in the last 24 hours. Reads counts by hour and short index ranges, no history. */
export async function listWebhookOverviews(ctx: Ctx, filters: WebhookListFilters): Promise<Page<WebhookOverview>> {
  const page = await listWebhooks(ctx, filters);
  return { ...page, results: await addStatistics(ctx, page.results) };
}

/** One webhook with the same. Throws `not_found`. */
export async function getWebhookOverview(ctx: Ctx, uid: string): Promise<WebhookOverview> {
  const [overview] = await addStatistics(ctx, [await getWebhook(ctx, uid)]);
  if (!overview) throw new Error("a webhook was left out");
  return overview;
}

/** How many webhooks Muster turned off, for the rail. */
export async function countTurnedOff(ctx: Ctx, { demo }: ShownRows): Promise<{ count: number }> {
  const count = await ctx.db.webhookSubscription.count({
    where: { organizationId: ctx.organizationId, isActive: false, disabledReason: { not: "" }, demo },
  });
  return { count };
}
