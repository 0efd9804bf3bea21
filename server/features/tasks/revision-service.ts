import type { ReopenResult, ReviseResult } from "@/domain/tasks/review-schema";
import { audit } from "@/server/features/audit/service";
import { publish } from "@/server/features/platform-events/service";
import { closeSample, lockUndecided, requireReviewable } from "@/server/features/tasks/decision-service";
import { checkLabels, clipShapes, getPicture } from "@/server/features/tasks/picture-service";
import type { ResultResource } from "@/server/features/tasks/resource";
import { addResult, countAnnotations, getResult, toDecided, toEventData } from "@/server/features/tasks/result-service";
import { lockTask } from "@/server/features/tasks/service";
import { moveTask } from "@/server/features/tasks/transition-service";
import { requireRole, type Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";

/**
 * Corrects a submitted result: the corrected one takes its place and is accepted; once for each `key`, whose result
 * later calls return. Throws `not_found`, `forbidden` for members who are no reviewers of the project, `invalid` for the
 * caller's own result, `invalid("status")` for one that is decided, and `invalid("annotations")` as at submission.
 */
export async function reviseResult(
  ctx: Ctx,
  uid: string,
  { annotations: corrected, note, key }: ReviseResult,
): Promise<ResultResource> {
  return transaction(ctx, async (tx) => {
    await requireReviewable(tx, uid);
    await lockTask(tx, (await getResult(tx, uid)).task);
    const done = await tx.db.result.findFirst({
      where: { revises: uid, organizationId: tx.organizationId, submitKey: key },
      select: { uid: true },
    });
    if (done) return getResult(tx, done.uid);
    const { result, task, project } = await lockUndecided(tx, uid);
    checkLabels(project, { annotations: corrected });
    const picture = await getPicture(tx, task);
    const annotations = clipShapes(corrected, picture.size);
    const decided = toDecided(tx);
    const accepted = { status: "accepted", revises: uid, submitKey: key, reason: note ?? "", ...decided };
    const revision = await addResult(tx, { task, project, picture }, annotations, accepted);
    const reason = `corrected by ${decided.decidedBy}`;
    await tx.db.result.update({
      where: { uid },
      data: { status: "rejected", reason, supersededBy: revision, ...decided },
    });
    await moveTask(tx, { task, project }, "revise");
    await countAnnotations(tx, task.dataset_item, annotations.length - result.annotations.length);
    const target = { targetType: "result", targetName: task.name } as const;
    await audit(tx, { ...target, action: "result.revised", targetId: uid, after: { revision, ...(note && { note }) } });
    await publish(tx, "result.rejected", toEventData(uid, task));
    await publish(tx, "result.accepted", toEventData(revision, task));
    await closeSample(tx, { task, project });
    return getResult(tx, revision);
  });
}

/**
 * Takes the acceptance of a result back, so that it is to be decided again; no event says so. Throws `not_found`,
 * `forbidden` for who is no admin, and `invalid("status")` for a result that is not accepted or of an archived project.
 */
export async function reopenResult(ctx: Ctx, uid: string, { note }: ReopenResult): Promise<ResultResource> {
  requireRole(ctx, "admin");
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, (await getResult(tx, uid)).task);
    const { status } = await getResult(tx, uid);
    if (status !== "accepted") throw invalid("status", `This result is ${status}.`);
    await moveTask(tx, { task, project }, "reopen");
    await tx.db.result.update({
      where: { uid },
      // A sample that speaks for it does not accept it again.
      data: { status: "submitted", sampled: true, reason: "", decidedBy: null, decidedById: null, decidedAt: null },
    });
    await audit(tx, {
      action: "result.reopened",
      targetType: "result",
      targetId: uid,
      targetName: task.name,
      ...(note && { after: { note } }),
    });
    return getResult(tx, uid);
  });
}
