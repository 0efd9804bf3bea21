import { healthLimits, metricName } from "@/domain/health/limits";

/** Why a metric of a heartbeat is not kept, in words for whoever wrote the program that sends it. */
export const ignoredReasons = {
  deep: "Objects are kept to two levels inside each other.",
  list: "A list is not kept.",
  null: "There is no value.",
  text: `A text of more than ${healthLimits.textLength} characters is not kept.`,
  number: "The number is too large.",
  name: "A name has 1 to 64 letters, digits, dots, dashes and underscores.",
  twice: "Another metric of this heartbeat has this name.",
  heartbeat: `A heartbeat has at most ${healthLimits.perHeartbeat} metrics.`,
  device: `A device has at most ${healthLimits.perDevice} metrics.`,
  organization: `An organization has at most ${healthLimits.perOrganization.toLocaleString("en")} metrics.`,
  late: `The heartbeat is more than ${healthLimits.lateDays} days late.`,
} as const;

/** A metric that is not kept. */
export interface IgnoredMetric {
  name: string;
  reason: string;
}

/** A text or boolean, and the keys to it in the heartbeat's metrics. */
interface MetricState {
  path: string[];
  value: string | boolean;
}

/** The metrics of a heartbeat by name; `ignored` are those that cannot be kept, at most `healthLimits.ignored` of them. */
export interface FlatMetrics {
  numbers: Map<string, number>;
  states: Map<string, MetricState>;
  ignored: IgnoredMetric[];
}

const maxDepth = 3;
const noPath: readonly string[] = [];

/** Flattens the metrics of a heartbeat: `{disk: {free_gb: 12}}` is the metric `disk.free_gb`. Throws nothing. */
export function flattenMetrics(metrics: Readonly<Record<string, unknown>>): FlatMetrics {
  const flat: FlatMetrics = { numbers: new Map(), states: new Map(), ignored: [] };
  for (const key in metrics) if (Object.hasOwn(metrics, key)) visit(flat, noPath, key, key, metrics[key]);
  return flat;
}

/** Most metrics are numbers at the top: only what is nested needs the keys to it. */
function visit(flat: FlatMetrics, above: readonly string[], key: string, name: string, value: unknown): void {
  const { numbers, states } = flat;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const path = [...above, key];
    if (path.length === maxDepth) return ignore(flat, name, "deep");
    for (const [inner, below] of Object.entries(value)) visit(flat, path, inner, `${name}.${inner}`, below);
    return;
  }
  const refused = refuse(value);
  if (refused !== null) return ignore(flat, name, refused);
  if (!metricName.test(name)) return ignore(flat, name, "name");
  if (numbers.has(name) || states.has(name)) return ignore(flat, name, "twice");
  if (numbers.size + states.size === healthLimits.perHeartbeat) return ignore(flat, name, "heartbeat");
  if (typeof value === "number") numbers.set(name, value);
  else if (typeof value === "string" || typeof value === "boolean") states.set(name, { path: [...above, key], value });
}

function ignore({ ignored }: FlatMetrics, name: string, reason: keyof typeof ignoredReasons): void {
  if (ignored.length < healthLimits.ignored) ignored.push({ name: name.slice(0, 100), reason: ignoredReasons[reason] });
}

function refuse(value: unknown): "null" | "list" | "number" | "text" | null {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isFinite(value) ? null : "number";
  return typeof value === "string" && value.length > healthLimits.textLength ? "text" : null;
}
