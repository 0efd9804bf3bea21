import { runStatuses, type RunListFilters } from "@/domain/models/schema";
import { isRunVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { bool, float8, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const timedPredictions = 1_000;

const runRow = {
  uid: text,
  model_uid: text,
  model_name: text,
  integration_uid: text,
  integration_name: text,
  dataset_uid: text,
  /** Null once the dataset was deleted. */
  dataset_name: nullable(text),
  dataset_owner: nullable(text),
  dataset_slug: nullable(text),
  /** Items that were chosen; null for all of the dataset. */
  chosen_count: nullable(int4),
  status: oneOf(runStatuses),
  /** Null until it starts. */
  total_count: nullable(int4),
  done_count: int4,
  failed_count: int4,
  /** Predictions that stuck out of their pictures. */
  clipped_count: int4,
  /** Half of its items took at most so long; null without any. */
  p50_ms: nullable(float8),
  error_message: nullable(text),
  /** The person or the rule that started it. */
  started_by: nullable(text),
  is_by_rule: bool,
  created_by_uid: nullable(text),
  created_at: timestamptz,
  completed_at: nullable(timestamptz),
};
/** A run of a model, with what it was over. */
export type RunOverview = Wire<typeof runRow>;

const columns = Prisma.sql`r.uid, n.model_id as model_uid, m.name as model_name, n.uid as integration_uid, n.name as integration_name,
  r.dataset_id as dataset_uid, d.name as dataset_name, o.slug as dataset_owner, d.slug as dataset_slug,
  nullif(cardinality(r.item_ids), 0) as chosen_count, r.status, r.total_count, r.done_count, r.failed_count, r.clipped_count,
  (select percentile_cont(0.5) within group (order by p.ms)
    from (select p.ms from model_predictions p where p.run_id = r.uid limit ${timedPredictions}::int) p) as p50_ms,
  r.error_message, coalesce(rule.name, u.username) as started_by, r.rule_id is not null as is_by_rule,
  r.created_by_id as created_by_uid, r.created_at, r.completed_at`;
const beside = Prisma.sql`join model_integrations n on n.uid = r.integration_id join models m on m.uid = n.model_id
  join organizations o on o.uid = r.organization_id
  left join datasets d on d.uid = r.dataset_id and d.organization_id = r.organization_id
  left join rules rule on rule.uid = r.rule_id and rule.organization_id = r.organization_id
  left join users u on u.uid = r.created_by_id`;
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`r.organization_id = ${ctx.organizationId} and ${isRunVisible(ctx)}`;

/** Runs of models over data that the caller sees, newest first; of a model, over the data of a project, and in any of these states. */
export const listRunOverviews = (ctx: Ctx, filters: RunListFilters): Promise<Page<RunOverview>> => {
  const { model, project, status, limit, cursor } = filters;
  return keysetPage<RunOverview>(ctx, {
    name: "run-overviews",
    filters: { model, project, status },
    page: { limit, cursor },
    order: { columns: ["r.uid"], direction: "desc" },
    key: ({ uid }) => [uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        runRow,
        Prisma.sql`select ${columns} from model_runs r ${beside} where ${visible(ctx)} and ${where}
          ${model ? Prisma.sql`and r.integration_id in (select i.uid from model_integrations i where i.model_id = ${model})` : Prisma.empty}
          ${project ? Prisma.sql`and r.dataset_id in (select a.dataset_id from annotated_datasets a where a.project_id = ${project})` : Prisma.empty}
          ${status ? Prisma.sql`and r.status = any(${status})` : Prisma.empty}
          order by ${orderBy} limit ${rows}`,
      ),
  });
};

/** One run. Throws `not_found`. */
export async function getRunOverview(ctx: Ctx, uid: string): Promise<RunOverview> {
  const [row] = await query(
    ctx,
    runRow,
    Prisma.sql`select ${columns} from model_runs r ${beside} where r.uid = ${uid} and ${visible(ctx)}`,
  );
  if (!row) throw notFound();
  const { created_at: created, completed_at: completed } = row;
  return { ...row, created_at: created.toISOString(), completed_at: completed?.toISOString() ?? null };
}
