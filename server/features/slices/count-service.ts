import { parseFilter } from "@/domain/items/filter";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { tasksMissing } from "@/server/features/datasets/items-changed";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, text } from "@/server/platform/rows";

/** Days for which the counts of a slice are retained. */
const retainedDays = 90;

/** Recounts the items of a dataset's slices, and records what came and left since the last count. */
export async function countSlices(datasetId: string): Promise<void> {
  const slices = await prisma.slice.findMany({
    where: { datasetId },
    select: { uid: true, filter: true, organizationId: true },
  });
  const changed: Ctx[] = [];
  for (const { organizationId, ...slice } of slices) {
    const ctx = systemContext(prisma, organizationId, "slices");
    if (await countSlice(ctx, { ...slice, datasetId })) changed.push(ctx);
  }
  await makeTasksOfSlices(datasetId);
  const [ctx] = changed;
  if (ctx) await announce(ctx, "slice", "", "updated");
}

/** Items may have come into slices that active projects annotate. */
async function makeTasksOfSlices(datasetId: string): Promise<void> {
  const projects = await prisma.project.findMany({
    where: { status: "active", slices: { some: { datasetId } } },
    select: { uid: true, organizationId: true },
  });
  for (const { uid: projectId, organizationId } of projects)
    await transaction(systemContext(prisma, organizationId, "slices"), (tx) => tasksMissing(tx, { projectId }));
}

interface Counted {
  uid: string;
  datasetId: string;
  filter: string;
}

/** Counts one slice. Returns whether anything that people see of it changed. */
async function countSlice(ctx: Ctx, { uid, datasetId, filter }: Counted): Promise<boolean> {
  const counted = await countItems(ctx, datasetId, filterSql(parseFilter(filter)));
  const changes = await countFilterChanges(ctx, uid, datasetId);
  return transaction(ctx, async (tx) => {
    const [before] = await query(
      tx,
      { item_count: int4, filter: text, is_counted: bool },
      Prisma.sql`select s.item_count, s.filter, s.counted_at is not null as is_counted from slices s
        where s.uid = ${uid} for no key update of s`,
    );
    // Another filter has a count of its own, which the change queued.
    if (before?.filter !== filter) return false;
    const byFilter = changes.reduce((sum, { came, left }) => sum + came - left, 0);
    const difference = before.is_counted ? counted - before.item_count - byFilter : 0;
    for (const change of changes)
      await tx.db.sliceFilterChange.updateMany({
        where: { uid: change.uid, cameCount: null },
        data: { cameCount: change.came, leftCount: change.left },
      });
    await execute(
      tx,
      Prisma.sql`update slices set counted_at = now(), item_count = ${counted}::int where uid = ${uid}`,
    );
    await execute(
      tx,
      Prisma.sql`insert into slice_counts as c (slice_id, day, item_count, came_count, left_count)
        values (${uid}, (now() at time zone 'UTC')::date, ${counted}::int, ${Math.max(0, difference)}::int, ${Math.max(0, -difference)}::int)
        on conflict (slice_id, day) do update set item_count = excluded.item_count,
          came_count = c.came_count + excluded.came_count, left_count = c.left_count + excluded.left_count`,
    );
    await execute(
      tx,
      Prisma.sql`delete from slice_counts where slice_id = ${uid}
        and day < (now() at time zone 'UTC')::date - ${retainedDays}::int`,
    );
    return !before.is_counted || counted !== before.item_count || changes.length > 0;
  });
}

async function countItems(ctx: Ctx, datasetId: string, where: Prisma.Sql): Promise<number> {
  const [row] = await query(
    ctx,
    { count: int4 },
    Prisma.sql`select count(*)::int as count from items i where i.dataset_id = ${datasetId} and ${where}`,
  );
  return row?.count ?? 0;
}

/** What the changes of its filter that are not counted yet did: how many items each brought and removed. */
async function countFilterChanges(ctx: Ctx, sliceId: string, datasetId: string) {
  const open = await ctx.db.sliceFilterChange.findMany({
    where: { sliceId, cameCount: null },
    orderBy: { uid: "asc" },
    select: { uid: true, before: true, after: true },
  });
  const changes: { uid: string; came: number; left: number }[] = [];
  for (const { uid, before, after } of open) {
    const [was, is] = [filterSql(parseFilter(before)), filterSql(parseFilter(after))];
    changes.push({
      uid,
      came: await countItems(ctx, datasetId, Prisma.sql`${is} and not ${was}`),
      left: await countItems(ctx, datasetId, Prisma.sql`${was} and not ${is}`),
    });
  }
  return changes;
}
