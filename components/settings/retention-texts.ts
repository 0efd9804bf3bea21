import { formatBytes, plural } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";
import {
  daysMember,
  maxRetentionDays,
  minRetentionDays,
  type RetentionKind,
  type RetentionSettings,
} from "@/domain/organizations/retention";

type DeletionCount = NonNullable<Outputs["organizations"]["countDeletions"]>[number];
type Operator = Outputs["organizations"]["retention"]["operator"];

const nouns: Record<RetentionKind, readonly [string, string]> = {
  recordings: ["recording", "recordings"],
  events: ["event", "events"],
  alerts: ["resolved alert", "resolved alerts"],
  audit: ["audit entry", "audit entries"],
};

export const retentionLabels: Record<RetentionKind, string> = {
  recordings: "Recordings",
  events: "Events",
  alerts: "Resolved alerts",
  audit: "Audit log",
};

/** `1,204 recordings (1.2 GB), 3 events`. */
const describe = (counts: readonly DeletionCount[]): string =>
  counts
    .filter(({ count }) => count > 0)
    .map(({ kind, count, more, bytes }) => {
      const size = bytes > 0 && !more ? ` (${formatBytes(bytes)})` : "";
      return `${more ? "more than " : ""}${plural(count, ...nouns[kind])}${size}`;
    })
    .join(", ");

/** What the next run would delete; null: counting took too long. */
export function describeDeletions(counts: readonly DeletionCount[] | null): string {
  if (counts === null) return "There are too many to count in two seconds: the next run deletes what is older.";
  const text = describe(counts);
  return text === "" ? "The next run deletes nothing by it." : `The next run deletes ${text}. That cannot be undone.`;
}

/** What the last run freed. */
export function describeFreed(freed: Partial<Record<RetentionKind | "bytes", number>>): string {
  const kinds = Object.keys(nouns) as RetentionKind[];
  const bytes = freed.bytes ?? 0;
  const counts = kinds.map((kind) => ({ kind, count: freed[kind] ?? 0, more: false, bytes: 0 }));
  const text = describe(counts);
  if (text === "") return "nothing was old enough";
  return `deleted ${text}${bytes > 0 ? `, ${formatBytes(bytes)} of files` : ""}`;
}

const operatorNouns: Record<keyof Operator, string> = {
  deliveries: "deliveries of webhooks",
  executions: "executions of agents",
  evaluations: "evaluations of rules",
  device_status: "changes of devices' status",
  notifications: "messages of channels",
  metrics_raw: "each number of heartbeats",
  metrics_5m: "heartbeats by five minutes",
  metrics_1h: "heartbeats by the hour",
};

/** What the operator of the installation has deleted in every organization. */
export function describeOperator(operator: Operator): string {
  const kinds = Object.keys(operatorNouns) as (keyof Operator)[];
  const parts = kinds.flatMap((kind) => {
    const days = operator[kind];
    return days === null ? [] : [`${operatorNouns[kind]} after ${plural(days, "day")}`];
  });
  return parts.length === 0 ? "" : `The operator of this installation deletes for everybody: ${parts.join(", ")}.`;
}

/** Typed days: null for none, undefined while they are wrong. */
export function parseDays(kind: RetentionKind, typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  const days = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return days >= minRetentionDays[kind] && days <= maxRetentionDays ? days : undefined;
}

export const daysError = (kind: RetentionKind): string =>
  `Enter a number of days from ${minRetentionDays[kind]} to 3,650.`;

/** The members that differ. */
export function changedDays(
  before: RetentionSettings,
  parsed: Readonly<Record<RetentionKind, number | null | undefined>>,
): RetentionSettings {
  const changed: RetentionSettings = {};
  for (const [kind, days] of Object.entries(parsed) as [RetentionKind, number | null | undefined][]) {
    const member = daysMember(kind);
    if (days !== undefined && days !== (before[member] ?? null)) changed[member] = days;
  }
  return changed;
}
