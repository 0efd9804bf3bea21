import type { DeviceStatus } from "@/domain/devices/connectivity";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";

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
