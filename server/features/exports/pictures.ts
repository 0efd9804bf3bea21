import type { Annotation } from "@/domain/tasks/schema";
import type { Outline } from "@/server/features/exports/format";
import type { SelectedItem, SelectedResult } from "@/server/features/exports/selection-queries";
import { toAnnotation } from "@/server/features/exports/shapes";
import { getPart } from "@/server/features/exports/split-queries";
import type { Steps } from "@/server/features/exports/steps";
import type { Tally } from "@/server/features/exports/tally";

/** What a format makes of annotations, with how many of them it holds: what is only counted is not made. */
export interface Composed<T> {
  make: () => T;
  shapes: number;
}

/** A picture of an export: an item, once for each project that labelled it. */
export interface LabelledPicture<T> {
  /** Null unless the item is there for several projects. */
  project: string | null;
  make: () => T;
}

/** Counts why an export does not hold an item. */
function countLeftOut({ is_picture, is_labelled }: SelectedItem, tally: Tally): void {
  tally.lose(!is_picture ? "item_dropped" : is_labelled ? "undecided_dropped" : "unlabelled_dropped");
}

/**
 * What a training set holds of an item, in the order of the projects; nothing of one that is no picture. One that nobody
 * labelled, or that has no shape which the format can hold, is there only if wanted as background, because trainers read
 * a picture without objects as the word that nothing is there. Counts this.
 */
export function* labelPictures<T>(
  item: SelectedItem,
  results: readonly SelectedResult[],
  { split, background }: Outline,
  tally: Tally,
  compose: (annotations: readonly Annotation[]) => Steps<Composed<T>>,
): Steps<LabelledPicture<T>[]> {
  const isBackground = results.length === 0 && background && !item.is_labelled;
  if (!item.is_picture || (results.length === 0 && !isBackground)) {
    countLeftOut(item, tally);
    return [];
  }
  const part = getPart(split, item);
  if (isBackground) {
    tally.addItem(0);
    tally.lose("unlabelled_as_background");
    tally.addPicture(part);
    const { make } = yield* compose([]);
    return [{ project: null, make }];
  }
  const pictures: (LabelledPicture<T> & { results: number })[] = [];
  for (const [project, own] of groupByProject(results)) {
    const annotations = own.flatMap((result) => result.annotations.map(toAnnotation));
    const { make, shapes } = yield* compose(annotations);
    const isUnboxed = shapes === 0 && annotations.length > 0;
    if (isUnboxed) tally.lose(background ? "unboxed_as_background" : "unboxed_dropped");
    if (!isUnboxed || background) pictures.push({ project, make, results: own.length });
  }
  if (pictures.length === 0) return [];
  tally.addItem(pictures.reduce((sum, picture) => sum + picture.results, 0));
  if (pictures.length > 1) tally.lose("item_repeated");
  return pictures.map(({ project, make }) => {
    tally.addPicture(part);
    return { project: pictures.length > 1 ? project : null, make };
  });
}

/** Whether a file for another labelling program holds an item, as it does every picture, labelled or not. Counts this. */
export function countForTool(item: SelectedItem, results: readonly SelectedResult[], tally: Tally): boolean {
  if (item.is_picture) tally.addItem(results.length);
  else tally.lose("item_dropped");
  return item.is_picture;
}

/** Results by their projects, in the order of the projects. */
export function groupByProject(results: readonly SelectedResult[]): [project: string, SelectedResult[]][] {
  const projects = [...new Set(results.map(({ project_id }) => project_id))].toSorted();
  return projects.map((project) => [project, results.filter(({ project_id }) => project_id === project)]);
}
