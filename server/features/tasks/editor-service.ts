import { itemColumns, itemRow, serializeItem } from "@/server/features/datasets/item-queries";
import { getGuide, getProject } from "@/server/features/projects/service";
import { findDraft } from "@/server/features/tasks/draft-service";
import type { LeaseResource, TaskForEditor } from "@/server/features/tasks/labelling-resource";
import { findNextHint } from "@/server/features/tasks/next-queries";
import { listResults } from "@/server/features/tasks/result-service";
import { getTask, visibleTasks } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { int4 } from "@/server/platform/rows";

/** Results are up to 8 MiB each. */
const earlierResults = 3;

/** What an editor shows of a task; `lease` is what the caller was just given. Throws `not_found`. */
export async function getTaskForEditor(
  ctx: Ctx,
  uid: string,
  lease: LeaseResource | null = null,
): Promise<TaskForEditor> {
  const task = await getTask(ctx, uid);
  const { name, task_type, status, labels } = await getProject(ctx, task.project);
  const [item] = await sql(
    itemRow,
    Prisma.sql`select ${itemColumns} from items i where i.uid = ${task.dataset_item} and i.organization_id = ${ctx.organizationId}`,
  );
  const [place] = await query(
    ctx,
    { batch: int4, at: int4, of: int4 },
    Prisma.sql`select b.number as batch, b.task_count as of,
        (select count(*) from tasks o where o.batch_id = b.uid and o.uid <= t.uid)::int as at
      from tasks t join work_batches b on b.uid = t.batch_id where t.uid = ${uid} and ${visibleTasks(ctx)}`,
  );
  if (!item || !place) throw notFound();
  return {
    task,
    item: await serializeItem(item, ctx.actor),
    project: { uid: task.project, name, task_type, status, labels, guide: await getGuide(ctx, task.project) },
    draft: await findDraft(ctx, uid),
    earlier: (await listResults(ctx, uid, { limit: earlierResults })).results,
    lease,
    place,
    next_hint: task.status === "completed" ? null : await findNextHint(ctx, { project: task.project, not: [task.uid] }),
  };
}
