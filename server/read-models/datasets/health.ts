import type { DatasetPath } from "@/domain/datasets/schema";
import { getDataset } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { arrayOf, int4, notNull, text, type Native } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";

/** How long the counts of a dataset may take together, in milliseconds. */
const healthMs = 5_000;
const maxLabels = 40;
const maxSizes = 20;
const maxDevices = 40;
const maxDays = 60;
const maxDuplicates = 20;
/** How many names of equal files are listed. */
const maxNames = 20;

const countRow = { value: text, count: int4 };
const sizeRow = { width: int4, height: int4, count: int4 };
const duplicateRow = { count: int4, keys: notNull(arrayOf(text)) };

/** What is in a dataset, for people who judge whether a model can learn from it. */
export type DatasetHealth =
  | { timed_out: true }
  | {
      timed_out: false;
      items: number;
      unlabelled: number;
      /** How many items have each label. */
      labels: Native<typeof countRow>[];
      sizes: Native<typeof sizeRow>[];
      devices: Native<typeof countRow>[];
      /** By the day they were added, newest first. */
      days: Native<typeof countRow>[];
      /** Files with the same bytes. */
      duplicates: Native<typeof duplicateRow>[];
      /** Files of its uploads that could not become items. */
      refused: number;
    };

/** Counts the items of a dataset by label, size, device, day and content. Throws `not_found`. */
export async function getHealth(ctx: Ctx, path: DatasetPath, ms = healthMs): Promise<DatasetHealth> {
  const { uid, item_count: items } = await getDataset(ctx, path);
  const found = await withinMs(ctx, ms, async (tx, limit) => {
    await limit();
    const [numbers] = await query(
      tx,
      { unlabelled: int4, refused: int4 },
      Prisma.sql`select (select coalesce(sum(c.count), 0)::int from item_counts c
          where c.dataset_id = ${uid} and not c.labelled) as unlabelled,
        (select coalesce(sum(jsonb_array_length(s.failures)), 0)::int from upload_sessions s where s.dataset_id = ${uid}) as refused`,
    );
    await limit();
    const labels = await query(
      tx,
      countRow,
      Prisma.sql`select l.name as value, count(distinct i.uid)::int as count from items i
        join results r on r.item_id = i.uid and r.organization_id = ${tx.organizationId} and r.status <> 'rejected'
        cross join lateral unnest(r.labels) l(name)
        where i.dataset_id = ${uid} and i.annotation_count > 0
          and ${isVisible(tx, "project", Prisma.sql`r.project_id`)}
        group by l.name order by count(distinct i.uid) desc, l.name limit ${maxLabels}`,
    );
    await limit();
    const sizes = await query(
      tx,
      sizeRow,
      Prisma.sql`select (i.metadata ->> 'width')::numeric::int as width, (i.metadata ->> 'height')::numeric::int as height, count(*)::int as count
        from items i where i.dataset_id = ${uid} and jsonb_typeof(i.metadata -> 'width') = 'number'
          and jsonb_typeof(i.metadata -> 'height') = 'number'
        group by 1, 2 order by 3 desc, 1, 2 limit ${maxSizes}`,
    );
    await limit();
    const devices = await query(
      tx,
      countRow,
      Prisma.sql`select i.metadata #>> '{source,device_name}' as value, count(*)::int as count from items i
        where i.dataset_id = ${uid} and i.metadata #>> '{source,device_name}' <> ''
        group by 1 order by 2 desc, 1 limit ${maxDevices}`,
    );
    await limit();
    const days = await query(
      tx,
      countRow,
      Prisma.sql`select to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD') as value, count(*)::int as count from items i
        where i.dataset_id = ${uid} group by 1 order by 1 desc limit ${maxDays}`,
    );
    await limit();
    const duplicates = await query(
      tx,
      duplicateRow,
      Prisma.sql`select g.count, (array(select i.key from items i where i.dataset_id = ${uid} and i.sha256 = g.sha256
            order by i.key limit ${maxNames})) as keys
        from (select i.sha256, count(*)::int as count from items i where i.dataset_id = ${uid} and i.sha256 is not null
          group by 1 having count(*) > 1 order by 2 desc, 1 limit ${maxDuplicates}) g order by g.count desc, g.sha256`,
    );
    return { ...(numbers ?? { unlabelled: 0, refused: 0 }), labels, sizes, devices, days, duplicates };
  });
  return found ? { timed_out: false, items, ...found } : { timed_out: true };
}
