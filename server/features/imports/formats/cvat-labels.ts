import { readCvatLabels } from "@/domain/projects/label-files/cvat-labels";
import { readLimits, type ReadLabel } from "@/server/features/imports/formats/annotation-file";
import { BadValue, readName } from "@/server/features/imports/formats/values";
import type { XmlElement } from "@/server/features/imports/formats/xml-elements";

const readText = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text.trim();

/** What CVAT's own description of labels calls the members of an attribute. */
const toAttribute = (element: XmlElement) => ({
  name: readText(element, "name"),
  input_type: readText(element, "input_type"),
  mutable: readText(element, "mutable")?.toLowerCase() === "true",
  values: (readText(element, "values") ?? "").split("\n"),
  default_value: readText(element, "default_value"),
});

interface CvatLabel {
  name: string;
  color: string | undefined;
  type: string | undefined;
  svg: string | undefined;
  attributes: ReturnType<typeof toAttribute>[];
  sublabels: { name: string }[];
}

/** The value of an attribute by how CVAT asks for it; others are text. */
type AttributeReader = (text: string) => unknown;
const readers: ReadonlyMap<string, AttributeReader> = new Map<string, AttributeReader>([
  ["checkbox", (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : text)],
  ["number", (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : text)],
]);

/** The labels that the head of a document describes, as far as it is read. */
export class CvatLabels {
  private readonly labels = new Map<string, CvatLabel>();
  private readonly parts = new Map<string, string[]>();

  /** Takes a label, or a point of a skeleton, which is a label with a parent. */
  add(element: XmlElement): void {
    const name = readName(readText(element, "name"), "The name of a label");
    const parent = readText(element, "parent");
    if (parent !== undefined && parent !== "") {
      const points = this.parts.get(parent) ?? [];
      if (points.length === readLimits.labels) throw new BadValue(`The skeleton ${parent} has too many points.`);
      if (points.length === 0 && this.parts.size === readLimits.labels)
        throw new BadValue(`There are more than ${readLimits.labels} skeletons.`);
      this.parts.set(parent, [...points, name]);
      return;
    }
    if (this.labels.size === readLimits.labels) throw new BadValue(`There are more than ${readLimits.labels} labels.`);
    const attributes = element.children.find((child) => child.name === "attributes")?.children ?? [];
    this.labels.set(name, {
      name,
      color: readText(element, "color"),
      type: readText(element, "type"),
      svg: readText(element, "svg"),
      attributes: attributes.map(toAttribute),
      sublabels: [],
    });
  }

  /** The points of a skeleton in their order; none where the head does not say it. */
  listPoints(label: string): readonly string[] {
    return this.parts.get(label) ?? [];
  }

  readAttribute(label: string, name: string, text: string): unknown {
    const type = this.labels.get(label)?.attributes.find((each) => each.name === name)?.input_type;
    return readers.get(type ?? "")?.(text) ?? text;
  }

  list(): ReadLabel[] {
    const described = Array.from(this.labels.values(), (label) => ({
      ...label,
      sublabels: this.listPoints(label.name).map((name) => ({ name })),
    }));
    const read = readCvatLabels(described);
    return "fault" in read ? [] : [...read.labels];
  }
}
