import { isEventVisible } from "@/server/features/membership/object-visibility-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";

/** SQL: the caller sees what the delivery `d` reports. Those of the first versions name it in their payload alone. */
export const isDeliveryVisible = (ctx: Ctx): Prisma.Sql =>
  isEventVisible(
    ctx,
    Prisma.sql`d.event_type`,
    (_, member) => Prisma.sql`coalesce(d.object_id, d.payload->>${member}::text)`,
  );
