import { z } from "zod";
import { isLeafType, leafKinds } from "@/domain/conditions/registry";
import type { EventFilters } from "@/domain/events/schema";
import type { EventResource } from "@/server/features/events/resource";
import { getEvent, listEvents } from "@/server/features/events/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { distinctValues } from "@/server/platform/distinct-values";
import type { Page } from "@/server/platform/pagination";
import { bool, jsonb, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";

/** A field that a rule reads, for the plot next to its event. */
interface WatchedField {
  topic: string;
  field: string;
  /** The value it is compared with; null where that is not a number. */
  threshold: number | null;
}

/** An event in its list, with the names of the objects it belongs to. */
export interface EventOverview extends EventResource {
  /** Nanoseconds since 1970 as a decimal string. */
  timestamp_ns: string;
  duration_ns: string | null;
  device_name: string;
  recording_name: string;
  recording_started_at: string;
  /** Whether its recording is of the demo fleet. */
  demo: boolean;
  /** The name of the user, key, device or rule that created it; empty when that was deleted. */
  source_name: string;
  /** The fields that its rule reads; empty for other events and where the rule was deleted. */
  watched: WatchedField[];
}

const extraRow = {
  uid: text,
  timestamp_ns: text,
  duration_ns: nullable(text),
  device_name: text,
  recording_name: text,
  recording_started_at: timestamptz,
  demo: bool,
  source_name: nullable(text),
  condition: nullable(jsonb(z.unknown())),
};
type Extra = Wire<typeof extraRow>;

async function loadExtras(ctx: Ctx, uids: readonly string[]): Promise<Map<string, Extra>> {
  const rows = await sql(
    extraRow,
    Prisma.sql`
    select e.uid, e.timestamp_ns::text as timestamp_ns, e.duration_ns::text as duration_ns,
      coalesce(d.name, r.device_name) as device_name, r.name as recording_name, r.started_at as recording_started_at, r.demo,
      case e.source when 'rule' then l.name when 'user' then w.username when 'api_key' then k.name when 'device' then d.name end as source_name,
      l.condition
    from unnest(${[...uids]}::text[]) as x(uid)
    join events e on e.uid = x.uid and e.organization_id = ${ctx.organizationId}
    join recordings r on r.uid = e.recording_id
    left join devices d on d.uid = e.device_id and d.organization_id = ${ctx.organizationId}
    left join rules l on l.uid = e.rule_id and l.organization_id = ${ctx.organizationId}
    left join users w on e.source = 'user' and w.uid = e.created_by_id
    left join api_keys k on e.source = 'api_key' and k.uid = e.created_by_id and k.organization_id = ${ctx.organizationId}`,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

/** The distinct topics and fields of a condition's leaves. */
function watchedBy(condition: unknown): WatchedField[] {
  const found = new Map<string, WatchedField>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const { type, topic, field, value, conditions } = part as Record<string, unknown>;
    if (Array.isArray(conditions)) conditions.forEach(visit);
    if (typeof topic !== "string" || typeof field !== "string" || field === "" || topic.includes("*")) return;
    const key = `${topic} ${field}`;
    const isDrawn = typeof value === "number" && isLeafType(type) && leafKinds[type].valueOnFieldScale;
    if (!found.has(key)) found.set(key, { topic, field, threshold: isDrawn ? value : null });
  };
  visit(condition);
  return [...found.values()];
}

function withExtra(event: EventResource, extra: Extra | undefined): EventOverview {
  return {
    ...event,
    timestamp_ns: extra?.timestamp_ns ?? "0",
    duration_ns: extra?.duration_ns ?? null,
    device_name: extra?.device_name ?? "",
    recording_name: extra?.recording_name ?? "",
    recording_started_at: extra?.recording_started_at ?? event.timestamp,
    demo: extra?.demo ?? false,
    source_name: extra?.source_name ?? "",
    watched: watchedBy(extra?.condition),
  };
}

/**
 * Events by the time they occurred, with the names of their device, recording and source, read in one more statement.
 */
export async function listEventOverviews(ctx: Ctx, filters: EventFilters): Promise<Page<EventOverview>> {
  const page = await listEvents(ctx, filters, { moving: true });
  const extras = await loadExtras(
    ctx,
    page.results.map(({ uid }) => uid),
  );
  // An event deleted between the two statements is omitted.
  return {
    ...page,
    results: page.results.filter(({ uid }) => extras.has(uid)).map((event) => withExtra(event, extras.get(event.uid))),
  };
}

/** One event with the names of the objects it belongs to. Throws `not_found`. */
export async function getEventOverview(ctx: Ctx, uid: string): Promise<EventOverview> {
  const event = await getEvent(ctx, uid);
  return withExtra(event, (await loadExtras(ctx, [uid])).get(uid));
}

/** The tags in use on events. */
export const eventVocabulary = async (ctx: Ctx): Promise<{ tags: string[] }> => ({
  tags: await distinctValues(ctx, "eventTag"),
});
