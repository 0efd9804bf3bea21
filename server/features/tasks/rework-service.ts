import { randomUUID } from "node:crypto";
import { DraftShape } from "@/domain/annotations/draft-schema";
import type { Label } from "@/domain/projects/label-schema";
import { isUuid } from "@/domain/uid";
import type { ProjectResource } from "@/server/features/projects/resource";
import { beginDraft, readDraft } from "@/server/features/tasks/draft-service";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { getResult } from "@/server/features/tasks/result-service";
import type { Ctx } from "@/server/platform/context";

/** The label that a result names, by its name of now or an earlier one. */
const findLabel = (labels: readonly Label[], name: string): Label | undefined =>
  labels.find((label) => label.name === name) ?? labels.find(({ aliases }) => aliases.includes(name));

/** The annotations of a result as shapes with the ids that they had; others get new ones. */
function toShapes({ annotations }: ResultResource, labels: readonly Label[]): DraftShape[] {
  const ids = new Set<string>();
  return annotations.flatMap(({ label, type, coordinates, attributes: { id: given, ...attributes } }, position) => {
    const id = typeof given === "string" && isUuid(given) && !ids.has(given) ? given : randomUUID();
    ids.add(id);
    const labelId = findLabel(labels, label)?.id ?? [...label].slice(0, 64).join("");
    const shape = DraftShape.safeParse({ id, label_id: labelId, type, coordinates, attributes, position });
    return shape.success ? [shape.data] : [];
  });
}

/** Begins the draft of a locked task again with the shapes of a rejected result. */
export async function restartDraft(
  tx: Ctx,
  { task, project }: { task: TaskResource; project: ProjectResource },
  result: ResultResource,
): Promise<void> {
  await beginDraft(tx, task, toShapes(result, project.labels), result.uid);
}

/**
 * Begins the draft of a locked task whose last result was rejected before drafts were kept, as `restartDraft` does. Any
 * draft that the task has stays as it is.
 */
export async function draftRejected(tx: Ctx, locked: { task: TaskResource; project: ProjectResource }): Promise<void> {
  const { uid, state } = locked.task;
  if (state !== "rework" || (await readDraft(tx, uid)).draft.version > 0) return;
  const rejected = await tx.db.result.findFirst({
    where: { taskId: uid, organizationId: tx.organizationId, status: "rejected" },
    orderBy: { uid: "desc" },
    select: { uid: true },
  });
  if (rejected) await restartDraft(tx, locked, await getResult(tx, rejected.uid));
}
