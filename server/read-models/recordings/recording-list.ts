import { z } from "zod";
import { type EventType, eventTypes } from "@/domain/events/event-type";
import { cellCeiling } from "@/domain/limits";
import type { RecordingFilters } from "@/domain/recordings/schema";
import { bySeverity, type Severity, severities } from "@/domain/severity";
import type { RecordingResource } from "@/server/features/recordings/resource";
import { listRecordings } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { arrayOf, int4, jsonb, notNull, nullable, oneOf, text, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";

/** The limit of counting events; a cell of the list shows no more. */
const maxEvents = 200;
/** A recording with the additional columns of its list. */
export interface RecordingOverview extends RecordingResource {
  /** Counts by type; in total at most 200, then `events_more` is true if there are others. */
  events: Partial<Record<EventType, number>>;
  events_more: boolean;
  /** Unresolved alerts (counted up to 100) and their highest severity. */
  open_alerts: number;
  worst_severity: Severity | null;
  open_by_severity: Record<Severity, number>;
  resolved_alerts: number;
  /** The confirmed part of an upload; null before the session was opened. */
  upload: { confirmed_files: number; total_files: number; confirmed_bytes: number; total_bytes: number } | null;
}

const extraRow = {
  uid: text,
  events: nullable(jsonb(z.partialRecord(z.enum(eventTypes), z.number()))),
  open_alerts: int4,
  worst_severity: nullable(oneOf(severities)),
  open_by_rank: notNull(arrayOf(int4)),
  resolved_alerts: int4,
  upload: nullable(
    jsonb(
      z.object({
        confirmed_files: z.number(),
        total_files: z.number(),
        confirmed_bytes: z.number(),
        total_bytes: z.number(),
      }),
    ),
  ),
};
/** How many of the alerts that are looked at are not resolved, of each severity. */
const openOfRanks = severities.map(
  (_, rank) => Prisma.sql`count(*) filter (where status <> 'resolved' and severity_rank = ${rank})`,
);
type Extra = Wire<typeof extraRow>;

/**
 * The recording list with the additional columns of its screen: events by type, alerts, and the progress of an upload.
 * Each is a short index range by recording, so the cost does not grow with the fleet.
 */
export async function listRecordingOverviews(ctx: Ctx, filters: RecordingFilters): Promise<Page<RecordingOverview>> {
  const page = await listRecordings(ctx, filters, {
    moving: ["since", "until", "started_since", "started_until", "covers"],
  });
  const extras = await loadExtras(
    ctx,
    page.results.map(({ uid }) => uid),
  );
  return { ...page, results: page.results.map((recording) => withExtra(recording, extras.get(recording.uid))) };
}

function withExtra(recording: RecordingResource, extra: Extra | undefined): RecordingOverview {
  const events = extra?.events ?? {};
  const counted = Object.values(events).reduce((sum, count) => sum + count, 0);
  return {
    ...recording,
    events,
    events_more: counted >= maxEvents,
    open_alerts: extra?.open_alerts ?? 0,
    worst_severity: extra?.worst_severity ?? null,
    open_by_severity: bySeverity(extra?.open_by_rank ?? []),
    resolved_alerts: extra?.resolved_alerts ?? 0,
    upload: extra?.upload ?? null,
  };
}

async function loadExtras(ctx: Ctx, uids: string[]): Promise<Map<string, Extra>> {
  const rows = await sql(
    extraRow,
    Prisma.sql`
    select r.uid, e.events, a.open_alerts, a.worst_severity, a.open_by_rank, a.resolved_alerts, u.upload
    from unnest(${uids}::text[]) as r(uid)
    left join lateral (
      select jsonb_object_agg(type, count) as events from (
        select type, count(*)::int as count from (
          select type from events
          where recording_id = r.uid and organization_id = ${ctx.organizationId}
          limit ${maxEvents}
        ) counted group by type
      ) counts
    ) e on true
    cross join lateral (
      select count(*) filter (where status <> 'resolved')::int as open_alerts,
        array[${Prisma.join(openOfRanks)}]::int[] as open_by_rank,
        count(*) filter (where status = 'resolved')::int as resolved_alerts,
        ${severityOfRank(Prisma.sql`max(severity_rank) filter (where status <> 'resolved')`)} as worst_severity
      from (
        select status, severity_rank from alerts
        where recording_id = r.uid and organization_id = ${ctx.organizationId}
        order by uid desc limit ${cellCeiling}
      ) counted
    ) a
    left join lateral (
      select jsonb_build_object('confirmed_files', confirmed_files, 'total_files', total_files,
        'confirmed_bytes', confirmed_bytes, 'total_bytes', total_bytes) as upload
      from upload_sessions where recording_id = r.uid and organization_id = ${ctx.organizationId}
    ) u on true`,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}
