import { type SkipAndNext, type SkipTask } from "@/domain/tasks/skip-schema";
import { findTransition } from "@/domain/tasks/transitions";
import { audit } from "@/server/features/audit/service";
import { completeIfDone, setStatus } from "@/server/features/projects/lifecycle-service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { closeSample } from "@/server/features/tasks/decision-service";
import { isLeft } from "@/server/features/tasks/kept-drafts-service";
import type { SkippedAndNext } from "@/server/features/tasks/labelling-resource";
import { requireFree, requireLease } from "@/server/features/tasks/lease-service";
import { leaseNext, showLeased } from "@/server/features/tasks/next-service";
import type { TaskResource } from "@/server/features/tasks/resource";
import { getTask, lockTask, requireWorker } from "@/server/features/tasks/service";
import { moveTask, refuseState } from "@/server/features/tasks/transition-service";
import { requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";

/** As `skipTask` does, with a locked task of a locked project. Throws `invalid("status")`. */
export async function skipLocked(
  tx: Ctx,
  { task, project }: { task: TaskResource; project: ProjectResource },
  { reason, text }: Pick<SkipTask, "reason" | "text">,
): Promise<void> {
  await moveTask(tx, { task, project }, "skip");
  await execute(
    tx,
    Prisma.sql`update tasks set skip_reason = ${reason}, skip_text = ${text} where uid = ${task.uid} and organization_id = ${tx.organizationId}`,
  );
  await completeIfDone(tx, project.uid);
  await closeSample(tx, { task, project });
}

/**
 * Leaves a task out, which completes it without a result and without an event, and with the last one its project. What is
 * drawn is kept as that of a submitted one. Throws `not_found`, `forbidden`, `invalid("status")`, and `conflict` with the
 * code `lease_lost`, or without a lease `lease_taken` while somebody else works on it.
 */
export async function skipTask(ctx: Ctx, uid: string, { lease, reason, text }: SkipTask): Promise<TaskResource> {
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, uid);
    await requireWorker(tx, task);
    if (!findTransition("skip", task.state)) throw refuseState(task);
    if (lease === undefined) await requireFree(tx, task, (user) => user === tx.actor.userId);
    else await requireLease(tx, task, lease);
    await skipLocked(tx, { task, project }, { reason, text });
    await audit(tx, {
      action: "task.skipped",
      targetType: "task",
      targetId: uid,
      targetName: task.name,
      after: { reason, ...(text !== "" && { text }) },
    });
    return getTask(tx, uid);
  });
}

/** As `skipTask`; also leases the next task in the same transaction, if `next` asks for it and there is one. */
export async function skipAndNext(ctx: Ctx, { uid, next, ...input }: SkipAndNext): Promise<SkippedAndNext> {
  const { task, leased } = await transaction(
    ctx,
    async (tx) => ({ task: await skipTask(tx, uid, input), leased: next ? await leaseNext(tx, next) : null }),
    // Two who skip in one project and go on in that of the other may wait for each other.
    { attempts: 5 },
  );
  return { task, next: await showLeased(ctx, leased) };
}

/** As `unskipTask` does with one, with locked tasks of a locked project. Throws `invalid("status")`. */
export async function unskipLocked(tx: Ctx, tasks: readonly TaskResource[], project: ProjectResource): Promise<void> {
  for (const task of tasks) await moveTask(tx, { task, project }, "unskip");
  await execute(
    tx,
    Prisma.sql`update tasks set skip_reason = null, skip_text = '',
        assignee_id = case when ${isLeft()} then null else assignee_id end,
        assigned_by = case when ${isLeft()} then null else assigned_by end
      where uid = any(${tasks.map(({ uid }) => uid)}) and organization_id = ${tx.organizationId}`,
  );
  if (project.status === "completed") await setStatus(tx, project, "active");
}

/**
 * Has a skipped task labelled after all; a project that it completed is active again. It goes to who drew something on it
 * lately or whom an admin chose, else to anybody. Throws `not_found`, `forbidden`, and `invalid("status")`.
 */
export async function unskipTask(ctx: Ctx, uid: string): Promise<TaskResource> {
  requireRole(ctx, "admin");
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, uid);
    await unskipLocked(tx, [task], project);
    await audit(tx, { action: "task.unskipped", targetType: "task", targetId: uid, targetName: task.name });
    return getTask(tx, uid);
  });
}
