import { z } from "zod";
import { runStatuses, type ModelListFilters } from "@/domain/models/schema";
import { isRunVisible } from "@/server/features/membership/assignment-queries";
import { listIntegrations } from "@/server/features/models/integration-service";
import type { IntegrationResource, ModelResource } from "@/server/features/models/resource";
import { getModel, visibleModel } from "@/server/features/models/service";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { bool, float8, int4, json, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

const daysMs = 7 * 24 * 3_600_000;
/** The newest predictions of its last run of which a model's usual time is taken. */
const timedPredictions = 1_000;
/** The most integrations of a model that its row and its page show. */
const shownIntegrations = 100;

const modelRow = {
  uid: text,
  name: text,
  description: text,
  model_type_name: text,
  is_public: bool,
  /** The providers of its integrations, of each one. */
  providers: json(z.array(z.string())),
  /** How many are not paused. */
  active_count: int4,
  last_run_uid: nullable(text),
  last_run_status: nullable(oneOf(runStatuses)),
  last_run_at: nullable(timestamptz),
  last_run_error: nullable(text),
  /** Half of the newest items of its last run took at most so long; null without any. */
  p50_ms: nullable(float8),
  /** Items that failed in runs of seven days. */
  failed_count: int4,
};
/** A model with how it did, in runs that the caller sees. */
export type ModelOverview = Wire<typeof modelRow>;

const fromRuns = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`model_runs r where r.organization_id = ${ctx.organizationId} and ${isRunVisible(ctx)}
    and r.integration_id in (select n.uid from model_integrations n where n.model_id = m.uid)`;

/** The models that the organization may use, newest first, with how they did. */
export async function listModelOverviews(ctx: Ctx, filters: ModelListFilters): Promise<Page<ModelOverview>> {
  const { search, limit, cursor } = filters;
  const pattern = `%${likeText(search?.trim() ?? "")}%`;
  const since = uidFloor(null, databaseMs() - daysMs);
  return keysetPage<ModelOverview>(ctx, {
    name: "model-overviews",
    filters: { search },
    page: { limit, cursor },
    order: { columns: ["m.uid"], direction: "desc" },
    key: ({ uid }) => [uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        modelRow,
        Prisma.sql`select m.uid, m.name, m.description, m.model_type_name, m.is_public, made.providers, made.active_count,
            last.uid as last_run_uid, last.status as last_run_status, last.created_at as last_run_at,
            last.error_message as last_run_error, pace.p50_ms, week.failed_count
          from (select * from models m where ${visibleModel(ctx)} and ${where}
            ${search ? Prisma.sql`and (m.name ilike ${pattern} or m.model_type_name ilike ${pattern})` : Prisma.empty}
            order by ${orderBy} limit ${rows}) m
          cross join lateral (
            select coalesce(json_agg(distinct n.provider), '[]') as providers, count(*) filter (where n.is_active)::int as active_count
            from model_integrations n where n.model_id = m.uid) made
          left join lateral (
            select r.uid, r.status, r.created_at, r.error_message from ${fromRuns(ctx)} order by r.uid desc limit 1) last on true
          cross join lateral (
            select percentile_cont(0.5) within group (order by p.ms) as p50_ms
            from (select p.ms from model_predictions p where p.run_id = last.uid limit ${timedPredictions}::int) p) pace
          cross join lateral (
            select coalesce(sum(r.failed_count), 0)::int as failed_count from ${fromRuns(ctx)} and r.uid >= ${since}) week
          order by ${orderBy}`,
      ),
  });
}

/** A model with its integrations, also those that are paused. */
export interface ModelPage extends ModelResource {
  integrations: IntegrationResource[];
  /** Whether the caller may change it, apart from their role: public models are changed by staff alone. */
  is_own: boolean;
}

/** Throws `not_found`. */
export async function getModelPage(ctx: Ctx, uid: string): Promise<ModelPage> {
  const model = await getModel(ctx, uid);
  const { results } = await listIntegrations(ctx, uid, { limit: shownIntegrations }, "all");
  return { ...model, integrations: results, is_own: !model.is_public || ctx.permissions.staff };
}
