import { audit } from "@/server/features/audit/service";
import type { RunResource } from "@/server/features/models/resource";
import { getRun } from "@/server/features/models/run-service";
import { endRun } from "@/server/features/models/run-work-service";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";

/** Throws `not_found`, and `forbidden` for a member who did not start the run. */
async function lockOwnRun(tx: Ctx, uid: string): Promise<RunResource> {
  const run = await getRun(tx, uid, Prisma.sql`for no key update of r`);
  requireAuthor(tx, run.created_by_uid);
  return run;
}

const recordAction = (tx: Ctx, uid: string, action: string): Promise<void> =>
  audit(tx, { action: `run.${action}`, targetType: "run", targetId: uid, targetName: uid });

/** Ends an unfinished run as failed; its predictions stay. Throws `not_found`, `forbidden`, `invalid("run_status")`. */
export async function abortRun(ctx: Ctx, uid: string): Promise<RunResource> {
  return transaction(ctx, async (tx) => {
    const { run_status: status } = await lockOwnRun(tx, uid);
    if (status !== "pending" && status !== "running") throw invalid("run_status", `This run is ${status} already.`);
    await endRun(tx, uid, `Aborted by ${tx.actor.username ?? tx.actor.name}.`);
    await recordAction(tx, uid, "aborted");
    return getRun(tx, uid);
  });
}

/** Continues a failed or aborted run, or one that is completed but for some items, with those that it has not done. Throws `not_found`, `forbidden`, `invalid("run_status")`. */
export async function retryRun(ctx: Ctx, uid: string): Promise<RunResource> {
  return transaction(ctx, async (tx) => {
    const { run_status: status, failed_item_count: failed } = await lockOwnRun(tx, uid);
    if (status !== "failed" && !(status === "completed" && failed > 0))
      throw invalid("run_status", `Only runs that failed or were aborted are tried again; this one is ${status}.`);
    await tx.db.run.update({ where: { uid }, data: { status: "pending", errorMessage: null, completedAt: null } });
    await enqueue(tx, jobs.runModel, { organizationId: tx.organizationId, runId: uid });
    await announce(tx, "run", uid, "updated");
    await recordAction(tx, uid, "retried");
    return getRun(tx, uid);
  });
}

/** Deletes a run with its predictions; one under way ends at its next items. Throws `not_found`, `forbidden`. */
export async function deleteRun(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    await lockOwnRun(tx, uid);
    await tx.db.run.delete({ where: { uid } });
    await announce(tx, "run", uid, "deleted");
    await recordAction(tx, uid, "deleted");
  });
}
