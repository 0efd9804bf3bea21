import { z } from "zod";
import { isRecord, showName, type FoundLabel, type ReadLabels } from "./found-labels";

/** How many points the skeletons of a pose file have. */
const KeypointShape = z.tuple([z.int().min(1).max(100)]).rest(z.unknown());

/** The names by class: a list, or an object whose keys are the numbers of the classes. */
function listNames(names: unknown, leftOut: string[]): { number: number; name: unknown }[] | null {
  if (Array.isArray(names)) return names.map((name: unknown, number) => ({ number, name }));
  if (!isRecord(names)) return null;
  return Object.entries(names)
    .flatMap(([key, name]) => {
      if (/^\d{1,9}$/.test(key)) return { number: Number(key), name };
      leftOut.push(`${showName(key)} is left out: it is no number of a class.`);
      return [];
    })
    .toSorted((a, b) => a.number - b.number);
}

/** The names of the points of a class; numbers where the file has none. */
function listPoints(file: Readonly<Record<string, unknown>>, number: number): string[] {
  const [count] = KeypointShape.safeParse(file["kpt_shape"]).data ?? [];
  if (count === undefined) return [];
  const all = file["kpt_names"];
  const named = isRecord(all) && Object.hasOwn(all, number) ? all[String(number)] : all;
  const names = z.array(z.string()).length(count).safeParse(named);
  return names.data ?? Array.from({ length: count }, (_, at) => String(at + 1));
}

/** The names of the classes of a parsed `data.yaml` by their numbers; null where it names none. */
export function listYoloClasses(file: unknown): ReadonlyMap<number, string> | null {
  const names = isRecord(file) && Object.hasOwn(file, "names") ? listNames(file["names"], []) : null;
  const isName = (name: unknown): boolean => ["string", "number", "boolean"].includes(typeof name);
  return names && new Map(names.flatMap(({ number, name }) => (isName(name) ? [[number, String(name)] as const] : [])));
}

/** The labels of a `data.yaml` as YOLO's trainers have it, parsed: the classes of `names` in their order. */
export function readYoloLabels(file: unknown): ReadLabels {
  const leftOut: string[] = [];
  const names = isRecord(file) && Object.hasOwn(file, "names") ? listNames(file["names"], leftOut) : null;
  if (!isRecord(file) || names === null) return { fault: "A data.yaml lists its classes as names; here are none." };
  const labels = names.flatMap(({ number, name }): FoundLabel[] => {
    const isName = ["string", "number", "boolean"].includes(typeof name);
    if (!isName || String(name).trim() === "") {
      leftOut.push(`Class ${number} is left out: it has no name.`);
      return [];
    }
    const points = listPoints(file, number);
    return [{ name: String(name), ...(points.length > 0 && { types: ["keypoints"], points }) }];
  });
  if (names.some(({ number }, at) => number !== at))
    leftOut.push("The numbers of classes are given anew, in their order.");
  return { labels, leftOut };
}
