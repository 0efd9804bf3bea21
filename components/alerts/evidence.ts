import type { LeafEvidence } from "@/domain/conditions/evidence";

const operators: Readonly<Record<string, string>> = {
  gt: ">",
  gte: "≥",
  lt: "<",
  lte: "≤",
  eq: "=",
  neq: "≠",
  ne: "≠",
  contains: "contains",
};

const operatorText = (operator: string | null): string => (operator === null ? "" : (operators[operator] ?? operator));

/** A value as it stands in a line; long ones are cut. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  if (Array.isArray(value)) {
    const shown = value.slice(0, 6).map(valueText).join(", ");
    return `[${shown}${value.length > 6 ? ", …" : ""}]`;
  }
  const whole = typeof value === "string" ? value : JSON.stringify(value);
  return whole.length > 120 ? `${whole.slice(0, 119)}…` : whole;
}

/** A condition in words: `value > 80 for 10s`, `more than 3 messages in 1m`, `silent for 5s`. */
export function leafWords(leaf: LeafEvidence): string {
  const { threshold: asked } = leaf;
  // `between` and `outside` ask for a range.
  const threshold = Array.isArray(asked) ? asked.map(valueText).join(" and ") : valueText(asked);
  switch (leaf.type) {
    case "threshold":
      return `${operatorText(leaf.operator)} ${threshold}${leaf.window ? ` for ${leaf.window}` : ""}`;
    case "pattern":
      return `matches ${threshold}`;
    case "frequency":
      return `${operatorText(leaf.operator)} ${threshold} messages in ${leaf.window ?? ""}`;
    case "absence":
      return `silent for ${threshold}`;
  }
}

/** What its value is: of the field, a count of messages, seconds of silence. */
export const valueUnit = ({ type }: LeafEvidence): string =>
  type === "frequency" ? "messages" : type === "absence" ? "s" : "";

/** The field's path as links and plots name it: `/motor/temp.data.value`. */
export const plotPath = ({ topic, field }: Pick<LeafEvidence, "topic" | "field">): string =>
  field === null ? topic : `${topic}.${field}`;

const holdsFor: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  gt: (value, threshold) => value > threshold,
  gte: (value, threshold) => value >= threshold,
  lt: (value, threshold) => value < threshold,
  lte: (value, threshold) => value <= threshold,
};

/**
 * The one field of a leaf that can be drawn over time. Of a rule over every element (`effort[:]`) it is the first
 * element that made it fire; null where that cannot be told.
 */
export function drawnField({ field, value, operator, threshold }: LeafEvidence): string | null {
  if (field === null || !field.includes("[:]")) return field;
  if (!Array.isArray(value) || field.split("[:]").length > 2) return null;
  const test = holdsFor[operator ?? ""];
  const at = value.findIndex(
    (each) => typeof each === "number" && typeof threshold === "number" && test?.(each, threshold),
  );
  return field.replace("[:]", `[${Math.max(0, at)}]`);
}
