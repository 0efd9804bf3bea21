import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";

/**
 * Keeps what a device's recordings take up (`devices.storage_bytes`) in step with their `size_bytes`, in the
 * transaction that changes these. A device deleted meanwhile has no such sum any more.
 */
export async function addDeviceStorage(tx: Ctx, deviceId: string, bytes: bigint): Promise<void> {
  if (bytes === 0n) return;
  await execute(
    tx,
    Prisma.sql`update devices set storage_bytes = greatest(0, storage_bytes + ${bytes})
      where uid = ${deviceId} and organization_id = ${tx.organizationId}`,
  );
}
