import type { ImportMode } from "@/domain/annotation-imports/choices";
import type { ImportReportRow } from "@/domain/annotation-imports/schema";
import { draftLimits, DraftShape } from "@/domain/annotations/draft-schema";
import type { PictureSize } from "@/domain/annotations/picture-bounds";
import { jsonSize } from "@/domain/fields";
import type { Annotation } from "@/domain/tasks/schema";
import { type Composed, type Composition, composePicture, deriveUuid } from "@/server/features/imports/compose";
import type { ReadPicture } from "@/server/features/imports/formats/annotation-file";
import type { ItemIndex } from "@/server/features/imports/item-index";
import { shownName } from "@/server/features/imports/shown-name";
import type { ProjectResource } from "@/server/features/projects/resource";
import { beginDraft } from "@/server/features/tasks/draft-service";
import {
  findDrawn,
  findSubmitted,
  type ImportedResult,
  type ImportTask,
  readImportTasks,
  refuseBegun,
  submitImported,
} from "@/server/features/tasks/imported-result-service";
import type { Ctx } from "@/server/platform/context";
import { announce } from "@/server/platform/realtime/changes";

export interface BatchInput extends Composition {
  /** Locked. */
  project: ProjectResource;
  index: ItemIndex;
  mode: ImportMode;
  /** Whether pictures of another size than their items are scaled. */
  isScaled: boolean;
}

/** A picture of the file, and whether it has the item of one before. */
export interface MarkedPicture extends ReadPicture {
  isRepeated: boolean;
}

/** Whether a picture has nothing to import, nor anything to say. */
export const isEmpty = ({ annotations, leftOut }: ReadPicture): boolean => annotations.length + leftOut.length === 0;

export interface BatchOutcome {
  /** Pictures by what became of them. */
  done: number;
  unchanged: number;
  failed: number;
  /** Annotations that are in the project now, and those that were left out. */
  annotations: number;
  left: number;
  rows: ImportReportRow[];
}

const twice = "The file names its item twice: only the first is taken.";

/** A picture with its task, whose annotations are to be put there. */
interface Placed {
  picture: ReadPicture;
  task: ImportTask;
  key: string;
  composed: Composed;
}

/** The size to scale from; null where that of the item holds, and a reason where the sizes differ and are not scaled. */
function chooseSize(
  { width, height }: ReadPicture,
  { size }: ImportTask,
  isScaled: boolean,
): PictureSize | null | string {
  if (!size || width === null || height === null || (size.width === width && size.height === height)) return null;
  if (isScaled) return { width, height };
  return `It has ${width} × ${height} pixels in the file, and its item ${size.width} × ${size.height}.`;
}

/** Why a task cannot have so many annotations, or so large ones; null where it can. */
function refuseSize(annotations: readonly Annotation[]): string | null {
  if (annotations.length > draftLimits.shapes) return `It has more than ${draftLimits.shapes} annotations.`;
  return jsonSize(annotations) > draftLimits.bytes
    ? `Its annotations have more than ${draftLimits.bytes} bytes.`
    : null;
}

/** Counts what became of the pictures of a batch. */
class Outcome implements BatchOutcome {
  done = 0;
  unchanged = 0;
  failed = 0;
  annotations = 0;
  left = 0;
  readonly rows: ImportReportRow[] = [];

  refuse({ name, annotations }: ReadPicture, reason: string): void {
    this.failed += 1;
    this.left += annotations.length;
    this.rows.push({ picture: shownName(name), annotation: null, reason });
  }

  /** Annotations of a picture that were left out while others of it may be taken. */
  noteLeftOut({ name, leftOut }: ReadPicture, { refused, unwanted }: Composed): void {
    for (const { at, reason } of refused)
      this.rows.push({ picture: shownName(name), annotation: at + 1, reason: shownName(reason) });
    for (const { reason, count } of leftOut)
      this.rows.push({
        picture: shownName(name),
        annotation: null,
        reason: shownName(count === 1 ? reason : `${reason} (${count} times)`),
      });
    this.left += refused.length + unwanted + leftOut.reduce((sum, { count }) => sum + count, 0);
  }
}

/** The pictures of a batch whose annotations can be put into tasks; what becomes of the others is counted. */
async function placePictures(
  tx: Ctx,
  batch: readonly MarkedPicture[],
  { project, index, isScaled, file, labels }: BatchInput,
  outcome: Outcome,
): Promise<Placed[]> {
  const matches = batch.map((picture) => index.find(picture)?.task ?? null);
  const uids = [...new Set(matches.filter((uid) => uid !== null))].toSorted();
  const tasks = await readImportTasks(tx, project.uid, uids, { locked: true });
  return batch.flatMap((picture, at) => {
    const task = tasks.get(matches[at] ?? "");
    if (!task) {
      outcome.refuse(picture, "No item of the project has this name, or several have it.");
      return [];
    }
    if (picture.isRepeated) {
      outcome.refuse(picture, twice);
      return [];
    }
    if (isEmpty(picture)) {
      outcome.unchanged += 1;
      return [];
    }
    const from = chooseSize(picture, task, isScaled);
    if (typeof from === "string") {
      outcome.refuse(picture, from);
      return [];
    }
    const key = deriveUuid("result", file, task.item);
    const composed = composePicture(picture, { uid: task.item, size: task.size }, from, { file, labels });
    return [{ picture, task, key, composed }];
  });
}

/** Puts the annotations of a batch of pictures into the tasks of their items, each once. Its project is locked. */
export async function importBatch(tx: Ctx, batch: readonly MarkedPicture[], input: BatchInput): Promise<BatchOutcome> {
  const outcome = new Outcome();
  const placed = await placePictures(tx, batch, input, outcome);
  const submitted = await findSubmitted(
    tx,
    placed.map(({ task, key }) => ({ task: task.uid, key })),
  );
  const drawn = await findDrawn(
    tx,
    placed.map(({ task }) => task.uid),
    placed.flatMap(({ composed }) => composed.annotations.map(({ attributes }) => String(attributes["id"]))),
  );
  const taken: ImportedResult[] = [];
  for (const { picture, task, key, composed } of placed) {
    if (submitted.has(task.uid) || drawn.has(task.uid)) {
      outcome.unchanged += 1;
      continue;
    }
    const refused = refuseBegun(task) ?? refuseSize(composed.annotations);
    if (refused !== null) {
      outcome.refuse(picture, refused);
      continue;
    }
    outcome.noteLeftOut(picture, composed);
    if (composed.annotations.length === 0) {
      // Left out on purpose, all of them, or each with its reason.
      if (composed.refused.length + picture.leftOut.length === 0) outcome.unchanged += 1;
      else outcome.failed += 1;
      continue;
    }
    taken.push({ task, annotations: composed.annotations, key });
    outcome.done += 1;
    outcome.annotations += composed.annotations.length;
  }
  if (input.mode === "drafts") await drawAll(tx, input, taken);
  else await submitImported(tx, input.project, taken, input.mode === "accepted");
  return outcome;
}

/** Annotations as shapes of a draft: of people, who go on with them. */
function toShapes(annotations: readonly Annotation[], labels: ReadonlyMap<string, string>): DraftShape[] {
  return annotations.map(({ label, attributes: { id, ...attributes }, ...shape }, position) =>
    DraftShape.parse({ ...shape, id, label_id: labels.get(label), attributes, position }),
  );
}

async function drawAll(tx: Ctx, { project }: BatchInput, taken: readonly ImportedResult[]): Promise<void> {
  const labels = new Map(project.labels.map(({ name, id }) => [name, id]));
  for (const { task, annotations } of taken)
    await beginDraft(tx, { uid: task.uid, project: project.uid }, toShapes(annotations, labels), null);
  if (taken.length > 0) await announce(tx, "task", project.uid, "updated");
}
