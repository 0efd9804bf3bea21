import { eventTypes, eventSources } from "@/domain/events/event-type";
import { type EventFilters, type UpdateEvent } from "@/domain/events/schema";
import { severities } from "@/domain/severity";
import { audit, difference } from "@/server/features/audit/service";
import { deleteUnusedTypes } from "@/server/features/events/recording-types-service";
import { serializeEvent, type EventResource, type EventRow } from "@/server/features/events/resource";
import { nanoseconds } from "@/server/features/events/write-service";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page, type Window } from "@/server/platform/pagination";
import { announceSoon } from "@/server/platform/realtime/changes";
import { arrayOf, int8, jsonbObject, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

const columns = Prisma.sql`e.uid, e.recording_id, e.device_id, e.type, e.label, e.description, e.timestamp_ns, e.duration_ns,
  e.tags, e.metadata, e.severity, e.source, e.rule_id, e.created_at`;
const eventRow = {
  uid: text,
  recording_id: text,
  device_id: text,
  type: oneOf(eventTypes),
  label: text,
  description: text,
  timestamp_ns: int8,
  duration_ns: nullable(int8),
  tags: notNull(arrayOf(text)),
  metadata: jsonbObject,
  severity: oneOf(severities),
  source: oneOf(eventSources),
  rule_id: nullable(text),
  created_at: timestamptz,
};

/**
 * Events by the time they occurred, newest first unless `order_by` is `timestamp`. `tags`: all of them. Cursors are
 * bound to the filters, but for `since` and `until` where the range is `moving` (relative to now).
 */
export async function listEvents(
  ctx: Ctx,
  filters: EventFilters,
  { moving = false } = {},
): Promise<Page<EventResource>> {
  const { limit, cursor, ...narrow } = filters;
  const byTag = filters.tags?.length && !filters.recording_id && !filters.device_id;
  const page = await keysetPage<EventRow>(ctx, {
    name: "events",
    // Times are compared as text: JSON has no bigint.
    filters: {
      ...narrow,
      since: moving ? null : narrow.since?.toString(),
      until: moving ? null : narrow.until?.toString(),
    },
    page: { limit, cursor },
    order: {
      columns: byTag ? ["t.timestamp_ns", "t.event_id"] : ["e.timestamp_ns", "e.uid"],
      direction: filters.order_by === "timestamp" ? "asc" : "desc",
    },
    key: (event) => [String(event.timestamp_ns), event.uid],
    fetch: (window) => sql(eventRow, byTag ? tagStatement(ctx, filters, window) : statement(ctx, filters, window)),
  });
  return { ...page, results: page.results.map(serializeEvent) };
}

/** The SQL conditions of the filters, except type and severity. */
export function conditions(ctx: Ctx, filters: Omit<EventFilters, "limit">): Prisma.Sql {
  const parts = [Prisma.sql`e.organization_id = ${ctx.organizationId}`];
  if (filters.recording_id) parts.push(Prisma.sql`e.recording_id = ${filters.recording_id}`);
  if (filters.device_id) parts.push(Prisma.sql`e.device_id = ${filters.device_id}`);
  if (filters.since !== undefined) parts.push(Prisma.sql`e.timestamp_ns >= ${filters.since}`);
  if (filters.until !== undefined) parts.push(Prisma.sql`e.timestamp_ns < ${filters.until}`);
  if (filters.metadata_filter) parts.push(Prisma.sql`e.metadata @> ${JSON.stringify(filters.metadata_filter)}::jsonb`);
  if (filters.demo !== undefined) {
    const ofDemo = Prisma.sql`array(select r.uid from recordings r where r.organization_id = ${ctx.organizationId} and r.demo)`;
    parts.push(
      filters.demo ? Prisma.sql`e.recording_id = any(${ofDemo})` : Prisma.sql`e.recording_id <> all(${ofDemo})`,
    );
  }
  for (const tag of filters.tags ?? []) {
    parts.push(Prisma.sql`exists (select 1 from event_tags x where x.organization_id = ${ctx.organizationId}
      and x.tag = ${tag} and x.timestamp_ns = e.timestamp_ns and x.event_id = e.uid)`);
  }
  return Prisma.join(parts, " and ");
}

/**
 * By type or severity across the organization, each combination is read as its own range of the (type, severity, time)
 * index and the heads are merged; otherwise one range of the (organization | recording | device, time) index.
 */
function statement(ctx: Ctx, filters: EventFilters, { where, orderBy, limit }: Window): Prisma.Sql {
  const kinds = filters.type ?? (filters.severity ? eventTypes : undefined);
  const levels = filters.severity ?? (filters.type ? severities : undefined);
  if (!kinds || !levels) {
    return Prisma.sql`select ${columns} from events e where ${conditions(ctx, filters)} and ${where}
      order by ${orderBy} limit ${limit}`;
  }
  if (filters.recording_id || filters.device_id) {
    return Prisma.sql`select ${columns} from events e
      where ${conditions(ctx, filters)} and e.type = any(${[...kinds]}) and e.severity = any(${[...levels]}) and ${where}
      order by ${orderBy} limit ${limit}`;
  }
  return Prisma.sql`select e.* from unnest(${[...kinds]}::text[]) as kind, unnest(${[...levels]}::text[]) as level,
    lateral (select ${columns} from events e
      where ${conditions(ctx, filters)} and e.type = kind and e.severity = level and ${where}
      order by ${orderBy} limit ${limit}) e
    order by ${orderBy} limit ${limit}`;
}

/** By tag across the organization: a range of event_tags, whose index is in time order. */
function tagStatement(ctx: Ctx, filters: EventFilters, { where, orderBy, limit }: Window): Prisma.Sql {
  const [first, ...others] = filters.tags ?? [];
  const kinds = filters.type ? Prisma.sql`and e.type = any(${filters.type})` : Prisma.empty;
  const levels = filters.severity ? Prisma.sql`and e.severity = any(${filters.severity})` : Prisma.empty;
  return Prisma.sql`select ${columns} from event_tags t join events e on e.uid = t.event_id
    where t.organization_id = ${ctx.organizationId} and t.tag = ${first}
      and ${conditions(ctx, { ...filters, tags: others })} ${kinds} ${levels} and ${where}
    order by ${orderBy} limit ${limit}`;
}

/** One event. Throws `not_found`. */
export async function getEvent(ctx: Ctx, uid: string): Promise<EventResource> {
  const [row] = await query(
    ctx,
    eventRow,
    Prisma.sql`select ${columns} from events e where e.uid = ${uid} and e.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  return serializeEvent({ ...row, created_at: row.created_at.toISOString() });
}

/**
 * Throws `not_found`, and `forbidden` for a member who made the event neither in a session nor with a key; nobody is
 * the author of what a rule or a device made.
 */
export async function requireEventAuthor(ctx: Ctx, uid: string): Promise<void> {
  const [event] = await query(
    ctx,
    { author: nullable(text) },
    Prisma.sql`select case e.source when 'user' then e.created_by_id
        when 'api_key' then (select k.user_id from api_keys k where k.uid = e.created_by_id) end as author
      from events e where e.uid = ${uid} and e.organization_id = ${ctx.organizationId}`,
  );
  if (!event) throw notFound();
  requireAuthor(ctx, event.author);
}

/** Locks and reads an event that the caller changes. Throws `not_found`, `forbidden`. */
export async function lockEvent(tx: Ctx, uid: string): Promise<EventResource> {
  await execute(
    tx,
    Prisma.sql`select 1 from events where uid = ${uid} and organization_id = ${tx.organizationId} for update`,
  );
  await requireEventAuthor(tx, uid);
  return getEvent(tx, uid);
}

/** Changes the given members. Throws `not_found`, `forbidden` for another member's event. */
export async function updateEvent(ctx: Ctx, uid: string, input: UpdateEvent): Promise<EventResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockEvent(tx, uid);
    if (Object.keys(input).length === 0) return before;
    const duration = nanoseconds(input.duration_ms);
    await tx.db.event.update({
      where: { uid },
      data: {
        ...(input.label !== undefined && { label: input.label }),
        ...(input.description !== undefined && { description: input.description }),
        ...(input.severity !== undefined && { severity: input.severity }),
        ...(input.tags !== undefined && { tags: input.tags }),
        ...(input.metadata !== undefined && { metadata: input.metadata as Prisma.InputJsonObject }),
        ...(input.duration_ms !== undefined && { durationNs: duration === null ? null : BigInt(duration) }),
      },
    });
    if (input.tags !== undefined) {
      await execute(tx, Prisma.sql`delete from event_tags where event_id = ${uid}`);
      await execute(
        tx,
        Prisma.sql`insert into event_tags (organization_id, tag, timestamp_ns, event_id)
          select e.organization_id, tag, e.timestamp_ns, e.uid from events e, unnest(e.tags) as tag where e.uid = ${uid}`,
      );
    }
    const after = await getEvent(tx, uid);
    await audit(tx, {
      action: "event.updated",
      targetType: "event",
      targetId: uid,
      targetName: after.label,
      ...difference(before, after),
    });
    announceSoon(tx, "event", after.recording_id, "updated");
    return after;
  });
}

/** Deletes an event. Throws as `updateEvent`. */
export async function deleteEvent(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    // Locks the recording first, as all services do, against deadlocks; the lock also excludes new events meanwhile.
    const { recording_id: recordingId } = await getEvent(tx, uid);
    await execute(
      tx,
      Prisma.sql`select 1 from recordings where uid = ${recordingId} and organization_id = ${tx.organizationId} for update`,
    );
    const event = await lockEvent(tx, uid);
    await tx.db.event.delete({ where: { uid } });
    await deleteUnusedTypes(tx, recordingId);
    await audit(tx, { action: "event.deleted", targetType: "event", targetId: uid, targetName: event.label });
    announceSoon(tx, "event", event.recording_id, "deleted");
  });
}
