import { deleteExport, repeatExport } from "@/server/features/exports/service";
import { inBulk, type BulkOutcome, type BulkResult } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";

/** Deletes several exports, each on its own. */
export const deleteExports = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult> =>
  inBulk(null, uids, async (uid) => {
    await deleteExport(ctx, uid);
    return {};
  });

/** Repeats several exports, in the order in which they are given. `repeated_uid` is the new one of each. */
export const repeatExports = (
  ctx: Ctx,
  uids: readonly string[],
): Promise<BulkResult<BulkOutcome & { repeated_uid?: string }>> =>
  inBulk(null, uids, async (uid) => ({ repeated_uid: (await repeatExport(ctx, uid)).uid }), 1);
