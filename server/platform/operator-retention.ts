import { z } from "zod";

/** What heartbeats say, in tables with parts by time. */
export const metricKinds = ["metrics_raw", "metrics_5m", "metrics_1h"] as const;
export type MetricKind = (typeof metricKinds)[number];

/** What accumulates in every organization and is deleted after some days. */
export const operatorKinds = [
  "deliveries",
  "executions",
  "evaluations",
  "device_status",
  "notifications",
  ...metricKinds,
] as const;
export type OperatorKind = (typeof operatorKinds)[number];
/** Days by kind; null: never. */
export type OperatorRetention = Readonly<Record<OperatorKind, number | null>>;

export const defaultRetention: OperatorRetention = {
  deliveries: 30,
  executions: 90,
  evaluations: 180,
  device_status: 180,
  notifications: 90,
  metrics_raw: 3,
  metrics_5m: 30,
  metrics_1h: 400,
};

const isKind = (name: string): name is OperatorKind => operatorKinds.some((kind) => kind === name);
const maxDays = 36_500;

/** A list such as `deliveries=30,executions=keep`; kinds that it does not name retain their defaults. */
export const retentionList = z.string().transform((value, context): OperatorRetention => {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  const chosen: Record<OperatorKind, number | null> = { ...defaultRetention };
  for (const part of value.split(",").map((each) => each.trim())) {
    const [, name = "", days = ""] = /^(\w+)\s*=\s*(\w+)$/.exec(part) ?? [];
    if (!isKind(name)) refuse(`"${part}" does not name one of ${operatorKinds.join(", ")} and its days`);
    else if (days === "keep" || days === "0") chosen[name] = null;
    else if (/^\d{1,5}$/.test(days) && Number(days) <= maxDays) chosen[name] = Number(days);
    else refuse(`"${name}" must have a number of days up to ${maxDays}, or keep`);
  }
  return chosen;
});
