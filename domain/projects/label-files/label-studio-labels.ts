import type { shapeTypes } from "@/domain/projects/label-schema";
import { showName, type FoundLabel, type ReadLabels } from "./found-labels";

/** An element of a configuration: what of XML matters here. */
export interface Markup {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: readonly Markup[];
}

type Found = { -readonly [Key in keyof FoundLabel]: FoundLabel[Key] };
type FoundAttribute = NonNullable<FoundLabel["attributes"]>[number];

/** The shapes of controls that hold labels. */
const shapes: ReadonlyMap<string, readonly (typeof shapeTypes)[number][]> = new Map([
  ["Labels", []],
  ["RectangleLabels", ["bbox"]],
  ["PolygonLabels", ["polygon"]],
  ["VectorLabels", ["polyline"]],
  ["KeyPointLabels", ["keypoints"]],
  ["BrushLabels", ["mask"]],
  ["BitmaskLabels", ["mask"]],
  ["EllipseLabels", ["polygon"]],
]);
const drawnAsPolygons: ReadonlySet<string> = new Set(["EllipseLabels"]);

/** Controls that ask something, by the kind of attribute that holds the answer. */
const questions: ReadonlyMap<string, "select" | "number" | "text"> = new Map([
  ["Choices", "select"],
  ["Number", "number"],
  ["Rating", "number"],
  ["TextArea", "text"],
]);

/** Controls of which nothing is kept; what only shows something is not named. */
const unknown = /^(Taxonomy|Pairwise|Ranker|Relations?|DateTime|.+Labels)$/;

/** Names of colours that templates have. */
const colours: ReadonlyMap<string, string> = new Map([
  ["red", "#ff0000"],
  ["green", "#008000"],
  ["blue", "#0000ff"],
  ["yellow", "#ffff00"],
  ["orange", "#ffa500"],
  ["purple", "#800080"],
  ["pink", "#ffc0cb"],
  ["brown", "#a52a2a"],
  ["cyan", "#00ffff"],
  ["magenta", "#ff00ff"],
  ["lime", "#00ff00"],
  ["teal", "#008080"],
  ["navy", "#000080"],
  ["gray", "#808080"],
  ["grey", "#808080"],
  ["black", "#000000"],
  ["white", "#ffffff"],
]);

function toColour(text: string | undefined): string | undefined {
  const value = text?.trim().toLowerCase() ?? "";
  if (/^#[0-9a-f]{6}$/.test(value)) return value;
  if (/^#[0-9a-f]{3}$/.test(value)) return `#${[...value.slice(1)].map((digit) => digit + digit).join("")}`;
  return colours.get(value);
}

const isTrue = (element: Markup, attribute: string): boolean =>
  element.attributes.get(attribute)?.toLowerCase() === "true";

/** All elements below one, in the order of the text. Not by recursion: they may be nested deeply. */
function listElements(root: Markup): Markup[] {
  const found: Markup[] = [];
  const left = [root];
  for (let next = left.pop(); next; next = left.pop()) {
    found.push(next);
    left.push(...next.children.toReversed());
  }
  return found;
}

const listValues = (element: Markup, name: string): Markup[] =>
  listElements(element).filter((each) => each.name === name && (each.attributes.get("value") ?? "").trim() !== "");

/** What a control asks, as an attribute. */
function toAttribute(control: Markup, kind: "select" | "number" | "text"): FoundAttribute {
  const key = control.attributes.get("name") ?? control.name;
  const required = isTrue(control, "required");
  if (kind !== "select") return { key, kind, required };
  const options = listValues(control, "Choice").map((choice) => choice.attributes.get("value") ?? "");
  return { key, kind: control.attributes.get("choice") === "multiple" ? "multi" : "select", options, required };
}

/** Adds the labels of a control; one that several controls have may have the shapes of all. */
function addLabels(control: Markup, labels: Map<string, Found>, leftOut: string[]): void {
  const types = shapes.get(control.name) ?? [];
  for (const { attributes } of listValues(control, "Label")) {
    const name = attributes.get("value")?.trim() ?? "";
    const present = labels.get(name);
    if (present) {
      const isFree = types.length === 0 || present.types?.length === 0;
      present.types = isFree ? [] : [...new Set([...(present.types ?? []), ...types])];
      continue;
    }
    const [color, key] = [toColour(attributes.get("background")), attributes.get("hotkey")];
    labels.set(name, {
      name,
      types,
      ...(color !== undefined && { color }),
      ...(key !== undefined && /^[1-9]$/.test(key) && { key }),
    });
    if (drawnAsPolygons.has(control.name))
      leftOut.push(`${showName(name)} is drawn as polygons: there are no ${control.name} here.`);
  }
}

/** The labels of a labeling configuration of Label Studio. Questions about a picture become tags, those about regions attributes. */
export function readLabelStudioLabels(root: Markup): ReadLabels {
  const leftOut: string[] = [];
  const labels = new Map<string, Found>();
  const elements = listElements(root);
  for (const control of elements) if (shapes.has(control.name)) addLabels(control, labels, leftOut);
  const regions = [...labels.values()];
  for (const control of elements) {
    const kind = questions.get(control.name);
    if (kind === undefined) {
      if (!shapes.has(control.name) && unknown.test(control.name))
        leftOut.push(`${control.name} ${showName(control.attributes.get("name") ?? "")} is left out.`);
      continue;
    }
    const attribute = toAttribute(control, kind);
    if (!isTrue(control, "perRegion")) {
      const { key: name } = attribute;
      if (labels.has(name)) leftOut.push(`The question ${showName(name)} is left out: a label has this name.`);
      else labels.set(name, { name, types: ["classification"], attributes: [attribute] });
      continue;
    }
    const only = control.attributes.get("whenLabelValue")?.split(",");
    const asked = only ? regions.filter(({ name }) => only.some((each) => each.trim() === name)) : regions;
    if (asked.length === 0) leftOut.push(`The question ${showName(attribute.key)} is left out: no label has it.`);
    for (const label of asked) label.attributes = [...(label.attributes ?? []), attribute];
  }
  if (labels.size === 0) return { fault: "This configuration has no labels." };
  return { labels: [...labels.values()], leftOut };
}
