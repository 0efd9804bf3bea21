import type { DatasetUses } from "@/domain/datasets/schema";
import { runStatuses } from "@/domain/models/schema";
import { accesses } from "@/domain/organizations/assignment";
import { projectStatuses, taskTypes } from "@/domain/projects/schema";
import { getDatasetByUid } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const projectRow = {
  uid: text,
  name: text,
  task_type: oneOf(taskTypes),
  status: oneOf(projectStatuses),
  access: oneOf(accesses),
  task_count: int4,
  completed_count: int4,
  accepted_count: int4,
  rejected_count: int4,
  skipped_count: int4,
  updated_at: timestamptz,
};
/** A project that annotates a dataset. Its counts are of all its datasets. */
export type DatasetProject = Wire<typeof projectRow>;

/** The projects that annotate a dataset and that the caller sees, newest first. Throws `not_found`. */
export async function listDatasetProjects(ctx: Ctx, input: DatasetUses): Promise<Page<DatasetProject>> {
  const { dataset, limit, cursor } = input;
  await getDatasetByUid(ctx, dataset);
  return keysetPage<DatasetProject>(ctx, {
    name: "dataset-projects",
    filters: { dataset },
    page: { limit, cursor },
    order: { columns: ["p.uid"], direction: "desc" },
    key: ({ uid }) => [uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        projectRow,
        Prisma.sql`select p.uid, p.name, p.task_type, p.status, p.access, p.task_count, p.completed_count, p.accepted_count,
            p.rejected_count, p.skipped_count, p.updated_at
          from annotated_datasets d join projects p on p.uid = d.project_id
          where d.dataset_id = ${dataset} and p.organization_id = ${ctx.organizationId}
            and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} and ${where}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}

const runRow = {
  uid: text,
  model_name: text,
  integration_name: text,
  status: oneOf(runStatuses),
  /** Null until it starts. */
  total_count: nullable(int4),
  done_count: int4,
  /** Predictions that stuck out of their pictures. */
  clipped_count: int4,
  error_message: nullable(text),
  /** The person or the rule that started it. */
  started_by: nullable(text),
  created_at: timestamptz,
  completed_at: nullable(timestamptz),
};
/** A run of a model over a dataset. */
export type DatasetRun = Wire<typeof runRow>;

/** The runs of models over a dataset, newest first. Throws `not_found`. */
export async function listDatasetRuns(ctx: Ctx, input: DatasetUses): Promise<Page<DatasetRun>> {
  const { dataset, limit, cursor } = input;
  await getDatasetByUid(ctx, dataset);
  return keysetPage<DatasetRun>(ctx, {
    name: "dataset-runs",
    filters: { dataset },
    page: { limit, cursor },
    order: { columns: ["r.uid"], direction: "desc" },
    key: ({ uid }) => [uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        runRow,
        Prisma.sql`select r.uid, m.name as model_name, n.name as integration_name, r.status, r.total_count, r.done_count, r.clipped_count,
            r.error_message, coalesce(rule.name, u.username) as started_by, r.created_at, r.completed_at
          from model_runs r join model_integrations n on n.uid = r.integration_id join models m on m.uid = n.model_id
            left join rules rule on rule.uid = r.rule_id and rule.organization_id = r.organization_id
            left join users u on u.uid = r.created_by_id
          where r.dataset_id = ${dataset} and r.organization_id = ${ctx.organizationId} and ${where}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}
