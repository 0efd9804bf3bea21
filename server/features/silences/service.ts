import { explainMemberLimits } from "@/domain/silences/member-limits";
import {
  type CreateSilence,
  type MatcherNames,
  Matchers,
  type PreviewSilence,
  type SilenceFilters,
  type UpdateSilence,
  Recurrence,
} from "@/domain/silences/schema";
import { silenceStates } from "@/domain/silences/silence-state";
import { audit, difference } from "@/server/features/audit/service";
import { cancelUnsent } from "@/server/features/channels/queue-service";
import { unknownDevices } from "@/server/features/devices/service";
import { silencePredicate } from "@/server/features/silences/match-queries";
import { mutesAt, windowAt } from "@/server/features/silences/recurrence";
import type { Mutes, SilenceResource } from "@/server/features/silences/resource";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { requireAuthor, requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { invalid, invalidInput, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, jsonb, type Native, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { newUid } from "@/server/platform/uid";

const silenceState = Prisma.sql`case when s.ends_at <= now() then 'expired' when s.starts_at > now() then 'scheduled' else 'active' end`;

const columns = Prisma.sql`s.uid, s.matchers, s.reason, s.ticket, s.created_by_name as creator, s.created_by_id as created_by_uid, ${silenceState} as state,
  s.starts_at, s.ends_at, s.recurrence, s.demo, s.created_at, s.updated_at`;
const silenceRow = {
  uid: text,
  matchers: jsonb(Matchers),
  reason: text,
  ticket: text,
  creator: text,
  created_by_uid: nullable(text),
  state: oneOf(silenceStates),
  starts_at: timestamptz,
  ends_at: timestamptz,
  recurrence: nullable(jsonb(Recurrence)),
  demo: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};

type Row = Native<typeof silenceRow>;

const nothing: Mutes = { open_alerts: 0, rules: 0, devices: 0 };

/** The current or next window of a recurring silence, limited to its start and end. */
function computeWindow({ recurrence, state, starts_at: starts, ends_at: ends }: Row): SilenceResource["window"] {
  if (recurrence === null || state === "expired") return null;
  const now = databaseNow();
  const next = windowAt(recurrence, starts > now ? starts : now);
  if (next === null || next.starts >= ends) return null;
  const [from, to] = [next.starts < starts ? starts : next.starts, next.ends > ends ? ends : next.ends];
  return { starts_at: from.toISOString(), ends_at: to.toISOString() };
}

const isMuting = (row: Row): boolean => row.state === "active" && mutesAt(row.recurrence, databaseNow());

async function serialize(ctx: Ctx, row: Row): Promise<SilenceResource> {
  const { starts_at, ends_at, created_at, updated_at, ...rest } = row;
  return {
    ...rest,
    starts_at: starts_at.toISOString(),
    ends_at: ends_at.toISOString(),
    muting: isMuting(row),
    window: computeWindow(row),
    mutes: row.state === "expired" ? nothing : await countMuted(ctx, row.matchers),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** The number of open alerts, enabled rules and devices that matchers currently match. */
async function countMuted(ctx: Ctx, matchers: Matchers): Promise<Mutes> {
  const { device_ids: devices, rule_ids: rules, tags } = matchers;
  const org = ctx.organizationId;
  const [row] = await query(
    ctx,
    { open_alerts: int4, rules: int4, devices: int4 },
    Prisma.sql`select
      (select count(*)::int from alerts a where a.organization_id = ${org} and a.status = 'open'
        and ${silencePredicate(matchers)}) as open_alerts,
      (select count(*)::int from rules r where r.organization_id = ${org} and r.enabled
        ${rules?.length ? Prisma.sql`and r.uid = any(${rules})` : Prisma.empty}) as rules,
      (select count(*)::int from devices d where d.organization_id = ${org}
        ${devices?.length ? Prisma.sql`and d.uid = any(${devices})` : Prisma.empty}
        ${tags?.length ? Prisma.sql`and d.tags @> ${tags}::text[]` : Prisma.empty}) as devices`,
  );
  return row ?? nothing;
}

/** Silences, newest first. */
export async function listSilences(ctx: Ctx, { limit, cursor, state }: SilenceFilters): Promise<Page<SilenceResource>> {
  const page = await keysetPage<Row>(ctx, {
    name: "silences",
    filters: { state },
    page: { limit, cursor },
    order: { columns: ["s.uid"], direction: "desc" },
    key: (silence) => [silence.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      query(
        ctx,
        silenceRow,
        Prisma.sql`select ${columns} from silences s where s.organization_id = ${ctx.organizationId} and ${where}
          ${state ? Prisma.sql`and ${silenceState} = any(${state})` : Prisma.empty} order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: await Promise.all(page.results.map((row) => serialize(ctx, row))) };
}

async function readSilence(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<Row> {
  const [row] = await query(
    ctx,
    silenceRow,
    Prisma.sql`select ${columns} from silences s where s.uid = ${uid} and s.organization_id = ${ctx.organizationId} ${lock}`,
  );
  if (!row) throw notFound();
  return row;
}

/** One silence with the objects that it currently mutes. Throws `not_found`. */
export const getSilence = async (ctx: Ctx, uid: string): Promise<SilenceResource> =>
  serialize(ctx, await readSilence(ctx, uid));

/** The current names of devices and rules, by uid; deleted ones are omitted. */
export async function matcherNames(
  ctx: Ctx,
  { device_ids: deviceIds, rule_ids: ruleIds }: MatcherNames,
): Promise<Record<string, string>> {
  const rows = await query(
    ctx,
    { uid: text, name: text },
    Prisma.sql`select uid, name from devices where organization_id = ${ctx.organizationId} and uid = any(${deviceIds})
      union all select uid, name from rules where organization_id = ${ctx.organizationId} and uid = any(${ruleIds})`,
  );
  return Object.fromEntries(rows.map(({ uid, name }) => [uid, name]));
}

/** The objects that matchers would mute now. Throws `invalid("matchers")`. */
export async function previewSilence(ctx: Ctx, { matchers }: PreviewSilence): Promise<Mutes> {
  await checkReferences(ctx, matchers);
  return countMuted(ctx, matchers);
}

async function checkReferences(ctx: Ctx, { device_ids: devices = [], rule_ids: rules = [] }: Matchers): Promise<void> {
  const noDevice = devices.length > 0 ? await unknownDevices(ctx, devices) : [];
  const known =
    rules.length > 0
      ? await ctx.db.rule.findMany({
          where: { organizationId: ctx.organizationId, uid: { in: rules } },
          select: { uid: true },
        })
      : [];
  const noRule = rules.filter((uid) => !known.some((rule) => rule.uid === uid));
  const absent = (member: string) => (id: string) => ({
    path: ["matchers", member],
    message: `Invalid pk "${id}" - object does not exist.`,
  });
  const issues = [...noDevice.map(absent("device_ids")), ...noRule.map(absent("rule_ids"))];
  if (issues.length > 0) throw invalidInput(issues);
}

/** Throws `forbidden` for a silence of a member that is too long or names nothing but severities. */
function requireLimits(ctx: Ctx, matchers: Matchers, startsAt: Date, endsAt: Date): void {
  if (Object.keys(explainMemberLimits({ matchers, startsAt, endsAt })).length > 0) requireRole(ctx, "admin");
}

function checkTimes(startsAt: Date, endsAt: Date): void {
  if (endsAt.getTime() <= databaseMs()) throw invalid("ends_at", "Ensure this time is in the future.");
  if (endsAt <= startsAt) throw invalid("ends_at", "Ensure this time is after the start.");
}

/** Mutes alerts of which no message was sent yet and that an active silence now matches. */
async function cancelQueued(tx: Ctx, silence: Row): Promise<void> {
  if (!isMuting(silence)) return;
  const alerts = await query(
    tx,
    { uid: text },
    Prisma.sql`update alerts a set silence_id = ${silence.uid}, updated_at = now()
      where a.organization_id = ${tx.organizationId} and a.status <> 'resolved' and a.silence_id is null
        and ${silencePredicate(silence.matchers as Matchers)}
        and exists (select 1 from notifications n where n.alert_id = a.uid and n.event = 'alert.triggered'
          and n.status = 'pending' and n.attempts = 0)
      returning a.uid`,
  );
  if (alerts.length > 0)
    await cancelUnsent(
      tx,
      alerts.map((alert) => alert.uid),
    );
}

/** The time of the transaction, which determines states. Truncated, because rounding up would start in the future. */
async function transactionTime(tx: Ctx): Promise<Date> {
  const [row] = await query(tx, { now: timestamptz }, Prisma.sql`select date_trunc('milliseconds', now()) as now`);
  return row?.now ?? databaseNow();
}

const record = (row: Row) => ({
  matchers: row.matchers,
  reason: row.reason,
  ticket: row.ticket,
  starts_at: row.starts_at.toISOString(),
  ends_at: row.ends_at.toISOString(),
  recurrence: row.recurrence,
});

/**
 * Mutes matching alerts from `startsAt` (default: now) to `endsAt`, with `recurrence` only within its hours. Alerts are
 * still recorded; channels that were already notified of one are still notified of its end. Throws `forbidden` beyond
 * the limits of members, `invalid("matchers" | "ends_at")`.
 */
export async function createSilence(ctx: Ctx, input: CreateSilence): Promise<SilenceResource> {
  requireLimits(ctx, input.matchers, input.starts_at ?? databaseNow(), input.ends_at);
  checkTimes(input.starts_at ?? databaseNow(), input.ends_at);
  await checkReferences(ctx, input.matchers);
  const uid = newUid("silence");
  return transaction(ctx, async (tx) => {
    const startsAt = input.starts_at ?? (await transactionTime(tx));
    await tx.db.silence.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        matchers: input.matchers,
        reason: input.reason,
        ticket: input.ticket ?? "",
        createdById: tx.actor.userId,
        createdByName: tx.actor.username ?? tx.actor.name,
        startsAt,
        endsAt: input.ends_at,
        ...(input.recurrence && { recurrence: input.recurrence }),
        demo: input.demo ?? false,
      },
    });
    const row = await readSilence(tx, uid);
    await cancelQueued(tx, row);
    await audit(tx, {
      action: "silence.created",
      targetType: "silence",
      targetId: uid,
      targetName: row.reason,
      after: record(row),
    });
    await announce(tx, "silence", uid, "created");
    return serialize(tx, row);
  });
}

/** Throws `not_found`, and `forbidden` for a member who did not make the silence. */
export async function requireSilenceAuthor(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<Row> {
  const silence = await readSilence(ctx, uid, lock);
  requireAuthor(ctx, silence.created_by_uid);
  return silence;
}

const lockSilence = (tx: Ctx, uid: string): Promise<Row> => requireSilenceAuthor(tx, uid, Prisma.sql`for update of s`);

/** Changes a silence that has not expired. Throws `not_found`, `forbidden`, `invalid`. */
export async function updateSilence(ctx: Ctx, uid: string, input: UpdateSilence): Promise<SilenceResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockSilence(tx, uid);
    if (Object.values(input).every((value) => value === undefined)) return serialize(tx, before);
    if (before.state === "expired") throw invalid([], "An expired silence cannot be changed. Create another.");
    const startsAt = input.starts_at ?? before.starts_at;
    const endsAt = input.ends_at ?? before.ends_at;
    requireLimits(tx, input.matchers ?? before.matchers, startsAt, endsAt);
    if (input.matchers) await checkReferences(tx, input.matchers);
    if (input.starts_at ?? input.ends_at) checkTimes(startsAt, endsAt);
    await tx.db.silence.update({
      where: { uid },
      data: {
        ...(input.matchers && { matchers: input.matchers }),
        ...(input.reason !== undefined && { reason: input.reason }),
        ...(input.ticket !== undefined && { ticket: input.ticket }),
        startsAt,
        endsAt,
        ...(input.recurrence !== undefined && { recurrence: input.recurrence ?? Prisma.DbNull }),
      },
    });
    const after = await readSilence(tx, uid);
    await cancelQueued(tx, after);
    const changed = difference(record(before), record(after));
    await audit(tx, {
      action: "silence.updated",
      targetType: "silence",
      targetId: uid,
      targetName: after.reason,
      ...changed,
    });
    await announce(tx, "silence", uid, "updated");
    return serialize(tx, after);
  });
}

/** Ends a silence now; an expired one stays unchanged. Throws `not_found`, `forbidden`. */
export async function expireSilence(ctx: Ctx, uid: string): Promise<SilenceResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockSilence(tx, uid);
    if (before.state === "expired") return serialize(tx, before);
    const now = await transactionTime(tx);
    await execute(
      tx,
      Prisma.sql`update silences set starts_at = least(starts_at, ${now}::timestamptz), ends_at = ${now}::timestamptz,
        updated_at = now() where uid = ${uid}`,
    );
    await audit(tx, { action: "silence.expired", targetType: "silence", targetId: uid, targetName: before.reason });
    await announce(tx, "silence", uid, "updated");
    return serialize(tx, await readSilence(tx, uid));
  });
}

/** Deletes a silence permanently. Throws `not_found`, `forbidden`. */
export async function deleteSilence(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const silence = await lockSilence(tx, uid);
    await tx.db.silence.delete({ where: { uid } });
    await audit(tx, { action: "silence.deleted", targetType: "silence", targetId: uid, targetName: silence.reason });
    await announce(tx, "silence", uid, "deleted");
  });
}
