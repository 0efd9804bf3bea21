import { conditionSchema } from "@/domain/conditions/condition-schema";
import { readsHeartbeats } from "@/domain/conditions/heartbeat";
import { actionsSchema } from "@/domain/rules/actions";
import { inScope, type Scope, scopeSchema } from "@/domain/rules/scope";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { selectAllGroups, isInGroups } from "@/server/features/devices/group-queries";
import { tagFilter } from "@/server/features/devices/tag-queries";
import type { ScopeMatch } from "@/server/features/rules/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import {
  arrayOf,
  bool,
  float8,
  int4,
  jsonb,
  type Native,
  notNull,
  nullable,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

/** One version of a rule, with the fields that its evaluation needs. */
export const activeRuleRow = {
  uid: text,
  name: text,
  version: int4,
  condition: jsonb(conditionSchema),
  actions: jsonb(actionsSchema),
  scope: nullable(jsonb(scopeSchema)),
  demo: bool,
};
export type ActiveRule = Omit<Native<typeof activeRuleRow>, "scope">;

/** Whether a scope leaves out no device. */
export const isEverything = (scope: Scope): boolean =>
  !scope?.device_ids?.length && !scope?.group_ids?.length && !scope?.tags?.length;

/** `and …`: the device is in the scope; `uid` is the SQL name of the device's uid. */
export function scopeFilter(ctx: Ctx, scope: Scope, uid: string): Prisma.Sql {
  const { device_ids: devices = [], group_ids: groups = [], tags = [] } = scope ?? {};
  const column = Prisma.raw(uid);
  const named =
    devices.length === 0 && groups.length === 0
      ? Prisma.empty
      : Prisma.sql`and (${column} = any(${devices}) or ${isInGroups(column, groups)})`;
  const tagged = tags.length === 0 ? Prisma.empty : tagFilter("device", ctx.organizationId, tags, uid);
  return Prisma.sql`${named} ${tagged}`;
}

/**
 * The enabled rules that watch the recordings of a device: its scope includes it, and they look at no heartbeats, which
 * built-in rules do.
 */
export async function rulesInScope(ctx: Ctx, deviceId: string): Promise<ActiveRule[]> {
  const rules = await query(
    ctx,
    activeRuleRow,
    Prisma.sql`select uid, name, version, condition, actions, scope, demo from rules
      where organization_id = ${ctx.organizationId} and enabled and not builtin order by uid`,
  );
  if (rules.length === 0) return [];
  const [device] = await query(
    ctx,
    { tags: notNull(arrayOf(text)), groups: arrayOf(text) },
    Prisma.sql`select d.tags, array(${selectAllGroups(Prisma.sql`d.uid`)}) as groups
      from devices d where d.uid = ${deviceId} and d.organization_id = ${ctx.organizationId}`,
  );
  const scoped = { uid: deviceId, groupUids: device?.groups ?? [], tags: device?.tags ?? [] };
  return rules.filter((rule) => !readsHeartbeats(rule.condition) && inScope(rule.scope, scoped));
}

/** The number of devices in a scope, and the first 20 of them by name. */
export async function matchScope(ctx: Ctx, scope: Scope): Promise<ScopeMatch> {
  const condition = Prisma.sql`d.organization_id = ${ctx.organizationId} ${scopeFilter(ctx, scope, "d.uid")}`;
  const [[counted], devices] = await Promise.all([
    sql({ count: int4 }, Prisma.sql`select count(*)::int as count from devices d where ${condition}`),
    sql(
      { uid: text, name: text },
      Prisma.sql`select d.uid, d.name from devices d where ${condition} order by d.name, d.uid limit 20`,
    ),
  ]);
  return { device_count: counted?.count ?? 0, devices };
}

export interface RecordingRange {
  /** Only these, whatever their age; uids of other organizations match nothing. */
  recordings?: readonly string[] | undefined;
  /** From `since` on and before `until`. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Without those of the demo fleet. */
  own?: boolean | undefined;
}

/** A recording that rules can be evaluated on again. */
const pastRecordingRow = {
  uid: text,
  name: text,
  deviceId: text,
  deviceName: text,
  status: text,
  sizeBytes: float8,
  startedAt: timestamptz,
  endedAt: timestamptz,
};
export type PastRecording = Wire<typeof pastRecordingRow>;

const columns = Prisma.sql`r.uid, r.name, r.device_id as "deviceId", coalesce(d.name, r.device_name) as "deviceName", r.status,
  r.size_bytes::float8 as "sizeBytes", r.started_at as "startedAt", r.ended_at as "endedAt"`;

type PastClock = "recorded" | "created";

// A uid contains its time of creation, so that range of times is a range of the index, too.
function inRange({ since, until, own }: RecordingRange, by: PastClock): Prisma.Sql {
  if (by === "recorded")
    return Prisma.sql`${demoFilter("r", own ? false : undefined)} ${since ? Prisma.sql`and r.started_at >= ${since}` : Prisma.empty}
      ${until ? Prisma.sql`and r.started_at < ${until}` : Prisma.empty}`;
  return Prisma.sql`${since ? Prisma.sql`and r.uid >= ${uidFloor("recording", since.getTime())}` : Prisma.empty}
    ${until ? Prisma.sql`and r.uid < ${uidFloor("recording", until.getTime())}` : Prisma.empty}`;
}

/**
 * `recorded`: by when they began, the last first. `created`: by when they were uploaded, the last first, from `before`
 * on. The times of a range mean the same.
 */
type PastOrder = { by: "recorded" } | { by: "created"; before: string | undefined };

/**
 * Recordings of a scope in an order, at most `limit`: the named ones in any status, else the processed ones of the
 * range.
 */
export async function pastRecordings(
  ctx: Ctx,
  scope: Scope,
  range: RecordingRange,
  limit: number,
  order: PastOrder,
): Promise<PastRecording[]> {
  const before = order.by === "created" ? order.before : undefined;
  const older = before === undefined ? Prisma.empty : Prisma.sql`and r.uid < ${before}`;
  const ordered = Prisma.raw(order.by === "recorded" ? "r.started_at desc, r.uid desc" : "r.uid desc");
  if (range.recordings) {
    return sql(
      pastRecordingRow,
      Prisma.sql`select ${columns} from recordings r left join devices d on d.uid = r.device_id
      where r.organization_id = ${ctx.organizationId} and r.uid = any(${[...range.recordings]})
      ${scopeFilter(ctx, scope, "r.device_id")} ${older} order by ${ordered} limit ${limit}`,
    );
  }
  if (isEverything(scope)) {
    return sql(
      pastRecordingRow,
      Prisma.sql`select ${columns} from recordings r left join devices d on d.uid = r.device_id
      where r.organization_id = ${ctx.organizationId} and r.status = 'ready' ${inRange(range, order.by)} ${older}
      order by ${ordered} limit ${limit}`,
    );
  }
  // The newest of each device by its index, then the newest of those: a narrow scope never reads the whole
  // organization.
  const namedDevices = scope?.tags?.length ? [] : (scope?.device_ids ?? []);
  return sql(
    pastRecordingRow,
    Prisma.sql`select ${columns} from (
      select d.uid from devices d where d.organization_id = ${ctx.organizationId} ${scopeFilter(ctx, scope, "d.uid")}
      union select unnest(${namedDevices}::text[])
    ) scoped, lateral (
      select r.* from recordings r where r.device_id = scoped.uid and r.organization_id = ${ctx.organizationId}
        and r.status = 'ready' ${inRange(range, order.by)} ${older} order by ${ordered} limit ${limit}
    ) r left join devices d on d.uid = r.device_id
    order by ${ordered} limit ${limit}`,
  );
}

/** The number of recordings that `pastRecordings` would list by creation. */
export async function countPastRecordings(ctx: Ctx, scope: Scope, range: RecordingRange): Promise<number> {
  const narrowed = range.recordings
    ? Prisma.sql`and r.uid = any(${[...range.recordings]})`
    : Prisma.sql`and r.status = 'ready' ${inRange(range, "created")}`;
  const [counted] = await sql(
    { count: int4 },
    Prisma.sql`select count(*)::int as count from recordings r
      where r.organization_id = ${ctx.organizationId} ${narrowed} ${scopeFilter(ctx, scope, "r.device_id")}`,
  );
  return counted?.count ?? 0;
}

/**
 * The requested range of past recordings. Throws `invalid("recordings")` for one that is not the organization's, or
 * when both recordings and times are given.
 */
export async function checkRange(
  ctx: Ctx,
  { recordings: named, since, until }: { recordings?: string[]; since?: Date; until?: Date },
): Promise<RecordingRange> {
  if (named) {
    const [unknown] = await unknownRecordings(ctx, named);
    if (unknown !== undefined) throw invalid("recordings", `Invalid pk "${unknown}" - object does not exist.`);
    if (since || until) throw invalid("recordings", "Name recordings or give since and until, not both.");
  }
  return { ...(named && { recordings: [...new Set(named)] }), ...(since && { since }), ...(until && { until }) };
}

/** The ids of the list that are no recordings of this organization. */
async function unknownRecordings(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const found = await ctx.db.recording.findMany({
    where: { organizationId: ctx.organizationId, uid: { in: [...ids] } },
    select: { uid: true },
  });
  const known = new Set(found.map((recording) => recording.uid));
  return ids.filter((id) => !known.has(id));
}
