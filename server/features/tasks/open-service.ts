import { audit } from "@/server/features/audit/service";
import type { TaskResource } from "@/server/features/tasks/resource";
import { getTask, lockTask, requireWorker } from "@/server/features/tasks/service";
import { moveTask } from "@/server/features/tasks/transition-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";

/**
 * Starts a task and assigns it to the caller if it has no assignee; idempotent. Throws `not_found`, `forbidden` for
 * another person's, and `invalid("status")` for a completed task or a project that is not active.
 */
export async function openTask(ctx: Ctx, uid: string): Promise<TaskResource> {
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, uid);
    requireWorker(tx, task);
    await moveTask(tx, { task, project }, "open");
    if (task.status === "in_progress") return task;
    await execute(
      tx,
      Prisma.sql`update tasks set assignee_id = coalesce(assignee_id, ${tx.actor.userId}) where uid = ${uid}`,
    );
    await audit(tx, { action: "task.opened", targetType: "task", targetId: uid, targetName: task.name });
    return getTask(tx, uid);
  });
}
