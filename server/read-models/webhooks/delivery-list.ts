import type { z } from "zod";
import type { deliveryStatuses } from "@/domain/webhooks/delivery-status";
import type { DeliveryListFilters, FailureGroupFilters } from "@/domain/webhooks/schema";
import { toSentPayload } from "@/server/features/event-payloads/payload-service";
import { getWebhookDelivery, listWebhookDeliveries } from "@/server/features/webhooks/deliveries-service";
import { createdIn, failureCause, isFailing } from "@/server/features/webhooks/failing-queries";
import type { DeliveryDetail, DeliveryResource } from "@/server/features/webhooks/resource";
import { getWebhook } from "@/server/features/webhooks/service";
import { isDeliveryVisible } from "@/server/features/webhooks/visible-queries";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { arrayOf, int8, notNull, nullable, text, timestamptz } from "@/server/platform/rows";

/** A delivery without what only its own view shows. */
export type DeliveryRow = Omit<DeliveryResource, "payload" | "response_body">;

/** Deliveries as rows of the list. */
export async function listDeliveryRows(
  ctx: Ctx,
  filters: z.output<typeof DeliveryListFilters>,
): Promise<Page<DeliveryRow>> {
  const page = await listWebhookDeliveries(ctx, filters, { moving: true });
  return { ...page, results: page.results.map(({ payload: _, response_body: __, ...row }) => row) };
}

export interface DeliveryView extends DeliveryDetail {
  /** The body as it is sent now, byte by byte. */
  body: string;
  /** Those that sent it again, newest first. */
  repeats: { uid: string; status: (typeof deliveryStatuses)[number]; created_at: string }[];
}

/** One delivery with its body, its attempts, and what sent it again. Throws `not_found`. */
export async function getDeliveryView(ctx: Ctx, uid: string): Promise<DeliveryView> {
  const delivery = await getWebhookDelivery(ctx, uid);
  const repeats = await ctx.db.webhookDelivery.findMany({
    where: { replayOf: uid, organizationId: ctx.organizationId },
    select: { uid: true, status: true, createdAt: true },
    orderBy: { uid: "desc" },
    take: 20,
  });
  return {
    ...delivery,
    body: JSON.stringify(await toSentPayload(ctx, delivery.payload)),
    repeats: repeats.map((each) => ({
      uid: each.uid,
      status: each.status as DeliveryDetail["status"],
      created_at: each.createdAt.toISOString(),
    })),
  };
}

/** What fails for one reason. */
export interface FailureGroup {
  /** The receiver's status, or one of `faultCauses`. */
  cause: string;
  event_types: string[];
  count: number;
  /** Those of them that wait for their next attempt; the others have none left. */
  retrying: number;
  first_at: string;
  last_at: string;
  /** When the first of the retries is due. */
  next_at: string | null;
}

const maxGrouped = 10_000;
const weekMs = 7 * 24 * 3_600_000;

/**
 * The newest 10,000 deliveries of a webhook that fail and were not sent again, by cause, the most frequent first, as far
 * as the caller sees what they report; `more` when there are others. Default: those of the last week. Throws `not_found`.
 */
export async function groupFailures(
  ctx: Ctx,
  { uid, since, until }: z.output<typeof FailureGroupFilters>,
): Promise<{ groups: FailureGroup[]; more: boolean }> {
  await getWebhook(ctx, uid);
  const period = createdIn({ since: since ?? new Date(databaseMs() - weekMs), until });
  const rows = await sql(
    {
      cause: notNull(text),
      event_types: notNull(arrayOf(text)),
      taken: int8,
      count: int8,
      retrying: int8,
      first_at: nullable(timestamptz),
      last_at: nullable(timestamptz),
      next_at: nullable(timestamptz),
    },
    Prisma.sql`select cause, coalesce(array_agg(distinct event_type) filter (where visible), '{}') as event_types,
        count(*) as taken, count(*) filter (where visible) as count,
        count(*) filter (where visible and status = 'pending') as retrying, min(created_at) filter (where visible) as first_at,
        max(created_at) filter (where visible) as last_at,
        min(next_attempt_at) filter (where visible and status = 'pending') as next_at
      from (
        select ${failureCause} as cause, d.event_type, d.status, d.created_at, d.next_attempt_at, ${isDeliveryVisible(ctx)} as visible
        from webhook_deliveries d
        where d.subscription_id = ${uid} and d.organization_id = ${ctx.organizationId} and ${isFailing}
          and ${Prisma.join(period, " and ")}
        order by d.uid desc limit ${maxGrouped + 1}) newest
      group by cause order by count desc, cause`,
  );
  const groups = rows.flatMap(({ taken: _, count, retrying, first_at, last_at, ...row }) =>
    first_at === null || last_at === null
      ? []
      : [{ ...row, first_at, last_at, count: Number(count), retrying: Number(retrying) }],
  );
  return { groups, more: rows.reduce((sum, { taken }) => sum + Number(taken), 0) > maxGrouped };
}
