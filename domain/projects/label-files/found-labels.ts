import type { z } from "zod";
import { issueLine, toIssues } from "@/domain/issues";
import { pickColour } from "@/domain/projects/label-colours";
import { LabelAttribute, LabelInput, type shapeTypes } from "@/domain/projects/label-schema";

type ShapeType = (typeof shapeTypes)[number];
type FoundAttribute = z.input<typeof LabelAttribute>;

/** A label as a file of another program describes it; it may still be none that a project can have. */
export interface FoundLabel {
  name: string;
  color?: string;
  types?: readonly ShapeType[];
  key?: string;
  attributes?: readonly FoundAttribute[];
  points?: readonly string[];
  edges?: readonly (readonly [number, number])[];
  description?: string;
}

/** What a file holds; `leftOut` names what of it no label can have, one sentence each. */
interface FoundLabels {
  labels: readonly FoundLabel[];
  leftOut: readonly string[];
}

/** Also why a file cannot be read at all, as one sentence. */
export type ReadLabels = FoundLabels | { fault: string };

const maxLabels = 500;
const maxAttributes = 20;
/** Names in sentences; longer ones are cut. */
const maxShown = 60;

export const showName = (name: string): string => {
  const letters = [...name];
  return letters.length > maxShown ? `${letters.slice(0, maxShown).join("")}…` : name;
};

const reason = (error: z.ZodError): string => toIssues(error.issues).map(issueLine).join(" ");

/** The attributes that a label can have, each key once. */
function fitAttributes({ name, attributes = [] }: FoundLabel, leftOut: string[]): LabelAttribute[] {
  const kept: LabelAttribute[] = [];
  for (const attribute of attributes) {
    const said = `The attribute ${showName(attribute.key)} of ${showName(name)} is left out`;
    const parsed = LabelAttribute.safeParse(attribute);
    if (!parsed.success) leftOut.push(`${said}: ${reason(parsed.error)}`);
    else if (kept.some(({ key }) => key === parsed.data.key)) leftOut.push(`${said}: it is there twice.`);
    else if (kept.length === maxAttributes) leftOut.push(`${said}: a label has at most ${maxAttributes}.`);
    else kept.push(parsed.data);
  }
  return kept;
}

/** The shapes of a label that can be drawn in a kind of task. */
function fitShapes({ name, types = [] }: FoundLabel, shapes: readonly ShapeType[], leftOut: string[]): ShapeType[] {
  const fit = types.filter((type) => shapes.includes(type));
  if (types.length > 0 && fit.length === 0)
    leftOut.push(`The shapes of ${showName(name)} cannot be drawn in this kind of task; it may have any other.`);
  return fit;
}

/**
 * The labels of a file that can be added to those that are `present`, for a kind of task with the given shapes. What cannot
 * be added is named in `leftOut`, in the order of the file.
 */
export function fitLabels(
  found: FoundLabels,
  { present, shapes }: { present: readonly LabelInput[]; shapes: readonly ShapeType[] },
): { labels: LabelInput[]; leftOut: string[] } {
  const leftOut = [...found.leftOut];
  const labels: LabelInput[] = [];
  const known = new Set(present.map(({ name }) => name));
  const added = new Set<string>();
  const keys = new Set(present.flatMap(({ key, retired }) => (key === undefined || retired ? [] : [key])));
  const colors = present.map(({ color }) => color);
  let beyond = 0;
  for (const label of found.labels) {
    const name = label.name.trim();
    if (name === "") leftOut.push("A label without a name is left out.");
    else if (known.has(name)) leftOut.push(`${showName(name)} is there already.`);
    else if (added.has(name)) leftOut.push(`${showName(name)} is there twice: only the first is taken.`);
    else if (present.length + labels.length >= maxLabels) beyond += 1;
    else {
      const key = label.key !== undefined && keys.has(label.key) ? undefined : label.key;
      if (key !== label.key) leftOut.push(`${showName(name)} gets no key: another label has ${label.key}.`);
      const attributes = fitAttributes(label, leftOut);
      const types = fitShapes(label, shapes, leftOut);
      const color = label.color ?? pickColour(colors);
      const parsed = LabelInput.safeParse({ ...label, name, color, key, attributes, types });
      if (!parsed.success) leftOut.push(`${showName(name)} is left out: ${reason(parsed.error)}`);
      else {
        labels.push(parsed.data);
        added.add(name);
        colors.push(color);
        if (key !== undefined) keys.add(key);
      }
    }
  }
  if (beyond > 0) leftOut.push(`${beyond} more are left out: a project has at most ${maxLabels} labels.`);
  return { labels, leftOut };
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
