import type { MaintainDevices } from "@/domain/overview/schema";
import { requireKnownDevices } from "@/server/features/devices/bulk-service";
import { updateDevice } from "@/server/features/devices/service";
import { createSilence } from "@/server/features/silences/service";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";

const endKey = (uid: string): string => `overview.end-maintenance:${uid}`;

/** Puts devices into maintenance until a time and silences their alerts until then. Throws `invalid("until")`. */
export async function maintainDevices(
  ctx: Ctx,
  { device_ids: deviceIds, until, reason }: MaintainDevices,
): Promise<{ devices: number; silence_uid: string }> {
  if (until.getTime() <= databaseMs()) throw invalid("until", "Ensure this time is in the future.");
  const uids = await requireKnownDevices(ctx, deviceIds);
  return transaction(ctx, async (tx) => {
    for (const uid of uids) {
      await updateDevice(tx, uid, { status: "maintenance" });
      await enqueue(
        tx,
        jobs.endMaintenance,
        { organizationId: tx.organizationId, deviceId: uid },
        { key: endKey(uid), runAt: until },
      );
    }
    const silence = await createSilence(tx, { matchers: { device_ids: uids }, reason, ends_at: until });
    return { devices: uids.length, silence_uid: silence.uid };
  });
}

/**
 * Ends a device's maintenance unless another maintenance silence covers it. The device becomes `offline`, and its next
 * heartbeat sets its status.
 */
export async function endMaintenance(organizationId: string, uid: string): Promise<void> {
  await transaction(systemContext(prisma, organizationId), async (tx) => {
    const device = await tx.db.device.findFirst({
      where: { uid, organizationId: tx.organizationId },
      select: { status: true },
    });
    const active = await tx.db.silence.findMany({
      where: { organizationId: tx.organizationId, startsAt: { lte: databaseNow() }, endsAt: { gt: databaseNow() } },
      select: { matchers: true },
    });
    const extended = active.some(({ matchers }) => (matchers as { device_ids?: string[] }).device_ids?.includes(uid));
    if (device?.status === "maintenance" && !extended) await updateDevice(tx, uid, { status: "offline" });
  });
}
