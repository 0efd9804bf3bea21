import { z } from "zod";
import type { EvidenceOf } from "@/domain/alerts/evidence";
import { heartbeatTiming } from "@/domain/devices/connectivity";
import { defaultAlertSeverity, severities } from "@/domain/severity";
import { durationOrZero } from "@/domain/time/duration";
import { nsFromMs, nsPerSecond } from "@/domain/time/nanoseconds";
import { nameAlert } from "@/server/features/alerts/alert-queries";
import { resolveByPlatform } from "@/server/features/alerts/messages-queries";
import { type RaisedAlert, raiseAlerts } from "@/server/features/alerts/raise-service";
import { audit, type AuditRecord, auditSeveral } from "@/server/features/audit/service";
import { selectAllGroups } from "@/server/features/devices/group-queries";
import { logStatuses } from "@/server/features/devices/status-log-service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { announce, announceSeveral } from "@/server/platform/realtime/changes";
import { bool, int4, jsonb, type Native, notNull, text, timestamptz } from "@/server/platform/rows";

/** Devices of one transaction. */
const batch = 500;

const silentDeviceRow = {
  uid: text,
  organization_id: text,
  name: text,
  last_seen_at: notNull(timestamptz),
  demo: bool,
};
type SilentDevice = Native<typeof silentDeviceRow>;

const offlineRuleRow = {
  device_id: text,
  uid: text,
  name: text,
  version: int4,
  actions: jsonb(
    z.array(z.object({ type: z.string(), channel_id: z.string().optional(), severity: z.enum(severities).optional() })),
  ),
  timeout: text,
};
type OfflineRule = Native<typeof offlineRuleRow>;

/** A rule's duration, such as `10m` or `1m30s`, in whole seconds. */
const toSeconds = (duration: string): number => Number(durationOrZero(duration) / nsPerSecond);

/**
 * How long a device may be silent before the rule triggers, in seconds; at least the time after which the device is
 * offline, because only then is silence detected.
 */
const getTimeoutSeconds = ({ timeout }: Pick<OfflineRule, "timeout">): number =>
  Math.max(heartbeatTiming.offlineAfterSeconds, toSeconds(timeout));

/**
 * Marks online devices that have been silent for 90 s as offline and raises their alerts, in batches that workers can
 * process concurrently. Returns how many went offline.
 */
export async function sweepOfflineDevices(now = databaseNow()): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await transaction({ db: prisma }, (tx) => sweepBatch(tx, now));
    total += count;
    if (count < batch) break;
  }
  await sweepLongSilences(now);
  return total;
}

/** A rule does not trigger later than this after its timeout: the rule, or the platform, was off then. */
const maxOverdueMs = 3_600_000;

/** Raises the alerts of rules whose timeout is longer than the offline threshold, once for each silence of a device. */
async function sweepLongSilences(now: Date): Promise<void> {
  const rules = await query(
    { db: prisma },
    { uid: text, organization_id: text, timeout: text },
    Prisma.sql`select uid, organization_id, condition->>'timeout' as timeout from rules
      where builtin and enabled and condition_type = 'absence' and condition->>'timeout' <> '90s' order by uid`,
  );
  for (const { uid, organization_id: organizationId, timeout } of rules) {
    const seconds = getTimeoutSeconds({ timeout });
    if (seconds <= heartbeatTiming.offlineAfterSeconds) continue;
    const latest = new Date(now.getTime() - seconds * 1_000);
    await transaction({ ...systemContext(prisma, organizationId) }, async (tx) => {
      const devices = await query(
        tx,
        silentDeviceRow,
        Prisma.sql`select d.uid, d.organization_id, d.name, d.last_seen_at, d.demo from devices d
          where d.organization_id = ${organizationId} and d.status = 'offline' and not d.demo
            and d.last_seen_at <= ${latest}::timestamptz and d.last_seen_at > ${new Date(latest.getTime() - maxOverdueMs)}::timestamptz
            and not exists (select 1 from alerts a where a.rule_id = ${uid} and a.device_id = d.uid and a.triggered_at >= d.last_seen_at)
          order by d.last_seen_at limit ${batch} for update skip locked`,
      );
      if (devices.length === 0) return;
      const due = (
        await offlineRules(
          tx,
          devices.map((device) => device.uid),
        )
      ).filter((rule) => rule.uid === uid);
      await raise(tx, due, devices);
      await countHits(tx, due, devices);
    });
  }
}

/**
 * Online devices last seen before `cutoff`, longest silent first, by reading all: an index would need an entry for each
 * heartbeat. A locked row is skipped: its heartbeat is being written. Those of the demo pause while nobody looks.
 */
export const selectSilent = (cutoff: Date): Prisma.Sql =>
  Prisma.sql`select uid, organization_id, name, last_seen_at, demo from devices
    where status = 'online' and last_seen_at < ${cutoff}::timestamptz and not demo
    order by last_seen_at limit ${batch} for update skip locked`;

async function sweepBatch(tx: Pick<Ctx, "db">, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - heartbeatTiming.offlineAfterSeconds * 1_000);
  const devices = await query(tx, silentDeviceRow, selectSilent(cutoff));
  if (devices.length === 0) return 0;
  const uids = devices.map((device) => device.uid);
  await execute(tx, Prisma.sql`update devices set status = 'offline', updated_at = now() where uid = any(${uids})`);
  const rules = (await offlineRules(tx, uids)).filter(
    (rule) => getTimeoutSeconds(rule) <= heartbeatTiming.offlineAfterSeconds,
  );
  const contexts = new Map(
    devices.map(({ organization_id: id }) => [id, { ...systemContext(prisma, id), db: tx.db } satisfies Ctx]),
  );
  await auditSeveral(
    tx,
    devices.flatMap((device) => {
      const ctx = contexts.get(device.organization_id);
      return ctx ? [[ctx, describeSilence(device)] as const] : [];
    }),
  );
  await logStatuses(tx, devices, "offline", `no heartbeat for ${heartbeatTiming.offlineAfterSeconds} s`);
  for (const [organizationId, ctx] of contexts) {
    const own = devices.filter((device) => device.organization_id === organizationId);
    const ownUids = own.map((device) => device.uid);
    await announceSeveral(ctx, "device", ownUids, "updated");
    await raise(ctx, rules, own);
  }
  await countHits(tx, rules, devices);
  return devices.length;
}

/** The enabled built-in rules that watch these devices, one row for each device. Scopes are as in rules/scope. */
const offlineRules = (tx: Pick<Ctx, "db">, deviceIds: string[]): Promise<OfflineRule[]> =>
  query(
    tx,
    offlineRuleRow,
    Prisma.sql`select d.uid as device_id, r.uid, r.name, r.version, r.actions, r.condition->>'timeout' as timeout
      from devices d join rules r on r.organization_id = d.organization_id and r.builtin and r.enabled
        and r.condition_type = 'absence'
      where d.uid = any(${deviceIds})
        and ((coalesce(jsonb_array_length(r.scope->'device_ids'), 0) = 0 and coalesce(jsonb_array_length(r.scope->'group_ids'), 0) = 0)
          or jsonb_exists(r.scope->'device_ids', d.uid)
          or exists (select 1 from (${selectAllGroups(Prisma.sql`d.uid`)}) g(uid) where jsonb_exists(r.scope->'group_ids', g.uid)))
        and coalesce(r.scope->'tags', '[]') <@ to_jsonb(d.tags)
      order by r.uid`,
  );

const silentSince = (device: SilentDevice, rule: OfflineRule): bigint =>
  nsFromMs(device.last_seen_at.getTime() + getTimeoutSeconds(rule) * 1_000);

const describeSilence = (device: SilentDevice): AuditRecord => ({
  action: "device.status_changed",
  targetType: "device",
  targetId: device.uid,
  targetName: device.name,
  before: { status: "online" },
  after: { status: "offline" },
});

/** Opens the alerts of an organization's silent devices. */
async function raise(ctx: Ctx, rules: readonly OfflineRule[], devices: readonly SilentDevice[]): Promise<void> {
  const byUid = new Map(devices.map((device) => [device.uid, device]));
  const alerts = rules.flatMap((rule) => {
    const device = byUid.get(rule.device_id);
    return device && opensAlert(rule) ? [toAlert(rule, device)] : [];
  });
  if (alerts.length > 0) await raiseAlerts(ctx, alerts);
}

const opensAlert = ({ actions }: OfflineRule): boolean =>
  actions.some(({ type }) => type === "notify" || type === "flag_for_review");

const toAlert = (rule: OfflineRule, device: SilentDevice): RaisedAlert => ({
  rule: { uid: rule.uid, name: rule.name, version: rule.version },
  device: { uid: device.uid, name: device.name },
  recordingId: null,
  severity: rule.actions.find((action) => action.severity !== undefined)?.severity ?? defaultAlertSeverity,
  message: `${rule.name}: no heartbeat of ${device.name} for ${getTimeoutSeconds(rule)} s`,
  triggeredNs: silentSince(device, rule),
  evidence: {
    kind: "heartbeat",
    rule_version: rule.version,
    last_seen_at: device.last_seen_at.toISOString(),
    offline_after_seconds: getTimeoutSeconds(rule),
  } satisfies EvidenceOf<"heartbeat">,
  occurrenceCount: 1,
  channelIds: rule.actions.flatMap(({ type, channel_id: id }) => (type === "notify" && id !== undefined ? [id] : [])),
  notify: true,
  demo: device.demo,
});

/** Counts the triggers of each rule, in the order of rule uids so that concurrent sweeps cannot deadlock. */
async function countHits(tx: Pick<Ctx, "db">, rules: OfflineRule[], devices: SilentDevice[]): Promise<void> {
  const byUid = new Map(devices.map((device) => [device.uid, device]));
  for (const uid of [...new Set(rules.map((rule) => rule.uid))].sort()) {
    const times = rules.flatMap((rule) => {
      const device = byUid.get(rule.device_id);
      return rule.uid === uid && device ? [silentSince(device, rule)] : [];
    });
    const latest = times.reduce((a, b) => (a > b ? a : b), 0n);
    await execute(
      tx,
      Prisma.sql`update rules set hit_count = hit_count + ${times.length}::int,
        last_hit_ns = greatest(last_hit_ns, ${latest}::bigint) where uid = ${uid}`,
    );
  }
}

const isOfflineAlert = Prisma.sql`status <> 'resolved' and (dedupe_key like 'live:%' or dedupe_key like 'done:%')
  and not exists (select from rules r where r.uid = rule_id and r.live)`;

/** Resolves the offline alerts of devices that are back, of each in a transaction of its own. */
export async function recoverDevices(organizationId: string, deviceIds: readonly string[]): Promise<void> {
  const devices = await query(
    { db: prisma },
    { device_id: notNull(text) },
    Prisma.sql`select distinct device_id from alerts
      where device_id = any(${deviceIds}::text[]) and organization_id = ${organizationId} and ${isOfflineAlert}`,
  );
  for (const { device_id: deviceId } of devices) await recoverDevice(organizationId, deviceId);
}

/** Resolves the offline alerts of a device that is back; does nothing when it is offline again. */
export async function recoverDevice(organizationId: string, deviceId: string): Promise<void> {
  await transaction(systemContext(prisma, organizationId), async (tx) => {
    const [device] = await query(
      tx,
      { status: text },
      Prisma.sql`select status from devices where uid = ${deviceId} and organization_id = ${organizationId} for share`,
    );
    if (!device || device.status === "offline") return;
    const alerts = await query(
      tx,
      { uid: text },
      Prisma.sql`select uid from alerts where device_id = ${deviceId} and organization_id = ${organizationId}
          and ${isOfflineAlert}
        order by uid for update`,
    );
    for (const { uid } of alerts) await resolveByPlatform(tx, uid, "auto");
  });
}

/** Ends snoozes that are over. Returns how many. */
export async function wakeSnoozedAlerts(now = databaseNow()): Promise<number> {
  return transaction({ db: prisma }, async (tx) => {
    const alerts = await query(
      tx,
      { uid: text, organization_id: text, rule_name: text, device_name: text },
      Prisma.sql`update alerts set snoozed_until = null, updated_at = now()
        where uid in (select uid from alerts where status in ('open', 'acknowledged') and snoozed_until <= ${now}::timestamptz
          order by snoozed_until limit 500 for update skip locked)
        returning uid, organization_id, rule_name, device_name`,
    );
    for (const { uid, organization_id, ...alert } of alerts) {
      const ctx = { ...systemContext(prisma, organization_id), db: tx.db };
      await audit(ctx, {
        action: "alert.woken",
        targetType: "alert",
        targetId: uid,
        targetName: nameAlert(alert),
      });
      await announce(ctx, "alert", uid, "updated");
    }
    return alerts.length;
  });
}
