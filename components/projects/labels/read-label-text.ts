import { parse } from "yaml";
import { readCvatLabels } from "@/domain/projects/label-files/cvat-labels";
import { isRecord, type ReadLabels } from "@/domain/projects/label-files/found-labels";
import { readLabelStudioLabels, type Markup } from "@/domain/projects/label-files/label-studio-labels";
import { readYoloLabels } from "@/domain/projects/label-files/yolo-labels";

/** Characters; no list of 500 labels needs more. */
export const maxLabelText = 1024 * 1024;

const toMarkup = (element: Element): Markup => ({
  name: element.tagName,
  attributes: new Map(Array.from(element.attributes, ({ name, value }) => [name, value])),
  children: Array.from(element.children, toMarkup),
});

/** What a parser says, without the excerpt that follows. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";

function readXml(text: string): ReadLabels {
  // A configuration needs none, and entities declared there may grow without end.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) return { fault: "XML with declarations of its own is not read." };
  const document = new DOMParser().parseFromString(text, "application/xml");
  const error = document.querySelector("parsererror");
  if (error)
    return { fault: `This is no XML: ${error.textContent.split("\n").find((line) => /line/.test(line)) ?? ""}`.trim() };
  return readLabelStudioLabels(toMarkup(document.documentElement));
}

function readJson(text: string): ReadLabels {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && Object.hasOwn(value, "names") ? readYoloLabels(value) : readCvatLabels(value);
  } catch (error) {
    return { fault: `This is no JSON: ${firstLine(error)}` };
  }
}

function readYaml(text: string): ReadLabels {
  try {
    return readYoloLabels(parse(text));
  } catch (error) {
    return { fault: `This is no YAML: ${firstLine(error)}` };
  }
}

/** The labels in a file of another program: YOLO's `data.yaml`, CVAT's JSON or Label Studio's XML, by how it begins. */
export function readLabelText(file: string): ReadLabels {
  const text = file.replace(/^\uFEFF/, "").trim();
  if (text === "") return { fault: "There is nothing in it." };
  if (text.length > maxLabelText) return { fault: "It has more than a million characters." };
  if (text.startsWith("<")) return readXml(text);
  return /^[[{]/.test(text) ? readJson(text) : readYaml(text);
}
