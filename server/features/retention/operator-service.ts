import { type Child, type Deletion, deleteInBatches } from "@/server/features/retention/batch-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import type { JobRun } from "@/server/platform/jobs/handler";
import {
  metricKinds,
  operatorKinds,
  type MetricKind,
  type OperatorKind,
  type OperatorRetention,
} from "@/server/platform/operator-retention";
import { text, timestamptz } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

/** The time of the database so many days ago: the clock of one process must not decide what is deleted. */
async function timeDaysAgo(days: number): Promise<Date> {
  const [row] = await query(
    { db: prisma },
    { at: timestamptz },
    Prisma.sql`select (now() - make_interval(days => ${days}::int))::timestamptz(3) as at`,
  );
  if (!row) throw new Error("the database has no time");
  return row.at;
}

const childrenBy = (table: string, column: string): Child => ({
  table,
  where: (keys) => Prisma.sql`c.${Prisma.raw(column)} = any(${keys}::text[])`,
});

/** Rows created before a time, in the order of their creation. */
const olderThan = (
  before: Date,
  table: string,
  ready: Prisma.Sql,
  { children = [], time = "created_at" }: { children?: Child[]; time?: "created_at" | "at" } = {},
): Deletion => ({
  table,
  key: "uid",
  where: Prisma.sql`t.uid < ${uidFloor(null, before.getTime())}`,
  by: "key",
  ready: Prisma.sql`t.${Prisma.raw(time)} < ${before} and ${ready}`,
  children,
});

const ofRule = (ruleId: string, before: Date): Deletion => ({
  table: "rule_evaluations",
  key: "recording_id",
  where: Prisma.sql`t.rule_id = ${ruleId} and t.evaluated_at < ${before}`,
  by: { oldest: Prisma.sql`t.evaluated_at` },
  ready: Prisma.sql`true`,
  children: [
    {
      table: "rule_hits",
      where: (keys) => Prisma.sql`c.rule_id = ${ruleId} and c.recording_id = any(${keys}::text[])`,
    },
  ],
});

/** By rule, because an index has the evaluations of each in the order of their age. */
async function deleteEvaluations(run: JobRun, before: Date): Promise<number> {
  let total = 0;
  for (let after = ""; ;) {
    const rules = await query(
      { db: prisma },
      { uid: text },
      Prisma.sql`select uid from rules where uid > ${after} order by uid limit 1000`,
    );
    for (const { uid } of rules) total += await deleteInBatches(run, async () => ofRule(uid, before));
    const last = rules.at(-1);
    if (!last) return total;
    after = last.uid;
  }
}

// The last change of a device before the time stays: it is the device's status at the beginning of what is left.
const supersededBefore = (before: Date) => Prisma.sql`exists (
  select 1 from device_status_changes n where n.device_id = t.device_id and n.at > t.at and n.at < ${before})`;

/** Kinds whose rows are deleted one by one; those of metrics go with their parts, every hour. */
type RowKind = Exclude<OperatorKind, MetricKind>;
const isRowKind = (kind: OperatorKind): kind is RowKind => !metricKinds.some((other) => other === kind);

const deletions: Record<RowKind, (before: Date) => Deletion[]> = {
  deliveries: (before) => [
    olderThan(before, "webhook_deliveries", Prisma.sql`t.status <> 'pending'`, {
      children: [childrenBy("webhook_attempts", "delivery_id")],
    }),
    olderThan(before, "webhook_replays", Prisma.sql`t.status <> 'running'`),
  ],
  executions: (before) => [
    olderThan(before, "agent_executions", Prisma.sql`t.completed_at is not null`, {
      children: [childrenBy("agent_attempts", "execution_id")],
    }),
  ],
  // Previews, rules applied to past recordings, and evaluations that found nothing.
  evaluations: (before) => [
    olderThan(before, "rule_runs", Prisma.sql`t.finished_at is not null`),
    {
      table: "quiet_evaluations",
      key: "recording_id",
      // Nothing is evaluated before it was created.
      where: Prisma.sql`t.recording_id < ${uidFloor("recording", before.getTime())}`,
      by: "key",
      ready: Prisma.sql`t.evaluated_at < ${before}`,
      children: [],
    },
  ],
  device_status: (before) => [olderThan(before, "device_status_changes", supersededBefore(before), { time: "at" })],
  notifications: (before) => [
    olderThan(before, "notifications", Prisma.sql`t.status <> 'pending'`, {
      children: [childrenBy("notification_attempts", "notification_id")],
    }),
  ],
};

/** Deletes what is older than the operator allows, in every organization. Resolves to the number of rows by kind. */
export async function applyOperatorRetention(
  run: JobRun,
  retention: OperatorRetention = env.RETENTION,
): Promise<Partial<Record<RowKind, number>>> {
  const freed: Partial<Record<RowKind, number>> = {};
  for (const kind of operatorKinds.filter(isRowKind)) {
    const days = retention[kind];
    if (days === null) continue;
    const before = await timeDaysAgo(days);
    let rows = kind === "evaluations" ? await deleteEvaluations(run, before) : 0;
    for (const deletion of deletions[kind](before)) rows += await deleteInBatches(run, async () => deletion);
    if (rows > 0) freed[kind] = rows;
  }
  return freed;
}
