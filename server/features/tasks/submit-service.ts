import { blockingChecks } from "@/domain/annotations/check-names";
import { findChecks, type CheckFinding } from "@/domain/annotations/checks";
import { draftLimits, type DraftShape, type SubmitAndNext, type SubmitDraft } from "@/domain/annotations/draft-schema";
import { clipToPicture, type PictureSize } from "@/domain/annotations/picture-bounds";
import { isOffered } from "@/domain/annotations/pre-label";
import { jsonSize } from "@/domain/fields";
import type { Annotation, SubmitResult } from "@/domain/tasks/schema";
import { findTransition } from "@/domain/tasks/transitions";
import { audit } from "@/server/features/audit/service";
import { publish } from "@/server/features/platform-events/service";
import { completeIfDone } from "@/server/features/projects/lifecycle-service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { acceptUnreviewed, closeSample } from "@/server/features/tasks/decision-service";
import { draftMoved, findDraft } from "@/server/features/tasks/draft-service";
import type { SubmittedAndNext } from "@/server/features/tasks/labelling-resource";
import { requireLease } from "@/server/features/tasks/lease-service";
import { leaseNext, showLeased } from "@/server/features/tasks/next-service";
import { checkLabels, clipShapes, getPicture } from "@/server/features/tasks/picture-service";
import type { ResultResource } from "@/server/features/tasks/resource";
import {
  addResult,
  countAnnotations,
  getResult,
  toEventData,
  type Submitted,
} from "@/server/features/tasks/result-service";
import { lockTask, requireWorker } from "@/server/features/tasks/service";
import { moveTask, refuseState } from "@/server/features/tasks/transition-service";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid, invalidInput } from "@/server/platform/errors";

/** Throws `invalid("checks")`: each message has the check and its shape before it. */
const refuse = (findings: readonly CheckFinding[]) =>
  invalidInput(
    findings.map(({ check, shape, message }) => ({ path: ["checks", check, ...(shape ? [shape] : [])], message })),
  );

/** The shapes of a draft as annotations: with the names that their labels have now, clipped to their picture. */
function toAnnotations(
  shapes: readonly DraftShape[],
  project: ProjectResource,
  size: PictureSize | null,
): Annotation[] {
  const names = new Map(project.labels.map(({ id, name }) => [id, name]));
  const outside: CheckFinding[] = [];
  const annotations = shapes.flatMap(({ id, label_id, position: _, ...shape }) => {
    const annotation = { ...shape, label: names.get(label_id) ?? "", attributes: { ...shape.attributes, id } };
    const clipped = size ? clipToPicture(annotation, size) : annotation;
    if (!clipped) outside.push({ check: "outside", shape: id, message: "Nothing of it is in the picture." });
    return clipped ?? [];
  });
  if (outside.length > 0) throw refuse(outside);
  if (jsonSize(annotations) > draftLimits.bytes)
    throw invalid("annotations", `A result has at most ${draftLimits.bytes} bytes.`);
  return annotations;
}

/**
 * Submits the draft of a task as its result; once for each `key`, whose result later calls return. Throws `not_found`,
 * `conflict` with the code `lease_lost`, or `draft_moved` and the version, and `invalid` for `checks` that are not
 * ignored, `status` and `annotations`.
 */
export async function submitDraft(
  ctx: Ctx,
  uid: string,
  { lease, version, key, ignore }: SubmitDraft,
): Promise<ResultResource> {
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, uid);
    const done = await tx.db.result.findFirst({
      where: { taskId: uid, organizationId: tx.organizationId, submitKey: key },
      select: { uid: true },
    });
    if (done) return getResult(tx, done.uid);
    // What was submitted by others meanwhile is said, rather than that its lease is over.
    if (!findTransition("submit", task.state)) throw refuseState(task);
    await requireLease(tx, task, lease);
    const draft = (await findDraft(tx, uid)) ?? { version: 0, shapes: [] };
    if (draft.version !== version) throw draftMoved(draft.version);
    const picture = await getPicture(tx, task);
    // What a model offers and nobody took is no part of the result.
    const shapes = draft.shapes.filter((shape) => !isOffered(shape));
    const passed = new Set(ignore.filter((check) => !blockingChecks.includes(check)));
    const findings = findChecks(shapes, project.labels, picture.size).filter(({ check }) => !passed.has(check));
    if (findings.length > 0) throw refuse(findings);
    const annotations = toAnnotations(shapes, project, picture.size);
    await moveTask(tx, { task, project }, "submit");
    return storeResult(tx, { task, project, picture }, annotations, key);
  });
}

/** As `submitDraft`; also leases the next task in the same transaction, if `next` asks for it and there is one. */
export async function submitAndNext(
  ctx: Ctx,
  uid: string,
  { next, ...input }: SubmitAndNext,
): Promise<SubmittedAndNext> {
  const { result, leased } = await transaction(
    ctx,
    async (tx) => ({ result: await submitDraft(tx, uid, input), leased: next ? await leaseNext(tx, next) : null }),
    // Two who submit in one project and go on in that of the other may wait for each other.
    { attempts: 5 },
  );
  return { result, next: await showLeased(ctx, leased) };
}

/**
 * Submits a result, which completes the task and, with the last one, the project. Throws `not_found`, `forbidden` for a
 * task of another person, `invalid("annotations")` for labels the project does not have and shapes outside their picture,
 * and `invalid("status")` when the task is completed or its project is neither active nor paused.
 */
export async function submitResult(ctx: Ctx, taskId: string, input: SubmitResult): Promise<ResultResource> {
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, taskId);
    await requireWorker(tx, task);
    await moveTask(tx, { task, project }, "submit");
    checkLabels(project, input);
    const picture = await getPicture(tx, task);
    return storeResult(tx, { task, project, picture }, clipShapes(input.annotations, picture.size));
  });
}

/** Stores the result of a task that was moved to `submitted`. `submitKey`: that of the draft's submission. */
async function storeResult(
  tx: Ctx,
  submitted: Submitted,
  annotations: readonly Annotation[],
  submitKey: string | null = null,
): Promise<ResultResource> {
  const { task, project } = submitted;
  // What came back is looked at again, whichever the share is.
  const again = task.state === "rework" && { sampled: true };
  const uid = await addResult(tx, submitted, annotations, { submitKey, ...again });
  await completeIfDone(tx, project.uid);
  await countAnnotations(tx, task.dataset_item, annotations.length);
  await audit(tx, { action: "result.submitted", targetType: "result", targetId: uid, targetName: task.name });
  await publish(tx, "result.submitted", toEventData(uid, task));
  await publish(tx, "task.completed", {
    task_uid: task.uid,
    task_name: task.name,
    task_type: task.type,
    task_status: "completed",
    project_uid: project.uid,
  });
  if (project.review === "none") await acceptUnreviewed(tx, uid);
  await closeSample(tx, submitted);
  return getResult(tx, uid);
}
