import { deviceStatuses } from "@/domain/devices/connectivity";
import { adminDeviceFields, type CreateDevice, type DeviceFilters, type UpdateDevice } from "@/domain/devices/schema";
import { jsonSize } from "@/domain/fields";
import { isUid } from "@/domain/uid";
import { audit, difference } from "@/server/features/audit/service";
import { demoFilter } from "@/server/features/devices/demo-queries";
import type { DeviceResource, RegisteredDevice } from "@/server/features/devices/resource";
import { logStatus } from "@/server/features/devices/status-log-service";
import { tagFilter, writeTags } from "@/server/features/devices/tag-queries";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { requireRole, type Ctx } from "@/server/platform/context";
import { newToken, sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import {
  arrayOf,
  bool,
  jsonbObject,
  type Native,
  notNull,
  nullable,
  oneOf,
  text,
  timestamptz,
} from "@/server/platform/rows";
import { newUid, uuidv7 } from "@/server/platform/uid";

/** The columns of a device under their wire names. */
const columns = Prisma.sql`
  d.uid, d.name, d.type, d.status, d.tags, d.last_seen_at, d.firmware_version, d.metadata, d.metrics,
  array(select m.group_id from device_group_members m where m.device_id = d.uid order by 1) as group_ids,
  d.demo, d.created_at, d.updated_at`;

const deviceRow = {
  uid: text,
  name: text,
  type: text,
  status: oneOf(deviceStatuses),
  tags: notNull(arrayOf(text)),
  last_seen_at: nullable(timestamptz),
  firmware_version: nullable(text),
  metadata: jsonbObject,
  metrics: jsonbObject,
  group_ids: arrayOf(text),
  demo: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** An order other than the newest first: what is joined to the device `d`, and its columns, which come before the uid. */
export interface DeviceOrder {
  join: Prisma.Sql;
  columns: readonly string[];
  direction: "asc" | "desc";
}

const newestFirst: DeviceOrder = { join: Prisma.empty, columns: [], direction: "desc" };

/**
 * Devices, newest first or as `order` says. `tags`: all of them; `metadata`: containment; `status` and `type`: any of the list. `more` are
 * further conditions on the device `d`; `filters` must contain their values too, because cursors are bound to
 * `filters`.
 */
export async function listDevices(
  ctx: Ctx,
  filters: DeviceFilters,
  more: Prisma.Sql = Prisma.empty,
  order: DeviceOrder = newestFirst,
): Promise<Page<DeviceResource>> {
  const { limit, cursor, ...narrow } = filters;
  const types = filters.type?.split(",").filter((type) => type !== "");
  const search = filters.search?.trim();
  const keys = order.columns.map((column) => `${column}::text`).join(", ");
  const page = await keysetPage<DeviceResource & { sort_key: string[] }>(ctx, {
    name: "devices",
    filters: narrow,
    page: { limit, cursor },
    order: { columns: [...order.columns, "d.uid"], direction: order.direction },
    key: (device) => [...device.sort_key, device.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        { ...deviceRow, sort_key: notNull(arrayOf(text)) },
        Prisma.sql`
        select ${columns}, array[${Prisma.raw(keys)}]::text[] as sort_key from devices d ${order.join}
        where d.organization_id = ${ctx.organizationId} and ${where}
        ${filters.status ? Prisma.sql`and d.status = any(${filters.status})` : Prisma.empty}
        ${types?.length ? Prisma.sql`and d.type = any(${types})` : Prisma.empty}
        ${filters.tags?.length ? tagFilter("device", ctx.organizationId, filters.tags, "d.uid") : Prisma.empty}
        ${filters.metadata ? Prisma.sql`and d.metadata @> ${JSON.stringify(filters.metadata)}::jsonb` : Prisma.empty}
        ${search ? Prisma.sql`and (d.name ilike ${`%${likeText(search)}%`} or d.uid like ${`${likeText(search)}%`})` : Prisma.empty}
        ${demoFilter("d", filters.demo)} ${more}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map(({ sort_key: _, ...device }) => device) };
}

/** One device. Throws `not_found`. */
export async function getDevice(ctx: Ctx, uid: string): Promise<DeviceResource> {
  const [device] = await query(
    ctx,
    deviceRow,
    Prisma.sql`select ${columns} from devices d where d.uid = ${uid} and d.organization_id = ${ctx.organizationId}`,
  );
  if (!device) throw notFound();
  return serializeRow(device);
}

const serializeRow = (row: Native<typeof deviceRow>): DeviceResource => ({
  ...row,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Registers a device, offline until its first heartbeat. Its token is in this response only. */
export async function registerDevice(ctx: Ctx, input: CreateDevice): Promise<RegisteredDevice> {
  const uid = newUid("device");
  const token = newToken("svd_");
  return transaction(ctx, async (tx) => {
    await tx.db.device.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        name: input.name,
        type: input.type ?? "unknown",
        firmwareVersion: input.firmware_version ?? null,
        tags: input.tags ?? [],
        metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
        tokenHash: sha256(token),
        tokenLastFour: token.slice(-4),
        demo: input.demo ?? false,
      },
    });
    if (input.tags?.length) await writeTags(tx, "device", uid, input.tags);
    await audit(tx, { action: "device.created", targetType: "device", targetId: uid, targetName: input.name });
    await announce(tx, "device", uid, "created");
    return { ...(await getDevice(tx, uid)), device_token: token };
  });
}

/** Locks and reads a device inside a transaction. Throws `not_found`. */
async function lockDevice(tx: Ctx, uid: string): Promise<DeviceResource> {
  await execute(
    tx,
    Prisma.sql`select 1 from devices where uid = ${uid} and organization_id = ${tx.organizationId} for update`,
  );
  return getDevice(tx, uid);
}

/** Merges one level deep; null removes a key. Throws `invalid("metadata")` when the result is over 64 KiB. */
export function mergeMetadata(
  current: Record<string, unknown>,
  change: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (!change) return current;
  const merged = Object.fromEntries(Object.entries({ ...current, ...change }).filter(([, value]) => value !== null));
  if (jsonSize(merged) > 64 * 1024) throw invalid("metadata", "Ensure this field is no larger than 65536 bytes.");
  return merged;
}

/** How far a device's clock may be ahead of the server's. */
const clockSkewMs = 5 * 60_000;

/** Throws `forbidden` when a member changes fields of a device that only admins do. */
export function requireDeviceFields(ctx: Ctx, sent: ReadonlySet<string>): void {
  if (adminDeviceFields.some((field) => sent.has(field))) requireRole(ctx, "admin");
}

async function setGroups(tx: Ctx, uid: string, groupIds: readonly string[]): Promise<void> {
  const where = { organizationId: tx.organizationId, uid: { in: [...groupIds] } };
  const groups = await tx.db.deviceGroup.findMany({ where, select: { uid: true } });
  const unknown = groupIds.find((id) => !groups.some((group) => group.uid === id));
  if (unknown !== undefined) throw invalid("group_ids", `Invalid pk "${unknown}" - object does not exist.`);
  await tx.db.deviceGroupMember.deleteMany({ where: { deviceId: uid } });
  await tx.db.deviceGroupMember.createMany({ data: groups.map((group) => ({ groupId: group.uid, deviceId: uid })) });
}

/**
 * Changes the given members. A status of online sets `last_seen_at` too. Throws `not_found`, `forbidden` for fields of
 * admins, `invalid`.
 */
export async function updateDevice(ctx: Ctx, uid: string, input: UpdateDevice): Promise<DeviceResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockDevice(tx, uid);
    if (Object.keys(input).length === 0) return before;
    requireDeviceFields(tx, new Set(Object.keys(input)));
    const seenAt = input.last_seen_at ?? (input.status === "online" ? databaseNow() : null);
    if (seenAt && seenAt.getTime() > databaseMs() + clockSkewMs) {
      throw invalid("last_seen_at", "Ensure this time is no more than 5 minutes in the future.");
    }
    const latest = pickLater(before.last_seen_at, seenAt);
    await tx.db.device.update({
      where: { uid },
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(input.type !== undefined && { type: input.type }),
        ...(input.status !== undefined && { status: input.status }),
        ...(input.firmware_version !== undefined && { firmwareVersion: input.firmware_version }),
        ...(input.tags !== undefined && { tags: input.tags }),
        metadata: mergeMetadata(before.metadata, input.metadata) as Prisma.InputJsonObject,
        lastSeenAt: latest,
      },
    });
    if (input.tags !== undefined) await writeTags(tx, "device", uid, input.tags);
    if (input.group_ids !== undefined) await setGroups(tx, uid, input.group_ids);
    if (input.status !== undefined && input.status !== before.status)
      await logStatus(tx, uid, input.status, `set by ${tx.actor.name}`);
    if (input.firmware_version !== undefined)
      await logFirmware(tx, uid, before.firmware_version, input.firmware_version);
    if (before.status === "offline" && input.status !== undefined && input.status !== "offline")
      await enqueueRecovery(tx, uid);
    const after = await getDevice(tx, uid);
    const changed = difference({ ...before, updated_at: "" }, { ...after, updated_at: "" });
    await audit(tx, {
      action: "device.updated",
      targetType: "device",
      targetId: uid,
      targetName: after.name,
      ...changed,
    });
    await announce(tx, "device", uid, "updated");
    return after;
  });
}

/** The later of both times: `last_seen_at` never decreases. */
const pickLater = (current: string | null, candidate: Date | null): Date | null => {
  const known = current === null ? null : new Date(current);
  if (!candidate) return known;
  return known && known > candidate ? known : candidate;
};

/** Queues the job that resolves a device's offline alerts; a job, because devices must not import alerts. */
const enqueueRecovery = (tx: Ctx, deviceId: string): Promise<void> =>
  enqueue(tx, jobs.devicesRecovered, { organizationId: tx.organizationId, deviceIds: [deviceId] });

/** Deletes a device and its token. Its recordings, events and alerts stay, with its id and name. */
export async function deleteDevice(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const device = await lockDevice(tx, uid);
    // Recordings have the device's name at their start; store the last one, which cannot be looked up any more.
    await tx.db.recording.updateMany({ where: { deviceId: uid }, data: { deviceName: device.name } });
    await tx.db.alert.updateMany({ where: { deviceId: uid }, data: { deviceName: device.name } });
    await tx.db.device.delete({ where: { uid } });
    await audit(tx, { action: "device.deleted", targetType: "device", targetId: uid, targetName: device.name });
    await announce(tx, "device", uid, "deleted");
  });
}

/** Replaces a device's token. The new one is in this response only. Throws `not_found`. */
export async function rotateDeviceToken(ctx: Ctx, uid: string): Promise<RegisteredDevice> {
  const token = newToken("svd_");
  return transaction(ctx, async (tx) => {
    const device = await lockDevice(tx, uid);
    await tx.db.device.update({ where: { uid }, data: { tokenHash: sha256(token), tokenLastFour: token.slice(-4) } });
    await audit(tx, { action: "device.token_rotated", targetType: "device", targetId: uid, targetName: device.name });
    return { ...(await getDevice(tx, uid)), device_token: token };
  });
}

/** The ids that are no device of this organization, including malformed ones. */
export async function unknownDevices(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const wellFormed = ids.filter((id) => isUid("device", id));
  const found = await ctx.db.device.findMany({
    where: { organizationId: ctx.organizationId, uid: { in: wellFormed } },
    select: { uid: true },
  });
  const known = new Set(found.map((device) => device.uid));
  return ids.filter((id) => !known.has(id));
}

/** Records that a device runs another firmware. One that becomes known, or is not known any more, is no change. */
async function logFirmware(tx: Ctx, deviceId: string, before: string | null, after: string | null): Promise<void> {
  if (before === null || after === null || before === after) return;
  await execute(
    tx,
    Prisma.sql`insert into device_firmware_changes (uid, organization_id, device_id, before, after, at)
      values (${uuidv7()}, ${tx.organizationId}, ${deviceId}, ${before}, ${after}, ${databaseNow()}::timestamptz)`,
  );
}
