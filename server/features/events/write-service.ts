import { defaultSeverity } from "@/domain/events/event-type";
import { type CreateEvent, type CreateEvents } from "@/domain/events/schema";
import { auditInsert } from "@/server/features/audit/service";
import { serializeEvent, type EventResource, type EventRow } from "@/server/features/events/resource";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { announceSoon } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";
import { newUid } from "@/server/platform/uid";

type NewEvent = Omit<CreateEvent, "recording_id">;
type Row = Omit<EventRow, "recording_id" | "device_id" | "created_at">;

/** Milliseconds, fractions included, to whole nanoseconds as text. */
export const nanoseconds = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : String(Math.round(ms * 1e6));

/** The `source` of an event that the caller creates. */
const getSource = (ctx: Ctx): Row["source"] =>
  ctx.actor.type === "api_key" || ctx.actor.type === "device" ? ctx.actor.type : "user";

const toRow = (ctx: Ctx, event: NewEvent): Row => ({
  uid: newUid("event"),
  type: event.type,
  label: event.label,
  description: event.description ?? "",
  timestamp_ns: String(event.timestamp),
  duration_ns: nanoseconds(event.duration_ms),
  tags: event.tags ?? [],
  metadata: event.metadata ?? {},
  severity: event.severity ?? defaultSeverity[event.type],
  source: getSource(ctx),
  rule_id: null,
});

/** Creates one event. Throws `invalid("recording_id")` for a recording that is unknown, foreign or archived. */
export async function createEvent(
  ctx: Ctx,
  { recording_id: recordingId, ...event }: CreateEvent,
): Promise<EventResource> {
  const [created] = await insert(ctx, recordingId, [toRow(ctx, event)]);
  return created as EventResource;
}

/** Creates up to 1,000 events of one recording: all of them or none. */
export async function createEvents(ctx: Ctx, input: CreateEvents): Promise<EventResource[]> {
  const rows = input.events.map((event) => toRow(ctx, event));
  return insert(ctx, input.recording_id, rows);
}

/**
 * One statement, so one round trip and one commit: resolves the recording within the organization (and, for a device,
 * among its own), writes the events, their tag rows, the recording's types of events and the audit entry. Without a
 * recording, nothing is written.
 */
async function insert(ctx: Ctx, recordingId: string, rows: Row[]): Promise<EventResource[]> {
  const createdAt = databaseNow();
  const own = ctx.actor.type === "device" ? Prisma.sql`and device_id = ${ctx.actor.id}` : Prisma.empty;
  const [first] = rows;
  const tagged = rows.some((row) => row.tags.length > 0);
  const [recording] = await sql(
    { device_id: text, status: text },
    Prisma.sql`
    with recording as (
      select uid, device_id, status from recordings
      where uid = ${recordingId} and organization_id = ${ctx.organizationId} ${own}
      for key share
    ), rows as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(uid text, type text, severity text, label text,
        description text, timestamp_ns bigint, duration_ns bigint, tags text[], metadata jsonb, source text)
    ), written as (
      insert into events (uid, organization_id, recording_id, device_id, type, severity, label, description, timestamp_ns,
        duration_ns, tags, metadata, source, created_by_id, created_at)
      select r.uid, ${ctx.organizationId}, recording.uid, recording.device_id, r.type, r.severity, r.label, r.description,
        r.timestamp_ns, r.duration_ns, r.tags, r.metadata, r.source, ${ctx.actor.id}, ${createdAt}::timestamptz
      from recording, rows r where recording.status <> 'archived'
    ), typed as (
      insert into recording_event_types (organization_id, type, recording_id)
      select distinct ${ctx.organizationId}, r.type, recording.uid from recording, rows r where recording.status <> 'archived'
      on conflict do nothing
    ), audited as (
      ${auditInsert(
        ctx,
        first && rows.length === 1
          ? { action: "event.created", targetType: "event", targetId: first.uid, targetName: first.label }
          : { action: "events.created", targetType: "recording", targetId: recordingId, after: { count: rows.length } },
        Prisma.sql`from recording where recording.status <> 'archived'`,
      )}
    )
    ${
      tagged
        ? Prisma.sql`, tagged as (
            insert into event_tags (organization_id, tag, timestamp_ns, event_id)
            select ${ctx.organizationId}, tag, r.timestamp_ns, r.uid from recording, rows r, unnest(r.tags) as tag
            where recording.status <> 'archived')`
        : Prisma.empty
    }
    select device_id, status from recording`,
  );
  if (!recording) throw invalid("recording_id", `Invalid pk "${recordingId}" - object does not exist.`);
  if (recording.status === "archived") throw invalid("recording_id", "An archived recording takes no events.");
  announceSoon(ctx, "event", recordingId, "created");
  return rows.map((row) =>
    serializeEvent({
      ...row,
      recording_id: recordingId,
      device_id: recording.device_id,
      created_at: createdAt.toISOString(),
    }),
  );
}
