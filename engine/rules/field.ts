import { toNumber } from "@/domain/conditions/number";
import type { FieldMode } from "@/domain/conditions/operators";
import { otherName, parsePath, type PathStep } from "@/domain/conditions/path";
import { isList, type List } from "@/engine/rules/list";
import { valueTest, yes, type ValueTest } from "@/engine/rules/truth";

/** Reads a field of a decoded message; undefined when the message does not carry it. Lists come as they are. */
export type FieldReader = (message: unknown) => unknown;

/** A member of a decoded message; the nanoseconds of a time answer to either of their names. */
export function getKey(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as Record<string, unknown>)[key];
  if (found !== undefined) return found;
  const other = otherName(key);
  return other === undefined ? undefined : (value as Record<string, unknown>)[other];
}

const getElement = (value: unknown, index: number): unknown =>
  isList(value) ? value[index < 0 ? value.length + index : index] : undefined;

function single(steps: PathStep[]): FieldReader {
  const [first, second, third] = steps.map((step) => (step.kind === "key" ? step.key : undefined));
  if (first !== undefined && steps.length === 1) return (message) => getKey(message, first);
  if (first !== undefined && second !== undefined) {
    if (steps.length === 2) return (message) => getKey(getKey(message, first), second);
    if (third !== undefined && steps.length === 3)
      return (message) => getKey(getKey(getKey(message, first), second), third);
  }
  return (message) => {
    let value = message;
    for (const step of steps) {
      value =
        step.kind === "key"
          ? getKey(value, step.key)
          : step.kind === "index"
            ? getElement(value, step.index)
            : undefined;
      if (value === undefined || value === null) return undefined;
    }
    return value;
  };
}

/** Follows the steps from a value and collects each value they lead to. Returns whether a list was among them. */
type Walk = (value: unknown, into: unknown[]) => boolean;
type Collect = (value: unknown, into: unknown[]) => void;

function walk(steps: PathStep[], collect: Collect): Walk {
  const [step, ...rest] = steps;
  if (!step) {
    return (value, into) => {
      if (isList(value)) for (let at = 0; at < value.length; at++) collect(value[at], into);
      else collect(value, into);
      return isList(value);
    };
  }
  const onward = walk(rest, collect);
  switch (step.kind) {
    case "key":
      return (value, into) => onward(getKey(value, step.key), into);
    case "index":
      return (value, into) => onward(getElement(value, step.index), into);
    case "slice":
      return (value, into) => {
        if (!isList(value)) {
          collect(undefined, into);
          return false;
        }
        const from = Math.max(step.from < 0 ? value.length + step.from : step.from, 0);
        const to = Math.min(step.to < 0 ? value.length + step.to : step.to, value.length - 1);
        for (let at = from; at <= to; at++) onward(value[at], into);
        return true;
      };
    case "filter": {
      const read = single(step.path);
      const test: ValueTest = valueTest({ operator: step.operator, value: step.value });
      return (value, into) => {
        const values = isList(value) ? value : [value];
        const before = into.length;
        let found = isList(value);
        for (let at = 0; at < values.length; at++) {
          if (test.judge(read(values[at])) === yes) found = onward(values[at], into) || found;
        }
        if (into.length === before) collect(undefined, into);
        return found;
      };
    }
  }
}

const collectPresent: Collect = (value, into) => {
  if (value !== undefined && value !== null) into.push(value);
};
// A missing value leaves its place empty, so that later ones have the same position in every message.
const collectPlaces: Collect = (value, into) => {
  into.push(value ?? undefined);
};

function extreme(values: List, sign: 1 | -1): unknown {
  let best: unknown;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === undefined || value === null) continue;
    const number = toNumber(value);
    if (Number.isNaN(number)) return NaN;
    if (best === undefined || sign * order(value, best) > 0) best = value;
  }
  return best;
}

// Integers of 64 bits may differ although their float64 approximations are equal.
function order(a: unknown, b: unknown): number {
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
  return toNumber(a) - toNumber(b) || 0;
}

function mean(values: List): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === undefined || value === null) continue;
    sum += toNumber(value);
    count++;
  }
  return sum / count;
}

const holdsAny = (values: List): boolean => {
  for (let at = 0; at < values.length; at++) if (values[at] !== undefined && values[at] !== null) return true;
  return false;
};

function reduced(read: FieldReader, mode: FieldMode): FieldReader {
  if (mode === "count") {
    return (message) => {
      const value = read(message);
      return value === undefined || value === null ? undefined : isList(value) ? value.length : 1;
    };
  }
  return (message) => {
    const value = read(message);
    if (typeof value !== "object") return typeof value === "function" ? undefined : value;
    if (value === null || !isList(value)) return value ?? undefined;
    if (!holdsAny(value)) return undefined;
    if (mode === "any" || mode === "all") return value;
    return mode === "mean" ? mean(value) : extreme(value, mode === "max" ? 1 : -1);
  };
}

/** A reader of a metric of heartbeats: its name is one key, whatever characters are in it. */
export const compileMetric = (name: string, mode: FieldMode): FieldReader =>
  reduced(
    (metrics) =>
      typeof metrics === "object" && metrics !== null && Object.hasOwn(metrics, name)
        ? (metrics as Record<string, unknown>)[name]
        : undefined,
    mode,
  );

/**
 * A reader of `field` in decoded messages of `topic`. With `any` and `all` a field of many values comes as a list,
 * which is only valid until the next call; the other modes give one number. With `keepsPlaces` a missing value leaves
 * an empty place in the list. Throws a PathError.
 */
export function compileField(field: string, topic: string, mode: FieldMode = "any", keepsPlaces = false): FieldReader {
  const steps = parsePath(field, topic);
  if (steps.every((step) => step.kind === "key" || step.kind === "index")) return reduced(single(steps), mode);
  const collectAll = walk(steps, keepsPlaces ? collectPlaces : collectPresent);
  const values: unknown[] = [];
  return reduced((message) => {
    values.length = 0;
    return collectAll(message, values) || values.length > 0 ? values : undefined;
  }, mode);
}
