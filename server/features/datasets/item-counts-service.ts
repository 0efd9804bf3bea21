import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";

/** Whether any counts of items are to be folded, as an expression. */
export const anyFreshCount = Prisma.sql`exists (select from item_counts where not folded)`;

/** Of the rows that changes of items added, at most so many name the datasets of one step. */
const batch = 10_000;

/**
 * Makes one row of the counts of each dataset, status and labelling that changed. What is added meanwhile is not seen and stays,
 * so the sum is right at every moment. Returns how many rows there are in their place.
 */
export const foldItemCounts = (): Promise<number> =>
  execute(
    { db: prisma },
    Prisma.sql`with changed as (
        select distinct dataset_id from (select dataset_id from item_counts where not folded order by id limit ${batch}::int) c
      ), gone as (
        delete from item_counts c using changed where c.dataset_id = changed.dataset_id
        returning c.dataset_id, c.status, c.labelled, c.count
      )
      insert into item_counts (dataset_id, status, labelled, count, folded)
      select dataset_id, status, labelled, sum(count)::bigint, true from gone group by 1, 2, 3 having sum(count) <> 0`,
  );
