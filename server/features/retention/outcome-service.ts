import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";
import { float8, int4, nullable } from "@/server/platform/rows";

const maxError = 500;

/** Of the operator's retention with `organizationId` null. A run of an organization notes itself that it has finished. */
async function noteSuccess(organizationId: string | null): Promise<void> {
  await execute(
    { db: prisma },
    organizationId === null
      ? Prisma.sql`insert into operator_retention (finished_at) values (now())
          on conflict (single) do update set finished_at = excluded.finished_at, failed_at = null, error = null`
      : Prisma.sql`update retention_runs set failed_at = null, error = null
          where organization_id = ${organizationId} and failed_at is not null`,
  );
}

async function noteFailure(organizationId: string | null, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll("\0", "").slice(0, maxError);
  await execute(
    { db: prisma },
    organizationId === null
      ? Prisma.sql`insert into operator_retention (failed_at, error) values (now(), ${reason})
          on conflict (single) do update set failed_at = excluded.failed_at, error = excluded.error`
      : Prisma.sql`update retention_runs set failed_at = now(), error = ${reason}
          where organization_id = ${organizationId}`,
  );
}

/** Runs a deletion by retention, and notes how it ended for those who watch it; not when it is only interrupted. */
export async function notingOutcome<T>(
  organizationId: string | null,
  { signal, log }: Pick<JobRun, "signal" | "log">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work();
    await noteSuccess(organizationId);
    return result;
  } catch (error) {
    if (!signal.aborted) {
      await noteFailure(organizationId, error).catch((other: unknown) =>
        log.warn({ err: other }, "the failure of a deletion by retention could not be noted"),
      );
    }
    throw error;
  }
}

const outcomes = { finished: nullable(float8), failing: int4 };

/** When deletion last came to its end in seconds since 1970 (the oldest of all organizations), and how many failed. */
export async function readOutcomes() {
  const [[operator], [organizations]] = await Promise.all([
    query(
      { db: prisma },
      outcomes,
      Prisma.sql`select extract(epoch from min(finished_at))::float8 as finished, count(failed_at)::int as failing
        from operator_retention`,
    ),
    query(
      { db: prisma },
      outcomes,
      Prisma.sql`select extract(epoch from min(coalesce(r.finished_at, r.started_at)))::float8 as finished,
          count(r.failed_at)::int as failing
        from retention_runs r join organizations o on o.uid = r.organization_id
        where o.deletes_at is null and jsonb_path_exists(o.settings, '$.retention.* ? (@ != null)')`,
    ),
  ]);
  return { operator, organizations };
}

async function read(): Promise<void> {
  for (const [scope, row] of Object.entries((await resultInTime(readOutcomes)) ?? {})) {
    if (row?.finished == null) metrics.retentionSuccess.remove({ scope });
    else metrics.retentionSuccess.set({ scope }, row.finished);
    metrics.retentionFailing.set({ scope }, row?.failing ?? 0);
  }
}

/** Adds when deletion by retention last came to its end, and whose failed, to the metrics of this process. */
export const observeRetention = (): void => onScrape("retention", cachedReader(read, 60_000));
