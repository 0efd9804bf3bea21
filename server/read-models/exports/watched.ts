import { exportFormats } from "@/domain/exports/formats";
import { exportStatuses } from "@/domain/exports/schema";
import { isExportVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, nullable, oneOf, text, type Wire } from "@/server/platform/rows";

const watchedRow = {
  uid: text,
  name: text,
  format: oneOf(exportFormats),
  status: oneOf(exportStatuses),
  item_count: nullable(int4),
  error_message: nullable(text),
};
export type WatchedExport = Wire<typeof watchedRow>;

/** The caller's own exports that are not finished, and those of `uids`, finished or not. */
export function listWatched(ctx: Ctx, uids: readonly string[]): Promise<WatchedExport[]> {
  const columns = Prisma.sql`e.uid, e.name, e.format, e.status, (e.contents->>'items')::int as item_count, e.error_message from exports e
    where e.organization_id = ${ctx.organizationId} and e.created_by_id = ${ctx.actor.userId ?? ""} and ${isExportVisible(ctx)}`;
  return sql(
    watchedRow,
    Prisma.sql`(select ${columns} and e.status in ('requested', 'exporting') order by e.uid limit 100)
      union select ${columns} and e.uid = any(${[...uids]})`,
  );
}
