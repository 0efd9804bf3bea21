import { alertStatuses } from "@/domain/alerts/lifecycle";
import { severityRank, type Severity } from "@/domain/severity";
import { dateFromNs } from "@/domain/time/nanoseconds";
import { queueAlertMessages, resolveByPlatform } from "@/server/features/alerts/messages-queries";
import { audit } from "@/server/features/audit/service";
import { existingChannels } from "@/server/features/channels/queue-service";
import { activeSilences, silencingCase } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
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
  return transaction(ctx, async (tx) => {
    const uid = newUid("alert");
    const place = { ruleId: input.rule.uid, deviceId: input.device.uid, recordingId: input.recordingId };
    const triggeredAt = dateFromNs(input.triggeredNs);
    const [row] = await query(
      tx,
      { uid: text },
      Prisma.sql`
        insert into alerts as a (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, recording_id,
          severity, severity_rank, message, evidence, occurrence_count, dedupe_key, triggered_at, triggered_ns, demo, created_at, updated_at)
        values (${uid}, ${tx.organizationId}, ${input.rule.uid}, ${input.rule.name}, ${input.rule.version},
          ${input.device.uid}, ${input.device.name}, ${input.recordingId}, ${input.severity},
          ${severityRank(input.severity)}::smallint, ${input.message},
          ${JSON.stringify(input.evidence)}::jsonb, ${input.occurrenceCount}::int, ${dedupeKey(place)},
          ${triggeredAt}::timestamptz, ${input.triggeredNs}::bigint, ${input.demo ?? false},
          ${new Date(uidTime(uid))}::timestamptz, now())
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
        returning uid`,
    );
    const alertId = row?.uid ?? uid;
    const created = alertId === uid;
    await announce(tx, "alert", alertId, created ? "created" : "updated");
    const channels = await existingChannels(tx, input.channelIds);
    const missingChannelIds = input.channelIds.filter((id) => !channels.includes(id));
    if (!created) return { alertId, created, silenced: false, missingChannelIds };

    const silenced = await applySilences(tx, alertId);
    await audit(tx, {
      action: "alert.triggered",
      targetType: "alert",
      targetId: alertId,
      targetName: input.message.slice(0, 200),
      after: { severity: input.severity, rule_id: input.rule.uid, device_id: input.device.uid, silenced },
    });
    if (input.notify && !silenced) await queueAlertMessages(tx, alertId, "alert.triggered", channels);
    return { alertId, created, silenced, missingChannelIds };
  });
}

/** Records the silence that matches a new alert, if any. Returns whether one does. */
async function applySilences(tx: Ctx, alertId: string): Promise<boolean> {
  const silences = await activeSilences(tx);
  if (silences.length === 0) return false;
  const [row] = await query(
    tx,
    { silence_id: nullable(text) },
    Prisma.sql`update alerts a set silence_id = ${silencingCase(silences)} where a.uid = ${alertId} returning a.silence_id`,
  );
  return typeof row?.silence_id === "string";
}

/**
 * Withdraws an alert that a newer evaluation no longer found. An untouched alert of which nothing was sent is deleted;
 * any other is resolved with a note, and `raiseAlert` reopens it if a later evaluation finds it again.
 */
export async function withdrawAlert(ctx: Ctx, place: Place): Promise<"deleted" | "resolved" | null> {
  return transaction(ctx, async (tx) => {
    const [alert] = await query(
      tx,
      { uid: text, status: oneOf(alertStatuses), touched: bool, message: text },
      Prisma.sql`select a.uid, a.status, a.message,
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
      targetName: alert.message.slice(0, 200),
    });
    await announce(tx, "alert", alert.uid, "deleted");
    return "deleted";
  });
}
