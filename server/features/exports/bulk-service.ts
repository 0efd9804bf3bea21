import { deleteExport, repeatExport } from "@/server/features/exports/service";
import { inBulk, type BulkResult } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";

/** Deletes several exports, each on its own. */
export const deleteExports = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult> =>
  inBulk(null, uids, async (uid) => {
    await deleteExport(ctx, uid);
    return {};
  });

/** Repeats several exports, in the order in which they are given. */
export const repeatExports = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult> =>
  inBulk(
    null,
    uids,
    async (uid) => {
      await repeatExport(ctx, uid);
      return {};
    },
    1,
  );
