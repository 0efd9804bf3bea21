import { audit } from "@/server/audit/service";
import { announce } from "@/server/changes";
import { deleteChannel } from "@/server/channels/service";
import type { Ctx } from "@/server/context";
import { transaction } from "@/server/db";
import { deleteGroup } from "@/server/devices/groups";
import { deleteDevice } from "@/server/devices/service";
import { deleteRecording } from "@/server/recordings/service";
import { deleteRule } from "@/server/rules/service";
import { deleteSilence } from "@/server/silences/service";

/**
 * Removes everything that is marked as demo, all or nothing: alerts too, which otherwise outlive what they are about. Files go
 * with their recordings; the audit log keeps what was done. Throws `invalid` when a rule of the organization's own uses a demo
 * channel.
 */
export async function removeDemo(ctx: Ctx): Promise<void> {
  await transaction(ctx, async (tx) => {
    const marked = { where: { organizationId: tx.organizationId, demo: true }, select: { uid: true }, orderBy: { uid: "asc" } } as const;
    const { organizationId } = tx;
    const recordings = await tx.db.recording.findMany(marked);
    for (const { uid } of recordings) await deleteRecording(tx, uid);

    const alerts = await tx.db.alert.findMany(marked);
    await tx.db.alert.deleteMany({ where: { organizationId, demo: true } });
    for (const { uid } of alerts) await announce(tx, "alert", uid, "deleted");

    const kinds = [
      [await tx.db.silence.findMany(marked), deleteSilence],
      [await tx.db.rule.findMany(marked), deleteRule],
      [await tx.db.channel.findMany(marked), deleteChannel],
      [await tx.db.deviceGroup.findMany(marked), deleteGroup],
      [await tx.db.device.findMany(marked), deleteDevice],
    ] as const;
    for (const [rows, remove] of kinds) for (const { uid } of rows) await remove(tx, uid);

    const removed = { recordings: recordings.length, alerts: alerts.length, devices: kinds[4][0].length };
    if (Object.values(removed).every((count) => count === 0)) return;
    await audit(tx, { action: "demo.removed", targetType: "organization", targetId: organizationId, before: removed });
  });
}
