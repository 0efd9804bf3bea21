import { blockingChecks } from "@/domain/annotations/check-names";
import { findChecks, type CheckFinding } from "@/domain/annotations/checks";
import { draftLimits, type DraftShape, type SubmitAndNext, type SubmitDraft } from "@/domain/annotations/draft-schema";
import { clipToPicture, type PictureSize } from "@/domain/annotations/picture-bounds";
import { jsonSize } from "@/domain/fields";
import type { Annotation } from "@/domain/tasks/schema";
import { findTransition } from "@/domain/tasks/transitions";
import type { ProjectResource } from "@/server/features/projects/resource";
import { draftMoved, findDraft } from "@/server/features/tasks/draft-service";
import type { SubmittedAndNext } from "@/server/features/tasks/labelling-resource";
import { requireLease } from "@/server/features/tasks/lease-service";
import { leaseNext, showLeased } from "@/server/features/tasks/next-service";
import { getPicture } from "@/server/features/tasks/picture-service";
import type { ResultResource } from "@/server/features/tasks/resource";
import { getResult, storeResult } from "@/server/features/tasks/result-service";
import { lockTask } from "@/server/features/tasks/service";
import { moveTask } from "@/server/features/tasks/transition-service";
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
    if (!findTransition("submit", task.state)) throw invalid("status", `This task is ${task.status}.`);
    await requireLease(tx, task, lease);
    const draft = (await findDraft(tx, uid)) ?? { version: 0, shapes: [] };
    if (draft.version !== version) throw draftMoved(draft.version);
    const picture = await getPicture(tx, task);
    const passed = new Set(ignore.filter((check) => !blockingChecks.includes(check)));
    const findings = findChecks(draft.shapes, project.labels, picture.size).filter(({ check }) => !passed.has(check));
    if (findings.length > 0) throw refuse(findings);
    const annotations = toAnnotations(draft.shapes, project, picture.size);
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
