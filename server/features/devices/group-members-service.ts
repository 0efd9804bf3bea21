import { audit } from "@/server/features/audit/service";
import { requireKnownDevices } from "@/server/features/devices/bulk-service";
import { getGroup } from "@/server/features/devices/group-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";

type Change = "add" | "remove";

const statements: Record<Change, (uid: string, deviceIds: readonly string[]) => Prisma.Sql> = {
  add: (uid, deviceIds) => Prisma.sql`insert into device_group_members (group_id, device_id)
    select ${uid}, device.uid from unnest(${[...deviceIds]}::text[]) as device(uid) on conflict do nothing returning device_id`,
  remove: (uid, deviceIds) => Prisma.sql`delete from device_group_members
    where group_id = ${uid} and device_id = any(${[...deviceIds]}) returning device_id`,
};

/**
 * Adds devices to a group, or takes them out of it; the others stay as they are. Resolves to those that changed. Throws
 * `not_found`, `invalid("device_ids")`.
 */
export async function changeGroupDevices(
  ctx: Ctx,
  uid: string,
  change: Change,
  deviceIds: readonly string[],
): Promise<string[]> {
  return transaction(ctx, async (tx) => {
    const { name, device_ids: before } = await getGroup(tx, uid);
    const known = await requireKnownDevices(tx, deviceIds);
    const rows = await query(tx, { device_id: text }, statements[change](uid, known));
    if (rows.length === 0) return [];
    const after = await getGroup(tx, uid);
    await audit(tx, {
      action: "group.updated",
      targetType: "group",
      targetId: uid,
      targetName: name,
      before: { device_ids: before },
      after: { device_ids: after.device_ids },
    });
    await announce(tx, "group", uid, "updated");
    return rows.map((row) => row.device_id);
  });
}
