import { alertStatuses } from "@/domain/alerts/lifecycle";
import { severityRank, type Severity } from "@/domain/severity";
import { dateFromNs } from "@/domain/time/nanoseconds";
import { nameAlert } from "@/server/features/alerts/alert-queries";
import { queueNewAlert, reviseMessages, resolveByPlatform } from "@/server/features/alerts/messages-queries";
import { audit, type AuditRecord, auditSeveral } from "@/server/features/audit/service";
import { enqueueCaptures } from "@/server/features/captures/queue-queries";
import { existingChannels } from "@/server/features/channels/queue-service";
import { activeSilences, silencingCase } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { announce, announceSeveral } from "@/server/platform/realtime/changes";
import { bool, nullable, oneOf, text } from "@/server/platform/rows";
import { newUid, uidTime } from "@/server/platform/uid";

/** What a rule found in one recording, or on one silent device. */
export interface RaisedAlert {
  rule: { uid: string; name: string; version: number };
  device: { uid: string; name: string };
  /** Null for live alerts (a device that went silent): one unresolved alert for a rule and device. */
  recordingId: string | null;
  severity: Severity;
  message: string;
  /** Message time of the first trigger. */
  triggeredNs: bigint;
  /** JSON only (no bigint). */
  evidence: Record<string, unknown>;
  occurrenceCount: number;
  /** Channels to notify. Deleted ones are skipped and returned in `missingChannelIds`. */
  channelIds: readonly string[];
  /** False when a rule is applied to past recordings: the alert opens without messages. */
  notify: boolean;
  demo?: boolean;
}

export interface RaiseResult {
  alertId: string;
  created: boolean;
  silenced: boolean;
  missingChannelIds: string[];
}

/** The reason of an alert resolved by a later evaluation that no longer found it; people cannot choose it. */
const withdrawn = "withdrawn";

type Place = { ruleId: string; deviceId: string; recordingId: string | null };

/** One alert for a rule, device and recording; live, one unresolved alert for a rule and device (see `resolution`). */
const dedupeKey = ({ ruleId, deviceId, recordingId }: Place): string =>
  recordingId === null ? `live:${ruleId}:${deviceId}` : `${ruleId}:${deviceId}:${recordingId}`;

/**
 * Opens the alert of a rule, device and recording, or updates message, evidence, severity and count of the present one
 * without another message. Channels are notified of a new alert unless a silence matches (which is recorded) or
 * `notify` is false. Call it in the transaction of the evaluation.
 */
export async function raiseAlert(ctx: Ctx, input: RaisedAlert): Promise<RaiseResult> {
  const [result] = await raiseAlerts(ctx, [input]);
  if (!result) throw new Error("an alert was neither opened nor updated");
  return result;
}

/** Like `raiseAlert` for several alerts of different devices, rules or recordings, in a few statements together. */
export function raiseAlerts(ctx: Ctx, inputs: readonly RaisedAlert[]): Promise<RaiseResult[]> {
  return transaction(ctx, async (tx) => {
    const rows = inputs.map((input) => toRow(tx, input));
    const stored = await writeAlerts(tx, rows);
    const results = inputs.map((input, n) => {
      const uid = rows[n]?.uid ?? "";
      const alertId = stored.get(rows[n]?.dedupe_key ?? "") ?? uid;
      return { input, alertId, created: alertId === uid };
    });
    const created = results.filter((result) => result.created);
    const updated = results.filter((result) => !result.created);
    for (const [list, action] of [[created, "created"] as const, [updated, "updated"] as const]) {
      const uids = list.map(({ alertId }) => alertId);
      if (uids.length > 0) await announceSeveral(tx, "alert", uids, action);
    }
    await reviseMessages(
      tx,
      updated.map(({ alertId }) => alertId),
    );
    await enqueueCaptures(
      tx,
      results.map(({ alertId }) => alertId),
    );
    const wanted = [...new Set(inputs.flatMap(({ channelIds }) => channelIds))];
    const channels = wanted.length > 0 ? await existingChannels(tx, wanted) : [];
    const silenced = await applySilences(
      tx,
      created.map(({ alertId }) => alertId),
    );
    await auditSeveral(
      tx,
      created.map(({ input, alertId }) => [tx, describeTrigger(input, alertId, silenced.has(alertId))]),
    );
    for (const { input, alertId } of created.filter((result) => !silenced.has(result.alertId))) {
      const own = channels.filter((id) => input.channelIds.includes(id));
      if (input.notify && own.length > 0) await queueNewAlert(tx, alertId, own);
    }
    return results.map(({ input, alertId, created: isNew }) => ({
      alertId,
      created: isNew,
      silenced: silenced.has(alertId),
      missingChannelIds: input.channelIds.filter((id) => !channels.includes(id)),
    }));
  });
}

const describeTrigger = (input: RaisedAlert, alertId: string, silenced: boolean): AuditRecord => ({
  action: "alert.triggered",
  targetType: "alert",
  targetId: alertId,
  targetName: nameAlert({ rule_name: input.rule.name, device_name: input.device.name }),
  after: { severity: input.severity, rule_id: input.rule.uid, device_id: input.device.uid, silenced },
});

const toRow = (ctx: Ctx, input: RaisedAlert) => {
  const uid = newUid("alert");
  return {
    uid,
    organization_id: ctx.organizationId,
    rule_id: input.rule.uid,
    rule_name: input.rule.name,
    rule_version: input.rule.version,
    device_id: input.device.uid,
    device_name: input.device.name,
    recording_id: input.recordingId,
    severity: input.severity,
    severity_rank: severityRank(input.severity),
    message: input.message,
    evidence: input.evidence,
    occurrence_count: input.occurrenceCount,
    dedupe_key: dedupeKey({ ruleId: input.rule.uid, deviceId: input.device.uid, recordingId: input.recordingId }),
    triggered_at: dateFromNs(input.triggeredNs),
    triggered_ns: String(input.triggeredNs),
    demo: input.demo ?? false,
    created_at: new Date(uidTime(uid)),
  };
};

/** Inserts alerts, or updates those of the same key. Resolves to the stored uid of each key. */
async function writeAlerts(tx: Ctx, alerts: readonly ReturnType<typeof toRow>[]): Promise<Map<string, string>> {
  const rows = await query(
    tx,
    { uid: text, dedupe_key: text },
    Prisma.sql`
      insert into alerts as a (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, recording_id,
        severity, severity_rank, message, evidence, occurrence_count, dedupe_key, triggered_at, triggered_ns, demo,
        created_at, updated_at)
      select n.*, now() from json_to_recordset(${JSON.stringify(alerts)}::json) as n(uid text, organization_id text,
        rule_id text, rule_name text, rule_version int, device_id text, device_name text, recording_id text,
        severity text, severity_rank smallint, message text, evidence jsonb, occurrence_count int, dedupe_key text,
        triggered_at timestamptz, triggered_ns bigint, demo boolean, created_at timestamptz)
      on conflict (dedupe_key) do update set
        rule_name = excluded.rule_name, rule_version = excluded.rule_version, severity = excluded.severity,
        severity_rank = excluded.severity_rank, message = excluded.message, evidence = excluded.evidence, updated_at = now(),
        occurrence_count = excluded.occurrence_count + case when a.recording_id is null then a.occurrence_count else 0 end,
        triggered_at = case when a.recording_id is null then a.triggered_at else excluded.triggered_at end,
        triggered_ns = case when a.recording_id is null then a.triggered_ns else excluded.triggered_ns end,
        status = case when a.resolution_reason = ${withdrawn} then coalesce(a.previous_status, 'open') else a.status end,
        resolved_at = case when a.resolution_reason = ${withdrawn} then null else a.resolved_at end,
        resolved_by = case when a.resolution_reason = ${withdrawn} then null else a.resolved_by end,
        note = case when a.resolution_reason = ${withdrawn} then '' else a.note end,
        resolution_reason = nullif(a.resolution_reason, ${withdrawn})
      returning uid, dedupe_key`,
  );
  return new Map(rows.map((row) => [row.dedupe_key, row.uid]));
}

/** Records the silences that match new alerts. Returns the alerts that one matches. */
async function applySilences(tx: Ctx, alertIds: readonly string[]): Promise<Set<string>> {
  const silences = alertIds.length > 0 ? await activeSilences(tx) : [];
  if (silences.length === 0) return new Set();
  const rows = await query(
    tx,
    { uid: text, silence_id: nullable(text) },
    Prisma.sql`update alerts a set silence_id = ${silencingCase(silences)}
      where a.organization_id = ${tx.organizationId} and a.uid = any(${alertIds}::text[]) returning a.uid, a.silence_id`,
  );
  return new Set(rows.filter((row) => row.silence_id !== null).map((row) => row.uid));
}

/** Whether a version of a rule has an unresolved live alert of a device, as an expression. */
export const hasLive = (ctx: Ctx, rule: { uid: string; version: number }, deviceUid: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`exists (select from alerts a
    where a.dedupe_key = ${dedupeKey({ ruleId: rule.uid, deviceId: "", recordingId: null })}::text || ${deviceUid}
      and a.organization_id = ${ctx.organizationId} and a.rule_version = ${rule.version}::int and a.status <> 'resolved')`;

/** Resolves the live alert of a rule and device, if one is unresolved, with the note `auto`. */
export async function resolveLive(tx: Ctx, ruleId: string, deviceId: string): Promise<void> {
  const [alert] = await query(
    tx,
    { uid: text },
    Prisma.sql`select uid from alerts where dedupe_key = ${dedupeKey({ ruleId, deviceId, recordingId: null })}
      and organization_id = ${tx.organizationId} and status <> 'resolved' for update`,
  );
  if (alert) await resolveByPlatform(tx, alert.uid, "auto");
}

/**
 * Withdraws an alert that a newer evaluation no longer found. An untouched alert of which nothing was sent is deleted;
 * any other is resolved with a note, and `raiseAlert` reopens it if a later evaluation finds it again.
 */
export async function withdrawAlert(ctx: Ctx, place: Place): Promise<"deleted" | "resolved" | null> {
  return transaction(ctx, async (tx) => {
    const [alert] = await query(
      tx,
      { uid: text, status: oneOf(alertStatuses), touched: bool, rule_name: text, device_name: text },
      Prisma.sql`select a.uid, a.status, a.rule_name, a.device_name,
          (a.status <> 'open' or a.assignee_id is not null or a.snoozed_until is not null
           or exists (select 1 from alert_comments c where c.alert_id = a.uid)
           or exists (select 1 from notifications n where n.alert_id = a.uid and n.attempts > 0)) as touched
        from alerts a where a.dedupe_key = ${dedupeKey(place)} and a.organization_id = ${tx.organizationId}
        for update of a`,
    );
    if (!alert || alert.status === "resolved") return null;
    if (alert.touched) {
      await resolveByPlatform(
        tx,
        alert.uid,
        "Evaluated again: the rule no longer finds it in this recording.",
        withdrawn,
      );
      return "resolved";
    }
    await execute(tx, Prisma.sql`delete from alerts where uid = ${alert.uid}`);
    await audit(tx, {
      action: "alert.withdrawn",
      targetType: "alert",
      targetId: alert.uid,
      targetName: nameAlert(alert),
    });
    await announce(tx, "alert", alert.uid, "deleted");
    return "deleted";
  });
}
