import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";

/**
 * Adds to the storage total of a device (`devices.storage_bytes`), in the transaction that changes the `size_bytes` of
 * its recordings. Does nothing when the device was deleted.
 */
export async function addDeviceStorage(tx: Ctx, deviceId: string, bytes: bigint): Promise<void> {
  if (bytes === 0n) return;
  await execute(
    tx,
    Prisma.sql`update devices set storage_bytes = greatest(0, storage_bytes + ${bytes})
      where uid = ${deviceId} and organization_id = ${tx.organizationId}`,
  );
}
