import type { DeviceStatus } from "@/domain/devices/connectivity";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";

/** Records the same change of several devices, in one statement. */
export async function logStatuses(
  on: OnDb,
  devices: readonly { uid: string; organization_id: string }[],
  status: DeviceStatus,
  reason: string,
): Promise<void> {
  const rows = devices.map((device) => ({ ...device, log_uid: uuidv7() }));
  await execute(
    on,
    Prisma.sql`insert into device_status_changes (uid, organization_id, device_id, status, reason, at)
      select log_uid, organization_id, uid, ${status}, ${reason}, ${databaseNow()}::timestamptz
      from json_to_recordset(${JSON.stringify(rows)}::json) as d(log_uid text, organization_id text, uid text)`,
  );
}

/**
 * Records a change of a device's status with its reason, for the connectivity lane. Called with every change of
 * `devices.status`.
 */
export async function logStatus(
  tx: Ctx,
  deviceId: string,
  status: DeviceStatus,
  reason: string,
  at = databaseNow(),
): Promise<void> {
  await execute(
    tx,
    Prisma.sql`insert into device_status_changes (uid, organization_id, device_id, status, reason, at)
      values (${uuidv7()}, ${tx.organizationId}, ${deviceId}, ${status}, ${reason}, ${at}::timestamptz)`,
  );
}
