import { type ProjectStep, statusAfter } from "@/domain/projects/lifecycle";
import type { ProjectStatus } from "@/domain/projects/schema";
import { audit } from "@/server/features/audit/service";
import { setItemStatus } from "@/server/features/datasets/item-status-service";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import { endLostWork } from "@/server/features/membership/lost-access-service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { getProject, lockProject } from "@/server/features/projects/service";
import { makeSomeTasks } from "@/server/features/projects/task-creation-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";

/**
 * Applies a step to a project. Throws `not_found`, and `invalid("status")` when the step does not start from its
 * status.
 */
export async function stepProject(ctx: Ctx, uid: string, step: ProjectStep): Promise<ProjectResource> {
  return transaction(ctx, async (tx) => {
    const project = await lockProject(tx, uid);
    const to = statusAfter(step, project.status);
    if (to === null) {
      throw invalid("status", `A project that is ${project.status} cannot be ${labels[step]}.`);
    }
    await setStatus(tx, project, to);
    if (step === "approve" || step === "resume") await makeSomeTasks(tx, uid);
    if (step === "resume") await completeIfDone(tx, uid);
    if (step === "cancel") await releaseItems(tx, project);
    if (step === "cancel" || step === "archive") await endLostWork(tx);
    return getProject(tx, uid);
  });
}

const labels: Record<ProjectStep, string> = {
  approve: "approved",
  pause: "paused",
  resume: "resumed",
  cancel: "canceled",
  archive: "archived",
};

/** Sets a project's status, in a transaction that locked the project. */
export async function setStatus(tx: Ctx, project: ProjectResource, status: ProjectStatus): Promise<void> {
  await tx.db.project.update({ where: { uid: project.uid }, data: { status } });
  await audit(tx, {
    action: `project.${status.replace("-", "_")}`,
    targetType: "project",
    targetId: project.uid,
    targetName: project.name,
    before: { status: project.status },
    after: { status },
  });
  await announce(tx, "project", project.uid, "updated");
}

/** Completes an active project once all of its tasks are. The caller has locked its row. */
export async function completeIfDone(tx: Ctx, uid: string): Promise<void> {
  const project = await getProject(tx, uid);
  const done = project.task_count > 0 && project.completed_task_count === project.task_count;
  if (done && project.status === "active") await setStatus(tx, project, "completed");
}

/** Resets the status of items `i` that waited for this project only. */
export async function releaseItems(
  tx: Ctx,
  { uid, datasets }: ProjectResource,
  condition: Prisma.Sql = Prisma.sql`true`,
): Promise<void> {
  await setItemStatus(
    tx,
    Prisma.sql`${condition} and i.dataset_id = any(${datasets}) and exists (select 1 from tasks t where t.item_id = i.uid and t.project_id = ${uid})
      and not exists (select 1 from tasks t join projects p on p.uid = t.project_id
        where t.item_id = i.uid and p.uid <> ${uid} and p.status in ('active', 'paused'))`,
    "unattempted",
    ["ready_for_annotation"],
  );
  for (const dataset of datasets) await itemsChanged(tx, dataset);
}
