import type { OpenLayout, UseLayout } from "@/domain/layouts/schema";
import { readDeviceDatum } from "@/engine/messages/positions/datum";
import type { OpenedLayout } from "@/server/features/layouts/resource";
import { requirePerson, serializeDetail } from "@/server/features/layouts/service";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";

/** Types of devices that are remembered of a person. */
const maxUses = 100;

/** The type of a recording's device, and what places its own frame on earth. Throws `not_found`. */
async function findDevice(ctx: Ctx, recording: string): Promise<Pick<OpenedLayout, "device_type" | "datum">> {
  const { device_id: uid } = await findRecording(ctx, recording);
  const device = await ctx.db.device.findFirst({
    where: { uid, organizationId: ctx.organizationId },
    select: { type: true, metadata: true },
  });
  const datum = readDeviceDatum(device?.metadata);
  return {
    device_type: device?.type ?? "unknown",
    datum: datum && { topic: datum.kind === "topic" ? datum.topic : null },
  };
}

/**
 * The layout a recording opens with: that of the address, or the one that the person had open last for this type of
 * device, or the default of the type, or of the organization, or the suggested one. Throws `not_found` for an unknown
 * recording; a layout that is gone is left out.
 */
export async function openLayout(ctx: Ctx, { recording, layout }: OpenLayout): Promise<OpenedLayout> {
  const { userId } = requirePerson(ctx);
  const { organizationId } = ctx;
  const device = await findDevice(ctx, recording);
  const { device_type: type } = device;
  const opened = (by: OpenedLayout["by"], row?: Parameters<typeof serializeDetail>[1] | null): OpenedLayout => ({
    layout: row ? serializeDetail(ctx, row) : null,
    by,
    ...device,
  });
  if (layout !== undefined) {
    const named = await ctx.db.panelLayout.findFirst({ where: { uid: layout, organizationId } });
    if (named) return opened("link", named);
  }
  const last = await ctx.db.panelLayoutUse.findUnique({
    where: { organizationId_userId_deviceType: { organizationId, userId, deviceType: type } },
    include: { layout: true },
  });
  // One that its owner no longer shares is as good as gone.
  if (last && (last.layout === null || last.layout.ownerId === null || last.layout.ownerId === userId))
    return opened(last.layout === null ? "suggested" : "last", last.layout);
  const found = await findDefault(ctx, type);
  return found ? opened(found.defaultFor === "" ? "organization" : "device_type", found) : opened("suggested");
}

/** The default for a type of device, also where that is written in other cases, or else the one for all; null: none. */
async function findDefault(ctx: Ctx, type: string) {
  const { organizationId } = ctx;
  const defaults = await ctx.db.panelLayout.findMany({
    where: { organizationId, defaultFor: { not: null } },
    select: { uid: true, defaultFor: true },
    orderBy: { defaultFor: "asc" },
  });
  const chosen =
    defaults.find(({ defaultFor }) => defaultFor === type) ??
    defaults.find(({ defaultFor }) => defaultFor?.toLowerCase() === type.toLowerCase()) ??
    defaults.find(({ defaultFor }) => defaultFor === "");
  return chosen ? ctx.db.panelLayout.findFirst({ where: { uid: chosen.uid, organizationId } }) : null;
}

/** Remembers the layout that a person chose for a recording, for others of its type of device. Throws `not_found`. */
export async function rememberLayout(ctx: Ctx, { recording, layout }: UseLayout): Promise<void> {
  const { userId } = requirePerson(ctx);
  const { device_type: deviceType } = await findDevice(ctx, recording);
  await transaction(ctx, async (tx) => {
    const { organizationId } = tx;
    if (layout !== null) {
      const found = await tx.db.panelLayout.findFirst({
        where: { uid: layout, organizationId },
        select: { uid: true },
      });
      if (!found) throw notFound();
    }
    await execute(
      tx,
      Prisma.sql`insert into layout_uses (organization_id, user_id, device_type, layout_id)
        values (${organizationId}, ${userId}, ${deviceType}, ${layout})
        on conflict (organization_id, user_id, device_type) do update set layout_id = excluded.layout_id, used_at = now()`,
    );
    await execute(
      tx,
      Prisma.sql`delete from layout_uses where organization_id = ${organizationId} and user_id = ${userId}
        and device_type in (select device_type from layout_uses where organization_id = ${organizationId} and user_id = ${userId}
          order by used_at desc, device_type offset ${maxUses})`,
    );
  });
}
