import type { JsonValue } from "@/domain/conditions/evidence";
import { isRange, type Comparand, type FieldMode, type Operator } from "@/domain/conditions/operators";
import { parsePath, PathError, type PathStep } from "@/domain/conditions/path";
import { short, valueText } from "@/domain/conditions/phrases";

/** Sentences about what was seen, for people who read alerts and not conditions. */

/** What a condition saw when it held. Of a list, `value` has the elements that met the condition. */
export interface Seen {
  topic: string;
  value: JsonValue;
  /** The unit of the field, where its schema names one. */
  unit?: string | null | undefined;
}

/** Words of topics and of fields that name nothing by themselves: `/motor/state`, `data.value`. */
const emptyTopicWords = new Set(["state", "states", "status", "data", "info", "raw", "msg", "msgs", "stamped"]);
const emptyFields = new Set(["data", "value", "values", "msg", "message", "text"]);
const acronyms = new Set(["imu", "gps", "gnss", "cpu", "gpu", "rpm", "bms", "pwm", "pid", "plc", "usb", "rssi", "amr"]);
const maxTopicSegments = 2;
const maxFieldKeys = 3;

/** The words of an identifier, in lower case but for acronyms. */
export const splitName = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}[\]-]+/u)
    .filter((word) => word !== "")
    .map((word) => (acronyms.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()));

function dropEmptyEnd(parts: readonly string[]): string[] {
  const end = parts.findLastIndex((word) => !emptyTopicWords.has(word));
  return parts.slice(0, end + 1);
}

function nameTopic(topic: string): string[] {
  const segments = topic.split("/").filter((segment) => segment !== "");
  const named = segments.map((segment) => dropEmptyEnd(splitName(segment))).filter((parts) => parts.length > 0);
  return named.length === 0 ? splitName(segments.at(-1) ?? topic) : named.slice(-maxTopicSegments).flat();
}

/** The names of a path, outermost first: an index belongs to the name before it, a filter is named by its text. */
function listNames(steps: readonly PathStep[]): string[] {
  const names: string[] = [];
  for (const step of steps) {
    if (step.kind === "key") names.push(step.key);
    else if (step.kind === "index") names.push(`${names.pop() ?? ""}[${step.index}]`);
    else if (step.kind === "filter" && typeof step.value === "string") names.push(step.value);
  }
  return names;
}

function nameField(field: string, topic: string): string[] {
  try {
    const names = listNames(parsePath(field, topic)).filter((name) => !emptyFields.has(name.toLowerCase()));
    return names.slice(-maxFieldKeys).flatMap(splitName);
  } catch (error) {
    if (error instanceof PathError) return [field];
    throw error;
  }
}

const modePrefixes: Record<FieldMode, string> = {
  any: "",
  all: "every ",
  min: "lowest ",
  max: "highest ",
  mean: "mean ",
  count: "number of ",
};

/** What a field measures, by the names of topic and field: `motor temperature` for `/motor/state temperature`. */
export function subject(topic: string, field: string, mode: FieldMode | undefined): string {
  const parts = [...nameTopic(topic), ...nameField(field, topic)];
  return modePrefixes[mode ?? "any"] + parts.filter((word, at) => word !== parts[at - 1]).join(" ");
}

const durationUnits: Readonly<Record<string, string>> = { ms: "ms", s: "s", m: "min", h: "h", d: "d" };

/** `1m30s` as `1 min 30 s`. */
export const spanText = (duration: string): string =>
  duration.replaceAll(/([\d.]+)(ms|s|m|h|d)/g, (_, amount, unit) => `${amount} ${durationUnits[unit]} `).trim();

const spanPhrase = (word: string, duration: string | undefined): string =>
  duration === undefined ? "" : ` ${word} ${spanText(duration)}`;

const degrees = new Set(["°", "%"]);
/** `86 °C`, `20%`; the text alone without a unit. */
export const withUnit = (text: string, unit: string | null | undefined): string =>
  unit ? `${text}${degrees.has(unit) ? "" : " "}${unit}` : text;

/** Three digits, and as many more as show on which side of every limit the value is. */
export function roundedText(value: number, limits: readonly number[]): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  const least = Math.max(3, Math.trunc(Math.abs(value)).toString().length);
  for (let digits = least; digits < 15; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (limits.every((limit) => Math.sign(rounded - limit) === Math.sign(value - limit))) return String(rounded);
  }
  return String(value);
}

type Bounds = Comparand | readonly (number | string)[];
const toLimits = (bounds: Bounds): number[] =>
  (typeof bounds === "object" ? bounds : [bounds]).map(Number).filter((limit) => !Number.isNaN(limit));

function elementText(element: JsonValue, limits: readonly number[]): string {
  const number = typeof element === "string" && element.trim() !== "" ? Number(element) : element;
  return typeof number === "number" && !Number.isNaN(number)
    ? roundedText(number, limits)
    : typeof element === "string"
      ? `"${valueText(element)}"`
      : valueText(element);
}

/** The one element of a list that is farthest beyond the limit; both ends where every element had to hold. */
function readingText(value: JsonValue, operator: Operator, bounds: Bounds, all: boolean): string {
  const limits = toLimits(bounds);
  if (!Array.isArray(value)) return elementText(value, limits);
  const numbers = value.map(Number).filter((each) => !Number.isNaN(each));
  if (numbers.length === 0 || numbers.length < value.length) return elementText(value[0] ?? null, limits);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (all && low !== high) return `${roundedText(low, limits)} to ${roundedText(high, limits)}`;
  return roundedText(operator === "lt" || operator === "lte" ? low : high, limits);
}

/** `motor temperature 86 °C (limit 80 °C for 10 s)` */
export function comparedSentence(
  condition: {
    field: string;
    field_mode?: FieldMode | undefined;
    operator: Operator;
    value: Bounds;
    window?: string | undefined;
  },
  seen: Seen,
): string {
  const { field, field_mode: mode, operator, value: bounds, window } = condition;
  const unit = mode === "count" ? null : seen.unit;
  const reading = withUnit(readingText(seen.value, operator, bounds, mode === "all"), unit);
  const name = subject(seen.topic, field, mode);
  const held = spanPhrase("for", window);
  if (operator === "eq") return `${name} is ${reading}${held}`;
  if (operator === "neq") return `${name} is ${reading}, not ${short(bounds as JsonValue)}${held}`;
  if (isRange(operator)) {
    const ends = (typeof bounds === "object" ? bounds : [bounds]).join(" to ");
    const word = operator === "between" ? "within" : "limits";
    return `${name} ${reading} (${word} ${withUnit(ends, unit)}${held})`;
  }
  return `${name} ${reading} (limit ${withUnit(String(bounds), unit)}${held})`;
}

/** `tank level rises 6.25 per second (limit 5 for 10 s)` */
export function changeSentence(
  condition: {
    field: string;
    field_mode?: FieldMode | undefined;
    value: Bounds;
    over?: string | undefined;
    window?: string | undefined;
  },
  seen: Seen,
): string {
  const { field, field_mode: mode, value: bounds, over, window } = condition;
  const name = subject(seen.topic, field, mode);
  const rate = Number(Array.isArray(seen.value) ? seen.value[0] : seen.value);
  const falls = rate < 0;
  const limits = toLimits(bounds).map((limit) => (falls ? -limit : limit));
  const size = withUnit(roundedText(Math.abs(rate), limits), seen.unit);
  const limit = limits.length === 0 ? String(bounds) : limits.join(" to ");
  const allowed = `limit ${withUnit(limit, seen.unit)}${spanPhrase("over", over)}${spanPhrase("for", window)}`;
  return `${name} ${falls ? "falls" : "rises"} ${size} per second (${allowed})`;
}

export const capitalized = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
