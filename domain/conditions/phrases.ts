import type { JsonValue } from "@/domain/conditions/evidence";
import { isRange, getSymbol, type Comparand, type FieldMode, type Operator } from "@/domain/conditions/operators";

/** Phrases of the descriptions of conditions. */

const plain = (value: Comparand) =>
  typeof value === "string" && !/^[+-]?[\d.]/.test(value) ? `"${value}"` : String(value);

/** `> 80`, `between 1 and 2`, `== "ERROR"`. */
export function comparison(operator: Operator, value: Comparand | readonly (number | string)[]): string {
  if (isRange(operator)) {
    const [low, high] = Array.isArray(value) ? (value as readonly (number | string)[]) : [];
    return operator === "between" ? `between ${low} and ${high}` : `outside ${low} to ${high}`;
  }
  return `${getSymbol(operator)} ${typeof value === "object" ? value.join(", ") : plain(value)}`;
}

const modePhrases: Record<FieldMode, string> = {
  any: "",
  all: "all of ",
  min: "min of ",
  max: "max of ",
  mean: "mean of ",
  count: "count of ",
};

/** `effort`, `max of effort[:]`. */
export const fieldPhrase = (mode: FieldMode | undefined, field: string): string => modePhrases[mode ?? "any"] + field;

/** ` for 10s`; nothing without a duration. */
export const durationPhrase = (phrase: string, duration: string | null | undefined): string =>
  duration ? ` ${phrase} ${duration}` : "";

/** ` until < 75`; nothing without a condition to recover by. */
export const until = (recover: { operator: Operator; value: Comparand | (number | string)[] } | undefined): string =>
  recover ? ` until ${comparison(recover.operator, recover.value)}` : "";

/** A value within a sentence: numbers to six digits, text in quotation marks. */
export function short(value: JsonValue): string {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return typeof value === "string" ? plain(value) : JSON.stringify(value);
}

const maxText = 120;
const maxElements = 6;

/** A value on a separate line; long ones are cut. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  if (Array.isArray(value)) {
    const shown = value.slice(0, maxElements).map(valueText).join(", ");
    return `[${shown}${value.length > maxElements ? ", …" : ""}]`;
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text;
}

/** What evidence was compared with: one value, or the two ends of a range. */
export const thresholdText = (threshold: JsonValue): string =>
  Array.isArray(threshold) ? threshold.map(valueText).join(" and ") : valueText(threshold);
