import { z } from "zod";
import type { shapeTypes } from "@/domain/projects/label-schema";
import { isRecord, showName, type FoundLabel, type ReadLabels } from "./found-labels";

const Attribute = z.looseObject({
  name: z.string(),
  input_type: z.string().catch("text"),
  mutable: z.boolean().catch(false),
  values: z.array(z.string()).catch([]),
  default_value: z.string().optional().catch(undefined),
});
type Attribute = z.output<typeof Attribute>;

const CvatLabel = z.looseObject({
  name: z.string(),
  color: z.string().optional().catch(undefined),
  type: z.string().catch("any"),
  attributes: z.array(z.unknown()).catch([]),
  sublabels: z.array(z.looseObject({ name: z.string() })).catch([]),
  svg: z.string().catch(""),
});
type CvatLabel = z.output<typeof CvatLabel>;

/** The shapes of CVAT's types; others have none here. */
const shapes: Readonly<Record<string, readonly (typeof shapeTypes)[number][]>> = {
  any: [],
  rectangle: ["bbox"],
  polygon: ["polygon"],
  polyline: ["polyline"],
  points: ["keypoints"],
  skeleton: ["keypoints"],
  cuboid: ["cuboid"],
  tag: ["classification"],
  mask: ["mask"],
  ellipse: ["polygon"],
};
const drawnAsPolygons: ReadonlySet<string> = new Set(["ellipse"]);

/** What CVAT chooses until somebody does, where nothing is to be chosen. */
const undefinedValue = "__undefined__";

function toAttribute({ name, input_type: type, mutable, values, default_value: preset }: Attribute) {
  const common = { key: name, per_frame: mutable };
  const isSet = preset !== undefined && preset !== "" && preset !== undefinedValue;
  if (type === "select" || type === "radio") {
    const options = values.filter((value) => value !== "" && value !== undefinedValue);
    return {
      ...common,
      kind: "select" as const,
      options,
      ...(isSet && options.includes(preset) && { default: preset }),
    };
  }
  if (type === "checkbox")
    return { ...common, kind: "boolean" as const, ...(isSet && { default: preset.toLowerCase() === "true" }) };
  if (type === "number") {
    const number = Number(preset);
    return { ...common, kind: "number" as const, ...(isSet && Number.isFinite(number) && { default: number }) };
  }
  return { ...common, kind: "text" as const, ...(isSet && { default: preset }) };
}

/** The value of an attribute in a tag; null without it. */
function readAttribute(tag: string, name: string): string | null {
  const [, rest] = tag.split(` ${name}="`, 2);
  return rest?.split('"', 1)[0] ?? null;
}

/** The edges of a skeleton, which CVAT draws as lines between the nodes of a picture. */
function readEdges({ svg, sublabels }: CvatLabel): [number, number][] {
  const tags = svg.split("<");
  const nodes = new Map<string, number>();
  for (const tag of tags.filter((each) => each.startsWith("circle "))) {
    const id = readAttribute(tag, "data-node-id");
    const name = readAttribute(tag, "data-label-name");
    const named = sublabels.findIndex((sublabel) => sublabel.name === name);
    if (id !== null) nodes.set(id, named < 0 ? nodes.size : named);
  }
  return tags
    .filter((each) => each.startsWith("line "))
    .flatMap((tag) => {
      const [from, to] = ["data-node-from", "data-node-to"].map((name) => nodes.get(readAttribute(tag, name) ?? ""));
      return from === undefined || to === undefined ? [] : [[from, to] satisfies [number, number]];
    });
}

/** The labels of CVAT as its constructor shows them in the tab Raw, parsed; also those of a backup of a project. */
export function readCvatLabels(file: unknown): ReadLabels {
  const list: unknown = isRecord(file) && Object.hasOwn(file, "labels") ? file["labels"] : file;
  if (!Array.isArray(list)) return { fault: "Labels of CVAT are a list; this is none." };
  const leftOut: string[] = [];
  const labels = list.flatMap((entry: unknown, at): FoundLabel[] => {
    const parsed = CvatLabel.safeParse(entry);
    if (!parsed.success) {
      leftOut.push(`Entry ${at + 1} is left out: it is no label.`);
      return [];
    }
    const label = parsed.data;
    const name = showName(label.name);
    const types = Object.hasOwn(shapes, label.type) ? shapes[label.type] : undefined;
    if (!types) leftOut.push(`${name} may have any shape: there is no ${showName(label.type)} here.`);
    if (drawnAsPolygons.has(label.type)) leftOut.push(`${name} is drawn as polygons: there is no ${label.type} here.`);
    const attributes = label.attributes.flatMap((each) => {
      const attribute = Attribute.safeParse(each);
      if (!attribute.success) leftOut.push(`An attribute of ${name} is left out: it has no name.`);
      return attribute.success ? [attribute.data] : [];
    });
    for (const each of attributes)
      if (each.input_type === "number" && each.values.length > 0)
        leftOut.push(`The range of ${showName(each.name)} of ${name} is left out.`);
    const color = /^#[0-9a-f]{6}$/i.test(label.color ?? "") ? label.color : undefined;
    const isSkeleton = label.type === "skeleton" && label.sublabels.length > 0;
    return [
      {
        name: label.name,
        types: types ?? [],
        attributes: attributes.map(toAttribute),
        ...(color !== undefined && { color }),
        ...(isSkeleton && { points: label.sublabels.map((point) => point.name), edges: readEdges(label) }),
      },
    ];
  });
  return { labels, leftOut };
}
