import { findTransition, statusOfState, type TaskVerb } from "@/domain/tasks/transitions";
import { setItemStatus } from "@/server/features/datasets/item-status-service";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { TaskResource } from "@/server/features/tasks/resource";
import { itemChanged } from "@/server/features/tasks/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";

const increment = (by: number | undefined) => (by === undefined ? undefined : { increment: by });

/** The refusal of what cannot be done with a task in its state. */
export const refuseState = ({ state, status }: TaskResource) =>
  invalid("status", `This task is ${state === "skipped" ? state : status}.`);

/** Gives a task whose assignee left to anybody. The membership is locked, so that nobody leaves unseen at that moment. */
const freeOfLeft = (tx: Ctx, { uid }: TaskResource): Promise<number> =>
  execute(
    tx,
    Prisma.sql`update tasks set assignee_id = null, assigned_by = null
      where uid = ${uid} and organization_id = ${tx.organizationId} and assignee_id is not null and not exists (
        select 1 from memberships m where m.user_id = assignee_id and m.organization_id = ${tx.organizationId} for key share)`,
  );

/**
 * Moves a locked task to the state that a verb leads to, with the counts of its batch and project and the status of its
 * item, each once; open pages learn of it. Throws `invalid("status")` where the verb leads nowhere.
 */
export async function moveTask(
  tx: Ctx,
  { task, project }: { task: TaskResource; project: ProjectResource },
  verb: TaskVerb,
): Promise<void> {
  const transition = findTransition(verb, task.state);
  if (!transition) throw refuseState(task);
  const { projects, batch, project: counts, item } = transition;
  if (projects && !projects.includes(project.status)) throw invalid("status", `Its project is ${project.status}.`);
  if (transition.to === task.state) return;
  const isInWork = statusOfState[transition.to] === "in_progress";
  const ended = isInWork ? {} : { leaseUser: null, leaseHash: null, leaseUntil: null };
  await tx.db.task.update({ where: { uid: task.uid }, data: { status: statusOfState[transition.to], ...ended } });
  const isEnd = statusOfState[transition.to] === "completed";
  if (statusOfState[task.state] === "completed" && !isEnd) await freeOfLeft(tx, task);
  await execute(
    tx,
    Prisma.sql`update task_drafts set ended_at = ${isEnd ? databaseNow() : null}::timestamptz
      where task_id = ${task.uid} and organization_id = ${tx.organizationId} and (ended_at is not null) <> ${isEnd}`,
  );
  if (counts) {
    await tx.db.project.update({
      where: { uid: project.uid },
      data: {
        completedCount: increment(counts.completed),
        acceptedCount: increment(counts.accepted),
        rejectedCount: increment(counts.rejected),
        supersededCount: increment(counts.superseded),
        skippedCount: increment(counts.skipped),
      },
    });
  }
  if (item) await setItemStatus(tx, Prisma.sql`i.uid = ${task.dataset_item}`, item.to, item.from);
  await announce(tx, "task", project.uid, "updated");
  // Last, because all who are given tasks of one dataset and batch wait here for each other until they commit.
  await itemChanged(tx, task.dataset_item);
  if (batch) {
    await tx.db.workBatch.update({
      where: { uid: task.work_batch },
      data: { startedCount: increment(batch.started), completedCount: increment(batch.completed) },
    });
  }
}
