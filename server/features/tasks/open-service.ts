import { hasRole } from "@/domain/permissions";
import type { OpenTask } from "@/domain/tasks/labelling-schema";
import { audit } from "@/server/features/audit/service";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { LeaseResource, OpenedTask } from "@/server/features/tasks/labelling-resource";
import { giveLease, requireFree } from "@/server/features/tasks/lease-service";
import type { TaskResource } from "@/server/features/tasks/resource";
import { draftRejected } from "@/server/features/tasks/rework-service";
import { getTask, lockTask, requireWorker } from "@/server/features/tasks/service";
import { moveTask } from "@/server/features/tasks/transition-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";

interface Locked {
  task: TaskResource;
  project: ProjectResource;
}

/** Starts a locked task and leases it to the caller. Throws `invalid("status")` unless it waits or is in work. */
export async function startLeased(tx: Ctx, { task, project }: Locked): Promise<LeaseResource> {
  const lease = await giveLease(tx, task);
  await draftRejected(tx, { task, project });
  await audit(tx, { action: "task.opened", targetType: "task", targetId: task.uid, targetName: task.name });
  await announce(tx, "task", project.uid, "updated");
  await moveTask(tx, { task, project }, "open");
  return lease;
}

/** Starts a locked task without a lease and assigns it to the caller if it has no assignee. */
async function start(tx: Ctx, { task, project }: Locked): Promise<void> {
  await moveTask(tx, { task, project }, "open");
  if (task.status === "in_progress") return;
  await execute(
    tx,
    Prisma.sql`update tasks set assigned_by = case when assignee_id is null then 'self' else assigned_by end,
      assignee_id = coalesce(assignee_id, ${tx.actor.userId}) where uid = ${task.uid} and organization_id = ${tx.organizationId}`,
  );
  await audit(tx, { action: "task.opened", targetType: "task", targetId: task.uid, targetName: task.name });
}

/**
 * Starts a task and assigns it to the caller if it has no assignee; idempotent. Throws `not_found`, `forbidden` for
 * another person's, and `invalid("status")` for a completed task or a project that is not active. With a lease, also
 * `conflict` with the code `lease_taken` while somebody works on it, the caller in another tab too.
 */
export async function openTask(ctx: Ctx, uid: string, { lease: isLeased }: OpenTask): Promise<OpenedTask> {
  return transaction(ctx, async (tx) => {
    const locked = await lockTask(tx, uid);
    if (isLeased) await requireFree(tx, locked.task, () => false);
    await requireWorker(tx, locked.task);
    if (!isLeased) {
      await start(tx, locked);
      return { ...(await getTask(tx, uid)), lease: null };
    }
    if (locked.project.status !== "active") throw invalid("status", `Its project is ${locked.project.status}.`);
    const lease = await startLeased(tx, locked);
    return { ...(await getTask(tx, uid)), lease };
  });
}

/**
 * Takes the lease of a task over: from the caller's other tab, or as an admin from anybody, who is its assignee then. Throws
 * `not_found`, `forbidden` for another person's task, `conflict` with `lease_taken`, and `invalid("status")`.
 */
export async function takeOverTask(ctx: Ctx, uid: string): Promise<LeaseResource> {
  return transaction(ctx, async (tx) => {
    const locked = await lockTask(tx, uid);
    const { task, project } = locked;
    await requireFree(tx, task, (user) => user === tx.actor.userId || hasRole(tx.permissions, "admin"));
    await requireWorker(tx, task);
    if (project.status !== "active" && project.status !== "paused")
      throw invalid("status", `Its project is ${project.status}.`);
    await moveTask(tx, locked, "open");
    const { userId } = tx.actor;
    await execute(
      tx,
      Prisma.sql`update tasks set assignee_id = ${userId}, assigned_by = 'self'
        where uid = ${uid} and organization_id = ${tx.organizationId} and assignee_id is distinct from ${userId}`,
    );
    const lease = await giveLease(tx, task);
    await draftRejected(tx, locked);
    await audit(tx, { action: "task.taken_over", targetType: "task", targetId: uid, targetName: task.name });
    await announce(tx, "task", project.uid, "updated");
    return lease;
  });
}
