import type { JsonValue } from "@/domain/conditions/evidence";
import { compareNumbers, isCountOperator, isOperator, isRange, type Operator } from "@/domain/conditions/operators";
import { parsePath, PathError } from "@/domain/conditions/path";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { roundedText, splitName, withUnit } from "@/domain/conditions/sentences";

/** The elements of a list in evidence: which is the worst, what it is called, how many are beyond the limit. */

/** Evidence keeps no more elements of a list, so that of so many there may have been others. */
const keptElements = 8;

const words: Record<Operator, string> = {
  gt: "above",
  gte: "at least",
  lt: "below",
  lte: "at most",
  eq: "equal to",
  neq: "other than",
  between: "between",
  outside: "outside",
};

function holds(operator: Operator, value: number, limits: readonly number[]): boolean {
  const [low = Number.NaN, high = Number.NaN] = limits;
  if (isCountOperator(operator)) return compareNumbers[operator](value, low);
  return (operator === "between") === (value >= low && value <= high);
}

/** The position of the element farthest beyond the limit, else of the first that met the condition; null if none did. */
function findWorst(operator: Operator, values: readonly number[], limits: readonly number[]): number | null {
  const met = values.flatMap((value, at) => (holds(operator, value, limits) ? [at] : []));
  if (operator === "gt" || operator === "gte" || operator === "lt" || operator === "lte") {
    const sign = operator.startsWith("g") ? 1 : -1;
    // Where none holds, the nearest to the limit.
    const among = met.length > 0 ? met : values.map((_, at) => at);
    return among.reduce<number | null>(
      (worst, at) => (worst === null || sign * ((values[at] ?? 0) - (values[worst] ?? 0)) > 0 ? at : worst),
      null,
    );
  }
  return met[0] ?? null;
}

interface ComparedList {
  operator: Operator;
  values: number[];
  limits: number[];
  worst: number | null;
}

/** A list of numbers that was compared with numbers; null for everything else. */
export function readList({
  value,
  operator,
  threshold,
}: Pick<LeafEvidence, "value" | "operator" | "threshold">): ComparedList | null {
  const bounds: readonly JsonValue[] = Array.isArray(threshold) ? threshold : [threshold];
  const limits = bounds.filter((bound) => typeof bound === "number");
  if (!Array.isArray(value) || value.length === 0 || !isOperator(operator)) return null;
  if (limits.length !== (isRange(operator) ? 2 : 1) || bounds.length !== limits.length) return null;
  const values = value.filter((each) => typeof each === "number");
  if (values.length !== value.length) return null;
  return { operator, values, limits, worst: findWorst(operator, values, limits) };
}

/** The arrays of a `sensor_msgs/JointState`, which have one element a joint. */
const ofJoints = new Set(["position", "velocity", "effort"]);

function singular(name: string): string {
  if (/ies$/.test(name)) return `${name.slice(0, -3)}y`;
  return /[^sui]s$/.test(name) ? name.slice(0, -1) : name;
}

/** `joint`, `motor`, `cell voltage`: what one element of the list is; null where its position cannot be known. */
function nameElement(field: string, topic: string): { name: string; first: number } | null {
  try {
    const steps = parsePath(field, topic);
    const slices = steps.flatMap((step, at) => (step.kind === "slice" ? [{ step, at }] : []));
    const [slice] = slices;
    if (!slice || slices.length > 1 || slice.step.from < 0 || steps.some(({ kind }) => kind === "filter")) return null;
    const key = steps.slice(0, slice.at).findLast((step) => step.kind === "key")?.key;
    if (key === undefined) return null;
    const isLast = slice.at === steps.length - 1;
    const name =
      isLast && ofJoints.has(key)
        ? "joint"
        : key === "data" || key === "values"
          ? "element"
          : singular(splitName(key).join(" "));
    return { name, first: slice.step.from };
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

/**
 * `joint 3: 74.6, 6 of 6 above 55`: the worst element by its place, from 1, and how many met the condition. Null where
 * it is no list of numbers that were compared.
 */
export function elementsText(leaf: LeafEvidence, unit: string): string | null {
  const list = readList(leaf);
  if (!list || list.values.length < 2 || leaf.field === null) return null;
  const { operator, values, limits, worst } = list;
  const element = nameElement(leaf.field, leaf.topic);
  const met = values.filter((value) => holds(operator, value, limits)).length;
  const all = values.length >= keptElements ? `the first ${values.length}` : String(values.length);
  const count = `${met} of ${all} ${words[operator]} ${limits.join(operator === "outside" ? " to " : " and ")}`;
  if (worst === null) return count;
  const reading = withUnit(roundedText(values[worst] ?? Number.NaN, limits), unit);
  return `${element ? `${element.name} ${element.first + worst + 1}: ` : ""}${reading}, ${count}`;
}
