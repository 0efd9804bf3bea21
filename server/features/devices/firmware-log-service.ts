import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";

/** Records that a device runs another firmware. One that becomes known, or is not known any more, is no change. */
export async function logFirmware(
  tx: Ctx,
  deviceId: string,
  before: string | null,
  after: string | null,
): Promise<void> {
  if (before === null || after === null || before === after) return;
  await execute(
    tx,
    Prisma.sql`insert into device_firmware_changes (uid, organization_id, device_id, before, after, at)
      values (${uuidv7()}, ${tx.organizationId}, ${deviceId}, ${before}, ${after}, ${databaseNow()}::timestamptz)`,
  );
}
