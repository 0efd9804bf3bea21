import type { ViewedItem } from "@/domain/items/viewer-schema";
import { getDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { jsonbObject, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";

const entryRow = {
  uid: text,
  action: text,
  actor_type: text,
  actor_name: text,
  before: nullable(jsonbObject),
  after: nullable(jsonbObject),
  created_at: timestamptz,
};

/** A change of an item, or of a task or result of it. */
export type ItemActivity = Wire<typeof entryRow>;

const maxEntries = 100;

/** What happened to an item, its tasks and its results, newest first, at most a hundred. Throws `not_found`. */
export async function readItemActivity(ctx: Ctx, input: ViewedItem): Promise<ItemActivity[]> {
  const dataset = await getDataset(ctx, input);
  const where = { uid: input.uid, datasetId: dataset.uid, organizationId: ctx.organizationId };
  if ((await ctx.db.item.count({ where })) === 0) throw notFound();
  return sql(
    entryRow,
    Prisma.sql`select a.uid, a.action, a.actor_type, a.actor_name, a.before, a.after, a.created_at from audit_entries a
      where a.organization_id = ${ctx.organizationId} and a.target_id in (
        select ${input.uid} union all select t.uid from tasks t where t.item_id = ${input.uid}
        union all select r.uid from results r where r.item_id = ${input.uid})
      order by a.uid desc limit ${maxEntries}`,
  );
}
