import { labelMapLimits, type LabelMap } from "./schema";

/** A map of labels as people write it, a line each: `forklift = truck`, or `shadow =` to leave it out. */
export const formatLabelMap = (map: LabelMap): string =>
  Object.entries(map)
    .map(([name, label]) => `${name} = ${label}`.trimEnd())
    .join("\n");

/** The map in these lines, or what is wrong with one of them. */
export function parseLabelMap(text: string): { map: LabelMap } | { problem: string } {
  const map = new Map<string, string>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const cut = line.indexOf("=");
    const [name, label] = [line.slice(0, cut).trim(), line.slice(cut + 1).trim()];
    const where = `Line ${at + 1}`;
    if (cut < 0 || name === "") return { problem: `${where}: write the model's name, = and the label.` };
    if (map.has(name)) return { problem: `${where}: ${name} is there already.` };
    if (name.length > labelMapLimits.name || label.length > labelMapLimits.name)
      return { problem: `${where}: a name has at most ${labelMapLimits.name} characters.` };
    map.set(name, label);
  }
  if (map.size > labelMapLimits.labels) return { problem: `A map has at most ${labelMapLimits.labels} labels.` };
  return { map: Object.fromEntries(map) };
}
