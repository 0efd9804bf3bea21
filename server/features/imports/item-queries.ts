import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { float8, nullable, text } from "@/server/platform/rows";

/** Rows of one query. */
export const itemsOfPage = 10_000;

/** What names the item of a task, and the size of its picture where it is known. */
export interface IndexedItem {
  task: string;
  item: string;
  key: string;
  /** The dataset's slug. */
  dataset: string;
  width: number | null;
  height: number | null;
}

const itemRow = { task: text, item: text, key: text, dataset: text, width: nullable(float8), height: nullable(float8) };

/** The items of a project's tasks in the order of the tasks, from behind the task `after` on. */
export const listItems = (ctx: Ctx, project: string, after: string): Promise<IndexedItem[]> =>
  query(
    ctx,
    itemRow,
    Prisma.sql`select t.uid as task, i.uid as item, i.key, d.slug as dataset,
        case when i.media_type like 'image/%' and jsonb_typeof(i.metadata -> 'width') = 'number' then (i.metadata ->> 'width')::float8 end as width,
        case when i.media_type like 'image/%' and jsonb_typeof(i.metadata -> 'height') = 'number' then (i.metadata ->> 'height')::float8 end as height
      from tasks t join items i on i.uid = t.item_id join datasets d on d.uid = i.dataset_id
      where t.project_id = ${project} and t.organization_id = ${ctx.organizationId} and t.uid > ${after}
      order by t.uid limit ${itemsOfPage}`,
  );
