import {
  getRetentionDays,
  retentionKinds,
  type RetentionKind,
  type RetentionSettings,
} from "@/domain/organizations/retention";
import {
  finishedRecordings,
  older,
  recordingsWithEvents,
  resolvedAlerts,
} from "@/server/features/retention/organization-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import type { OperatorRetention } from "@/server/platform/operator-retention";
import { float8, int4, jsonbObject, nullable, timestamptz } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";
import { withinMs } from "@/server/read-models/items/count";

/** The last run of the daily job for an organization, and what the operator has deleted in every one. */
export interface RetentionState {
  /** Null before the first; `finished_at` is null while it runs. */
  last: {
    started_at: string;
    finished_at: string | null;
    freed: Partial<Record<RetentionKind | "bytes", number>>;
  } | null;
  operator: OperatorRetention;
}

export async function getRetentionState(ctx: Ctx): Promise<RetentionState> {
  const [row] = await query(
    ctx,
    { started_at: timestamptz, finished_at: nullable(timestamptz), freed: jsonbObject },
    Prisma.sql`select started_at, finished_at, freed from retention_runs where organization_id = ${ctx.organizationId}`,
  );
  const last = row && {
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    freed: row.freed as NonNullable<RetentionState["last"]>["freed"],
  };
  return { last: last ?? null, operator: env.RETENTION };
}

/** Counting ends here: "more than 100,000" is enough for a decision. */
const maxCount = 100_000;
const countMs = 1_800;

export interface DeletionCount {
  kind: RetentionKind;
  count: number;
  /** Whether there are more than were counted. */
  more: boolean;
  /** Bytes of the recordings counted. */
  bytes: number;
}

/** The rows of a kind that would be deleted, with their size in bytes. */
function rowsToDelete(kind: RetentionKind, organizationId: string, before: Date): Prisma.Sql {
  const none = Prisma.sql`select 0::float8 as bytes`;
  switch (kind) {
    case "recordings":
      return Prisma.sql`select t.size_bytes::float8 as bytes from recordings t
        where ${older("recording", organizationId, before)} and ${finishedRecordings(before)}`;
    case "events":
      return Prisma.sql`${none} from recordings t join events e on e.recording_id = t.uid
        where ${older("recording", organizationId, before)} and ${recordingsWithEvents}
          and e.uid < ${uidFloor("event", before.getTime())} and e.created_at < ${before}`;
    case "alerts":
      return Prisma.sql`${none} from alerts t
        where ${older("alert", organizationId, before)} and ${resolvedAlerts(before)}`;
    case "audit":
      return Prisma.sql`${none} from audit_entries t
        where ${older(null, organizationId, before)} and t.created_at < ${before}`;
  }
}

/** What the next run would delete by these settings, by kind with days. Null when counting took too long. */
export async function countDeletions(
  ctx: Ctx,
  settings: RetentionSettings,
  { ms = countMs, max = maxCount } = {},
): Promise<DeletionCount[] | null> {
  return withinMs(ctx, ms, async (tx, limit) => {
    const counts: DeletionCount[] = [];
    for (const kind of retentionKinds) {
      const days = getRetentionDays(settings, kind);
      if (days === null) continue;
      await limit();
      const [time] = await query(
        tx,
        { before: timestamptz },
        Prisma.sql`select (now() - make_interval(days => ${days}::int))::timestamptz(3) as before`,
      );
      if (!time) continue;
      const [row] = await query(
        tx,
        { count: int4, bytes: float8 },
        Prisma.sql`select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes
          from (${rowsToDelete(kind, tx.organizationId, time.before)} limit ${max + 1}::int) r`,
      );
      const found = row?.count ?? 0;
      counts.push({ kind, count: Math.min(found, max), more: found > max, bytes: row?.bytes ?? 0 });
    }
    return counts;
  });
}
