import type { ItemStatus } from "@/domain/datasets/item-status";
import { updateSequenceStatuses } from "@/server/features/datasets/sequences-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { nullable, text } from "@/server/platform/rows";

/** Sets the status of items that have one of `from`, and that of their sequences. Returns how many items changed. */
export async function setItemStatus(
  tx: Ctx,
  items: Prisma.Sql,
  status: ItemStatus,
  from: readonly ItemStatus[],
): Promise<number> {
  const rows = await query(
    tx,
    { sequence_id: nullable(text) },
    Prisma.sql`update items i set status = ${status}, updated_at = now()
      where i.organization_id = ${tx.organizationId} and i.status = any(${[...from]}) and i.status <> ${status} and ${items}
      returning i.sequence_id`,
  );
  await updateSequenceStatuses(
    tx,
    rows.flatMap(({ sequence_id }) => (sequence_id === null ? [] : [sequence_id])),
  );
  return rows.length;
}
