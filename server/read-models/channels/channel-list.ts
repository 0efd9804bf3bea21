import { z } from "zod";
import { type DeliveryStatus, deliveryStatuses } from "@/domain/channels/delivery-status";
import type { ChannelFilters } from "@/domain/channels/schema";
import type { ChannelResource } from "@/server/features/channels/resource";
import { listChannels } from "@/server/features/channels/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { int4, json, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

/** A channel with the additional columns of its list. */
export interface ChannelOverview extends ChannelResource {
  /** The rules that notify it, the first 20. */
  rules: { uid: string; name: string }[];
  /** Its newest message that was not canceled. */
  last: { status: DeliveryStatus; at: string; error: string | null } | null;
  /** The number of its newest 100 messages that failed. */
  failed: number;
}

const countedMessages = 100;

/** Channels with the rules that use them and the outcome of their messages; each is a short index range by channel. */
export async function listChannelOverviews(ctx: Ctx, filters: ChannelFilters): Promise<Page<ChannelOverview>> {
  const page = await listChannels(ctx, filters);
  const uids = page.results.map((channel) => channel.uid);
  const [ruleRows, outcomeRows] = await Promise.all([
    sql(
      { channel_id: text, rules: json(z.array(z.object({ uid: z.string(), name: z.string() }))) },
      Prisma.sql`
      select c.uid as channel_id, r.rules from unnest(${uids}::text[]) as c(uid)
      cross join lateral (
        select coalesce(json_agg(json_build_object('uid', uid, 'name', name) order by uid), '[]') as rules from (
          select uid, name from rules where organization_id = ${ctx.organizationId}
            and actions @> jsonb_build_array(jsonb_build_object('type', 'notify', 'channel_id', c.uid)) order by uid limit 20) listed) r`,
    ),
    sql(
      {
        channel_id: text,
        failed: int4,
        status: nullable(oneOf(deliveryStatuses)),
        at: nullable(timestamptz),
        error: nullable(text),
      },
      Prisma.sql`
      select c.uid as channel_id, n.failed, l.status, l.at, l.error from unnest(${uids}::text[]) as c(uid)
      cross join lateral (
        select count(*) filter (where status = 'failed')::int as failed from (
          select status from notifications where channel_id = c.uid and organization_id = ${ctx.organizationId}
          order by uid desc limit ${countedMessages}) latest) n
      left join lateral (
        select status, updated_at as at, error from notifications
        where channel_id = c.uid and organization_id = ${ctx.organizationId} and status <> 'canceled'
        order by uid desc limit 1) l on true`,
    ),
  ]);
  const rules = new Map(ruleRows.map((row) => [row.channel_id, row.rules]));
  const outcomes = new Map(outcomeRows.map((row) => [row.channel_id, row]));
  return {
    ...page,
    results: page.results.map((channel) => {
      const outcome = outcomes.get(channel.uid);
      const last =
        outcome?.status && outcome.at ? { status: outcome.status, at: outcome.at, error: outcome.error } : null;
      return { ...channel, rules: rules.get(channel.uid) ?? [], last, failed: outcome?.failed ?? 0 };
    }),
  };
}
