import type { AlertDetail } from "./query";

/** One condition of the rule at the instant it fired. Times are decimal strings of nanoseconds. */
export interface Leaf {
  path: string;
  type: "threshold" | "pattern" | "frequency" | "absence";
  topic: string;
  field: string | null;
  holds: boolean;
  value: unknown;
  value_at: string | null;
  operator: string | null;
  threshold: unknown;
  window: string | null;
}

export type Evidence =
  | { kind: "rule"; leaves: readonly Leaf[]; window: string | null; suppressed: number; storm: boolean }
  | { kind: "heartbeat"; lastSeenAt: string; afterSeconds: number }
  | { kind: "test" }
  | { kind: "other"; values: Readonly<Record<string, unknown>> };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

function readLeaf(value: unknown): Leaf[] {
  if (!isRecord(value) || typeof value.topic !== "string") return [];
  const type =
    value.type === "pattern" || value.type === "frequency" || value.type === "absence" ? value.type : "threshold";
  return [
    {
      path: text(value.path) ?? "",
      type,
      topic: value.topic,
      field: text(value.field),
      holds: value.holds === true,
      value: value.value,
      value_at: text(value.value_at),
      operator: text(value.operator),
      threshold: value.threshold,
      window: text(value.window),
    },
  ];
}

/** What was found, read out of the alert's free form. */
export function readEvidence(evidence: AlertDetail["evidence"]): Evidence {
  const { kind, leaves, last_seen_at: seen, offline_after_seconds: after } = evidence;
  if (kind === "test") return { kind };
  if (kind === "heartbeat" && typeof seen === "string") return { kind, lastSeenAt: seen, afterSeconds: Number(after) };
  if (Array.isArray(leaves)) {
    return {
      kind: "rule",
      leaves: leaves.flatMap(readLeaf),
      window: text(evidence.window),
      suppressed: Number(evidence.suppressed ?? 0),
      storm: evidence.storm === true,
    };
  }
  return { kind: "other", values: evidence };
}

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
export function leafWords(leaf: Leaf): string {
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
export const valueUnit = ({ type }: Leaf): string =>
  type === "frequency" ? "messages" : type === "absence" ? "s" : "";

const unitNs: Readonly<Record<string, bigint>> = {
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
};

/** Nanoseconds of a window such as `10s` or `1m30s`; 0 for none. */
export function windowNs(window: string | null): bigint {
  let total = 0n;
  for (const [, amount = "0", unit = ""] of (window ?? "").matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += (BigInt(Math.round(Number(amount) * 1_000)) * (unitNs[unit] ?? 0n)) / 1_000n;
  }
  return total;
}

/** The field's path as links and plots name it: `/motor/temp.data.value`. */
export const plotPath = ({ topic, field }: Pick<Leaf, "topic" | "field">): string =>
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
export function drawnField({ field, value, operator, threshold }: Leaf): string | null {
  if (field === null || !field.includes("[:]")) return field;
  if (!Array.isArray(value) || field.split("[:]").length > 2) return null;
  const test = holdsFor[operator ?? ""];
  const at = value.findIndex(
    (each) => typeof each === "number" && typeof threshold === "number" && test?.(each, threshold),
  );
  return field.replace("[:]", `[${Math.max(0, at)}]`);
}
