import { z } from "zod";
import { toIssues, type Issue } from "@/domain/issues";
import { changeLabels } from "@/domain/projects/label-changes";
import { pickColour } from "@/domain/projects/label-colours";
import { LabelAttribute, LabelInput, type Label } from "@/domain/projects/label-schema";
import { ProjectLabels } from "@/domain/projects/schema";

/** A label while it is edited; `row` stays the same when it moves or gets another name. */
export interface LabelRow {
  row: number;
  label: LabelInput;
}

/** Labels as they may be kept before they are complete. */
export const UnfinishedLabels = z.array(
  z.object({
    ...LabelInput.shape,
    name: z.string(),
    color: z.string(),
    attributes: z.array(z.object({ ...LabelAttribute.shape, key: z.string() })),
  }),
);

/** A label without what only the server gives it. */
export const toInput = (label: Label): LabelInput => {
  const { id, name, color, types, key, attributes, points, edges, description, retired } = label;
  return { id, name, color, types, key, attributes, points, edges, description, retired };
};

export const toRows = (labels: readonly LabelInput[]): LabelRow[] => labels.map((label, row) => ({ row, label }));

export const toLabels = (rows: readonly LabelRow[]): LabelInput[] => rows.map(({ label }) => label);

const nextRow = (rows: readonly LabelRow[]): number => Math.max(-1, ...rows.map(({ row }) => row)) + 1;

export const emptyLabel = (rows: readonly LabelRow[]): LabelInput => ({
  name: "",
  color: pickColour(rows.map(({ label }) => label.color)),
  types: [],
  attributes: [],
  points: [],
  edges: [],
  description: "",
  retired: false,
});

/** Adds labels at the end, or after a row. */
export function addRows(rows: readonly LabelRow[], labels: readonly LabelInput[], after?: number): LabelRow[] {
  const first = nextRow(rows);
  const added = labels.map((label, at) => ({ row: first + at, label }));
  const place = after === undefined ? rows.length : rows.findIndex(({ row }) => row === after) + 1;
  return [...rows.slice(0, place), ...added, ...rows.slice(place)];
}

export const changeRow = (rows: readonly LabelRow[], row: number, change: Partial<LabelInput>): LabelRow[] =>
  rows.map((each) => (each.row === row ? { row, label: { ...each.label, ...change } } : each));

export const removeRow = (rows: readonly LabelRow[], row: number): LabelRow[] =>
  rows.filter((each) => each.row !== row);

/** Moves a row by places among the labels that are not retired; beyond an end it stays there. */
export function moveRow(rows: readonly LabelRow[], row: number, by: number): LabelRow[] {
  const current = rows.filter(({ label }) => !label.retired);
  const from = current.findIndex((each) => each.row === row);
  const moved = current[from];
  if (!moved) return [...rows];
  const others = current.filter((each) => each !== moved);
  const to = Math.min(Math.max(from + by, 0), others.length);
  return [...others.slice(0, to), moved, ...others.slice(to), ...rows.filter(({ label }) => label.retired)];
}

/** What would be refused, by place in the list of labels. */
export function findFaults(labels: readonly LabelInput[], stored: readonly Label[]): Issue[] {
  const parsed = ProjectLabels.safeParse(labels);
  if (!parsed.success) return toIssues(parsed.error.issues);
  const changed = changeLabels({ labels: stored, nextNumber: 0 }, parsed.data, () => false);
  if (!("wrong" in changed)) return [];
  return changed.wrong.map(({ at, message }) => {
    const [field = "", ...text] = message.split(": ");
    return { path: [at, field], message: text.join(": ") };
  });
}

/** A label in JSON without what it has by default. */
export function toJson({ id, name, color, ...details }: LabelInput): object {
  const given = Object.entries(details).filter(
    ([, value]) =>
      value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0),
  );
  return { ...(id !== undefined && { id }), name, color, ...Object.fromEntries(given) };
}

/** The edges of a skeleton after its points changed: each still connects the points of the same names. */
export function keepEdges(
  { points, edges }: Pick<LabelInput, "points" | "edges">,
  next: readonly string[],
): [number, number][] {
  return edges.flatMap(([from, to]) => {
    const [a, b] = [from, to].map((at) => next.indexOf(points[at] ?? ""));
    return a === undefined || b === undefined || a < 0 || b < 0 ? [] : [[a, b] satisfies [number, number]];
  });
}

/** What saving did to labels that a project had, one sentence each. */
export function describeSaved(
  before: readonly Label[],
  sent: readonly LabelInput[],
  after: readonly Label[],
): string[] {
  const lines = before.map((old) => {
    const now = after.find(({ id }) => id === old.id);
    if (!now) return `${old.name} was removed: nothing has it. Its class ${old.number} is not given again.`;
    if (now.retired && !old.retired) {
      const wasKept = !sent.some(({ id, name }) => (id === undefined ? name === old.name : id === old.id));
      return `${now.name} was retired${wasKept ? ", because results or drafts have it," : ""} and keeps class ${now.number}.`;
    }
    if (old.retired && !now.retired) return `${now.name} is back, with its class ${now.number}.`;
    if (old.name !== now.name) return `${old.name} is now called ${now.name} and keeps class ${now.number}.`;
    return "";
  });
  const added = after
    .filter(({ id }) => !before.some((old) => old.id === id))
    .map(({ name, number }) => `${name} has class ${number}.`);
  return [...lines, ...added].filter((line) => line !== "");
}
