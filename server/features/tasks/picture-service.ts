import {
  clippedOverhang,
  clipToPicture,
  getPictureSize,
  isOfOtherPicture,
  measureOverhang,
  type PictureSize,
} from "@/domain/annotations/picture-bounds";
import type { Annotation, SubmitResult } from "@/domain/tasks/schema";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { TaskResource } from "@/server/features/tasks/resource";
import type { Ctx } from "@/server/platform/context";
import { invalidInput, notFound } from "@/server/platform/errors";

/** What a task is about. */
export interface Picture {
  dataset: string;
  /** Null for items that are no pictures, and where it is not known. */
  size: PictureSize | null;
}

export async function getPicture(tx: Ctx, task: TaskResource): Promise<Picture> {
  const item = await tx.db.item.findUnique({
    where: { uid: task.dataset_item },
    select: { datasetId: true, mediaType: true, metadata: true },
  });
  if (!item) throw notFound();
  return { dataset: item.datasetId, size: getPictureSize(item.mediaType, item.metadata) };
}

/** Throws `invalid` for labels that the project does not have; a project without labels allows all. */
export function checkLabels(project: ProjectResource, { annotations }: Pick<SubmitResult, "annotations">): void {
  if (project.labels.length === 0) return;
  const known = new Set(project.labels.filter(({ retired }) => !retired).map(({ name }) => name));
  const wrong = annotations.flatMap(({ label }, at) =>
    known.has(label)
      ? []
      : [{ path: ["annotations", at, "label"], message: `"${label}" is not a label of the project.` }],
  );
  if (wrong.length > 0) throw invalidInput(wrong);
}

/**
 * The annotations of a result within the picture that they are of; those of other items, and of pictures whose size is
 * not known, stay as they are. Throws `invalid` naming each shape that sticks out by more than a pixel, and each mask
 * of another picture.
 */
export function clipShapes(annotations: readonly Annotation[], size: PictureSize | null): Annotation[] {
  if (!size) return [...annotations];
  const message = `The shape sticks out of its picture of ${size.width} × ${size.height} pixels.`;
  const other = `A mask of this picture has the size [${size.height}, ${size.width}].`;
  const masks = annotations.flatMap((annotation, at) =>
    isOfOtherPicture(annotation, size) ? [{ path: ["annotations", at, "coordinates", "size"], message: other }] : [],
  );
  if (masks.length > 0) throw invalidInput(masks);
  const wrong = annotations.flatMap((annotation, at) =>
    measureOverhang(annotation, size) > clippedOverhang ? [{ path: ["annotations", at, "coordinates"], message }] : [],
  );
  if (wrong.length > 0) throw invalidInput(wrong);
  return annotations.map((annotation) => clipToPicture(annotation, size) ?? annotation);
}
