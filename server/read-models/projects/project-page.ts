import { z } from "zod";
import { visibilities } from "@/domain/datasets/schema";
import { completeLabels, type Label, StoredLabel } from "@/domain/projects/label-schema";
import { projectStatuses, reviewModes } from "@/domain/projects/schema";
import type { OfProject } from "@/domain/projects/screen-schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { getProject } from "@/server/features/projects/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { bool, int4, jsonb, nullable, oneOf, text, timestamptz, type Native, type Wire } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";
import {
  overviewColumns,
  overviewRow,
  overviewTables,
  visible,
  type ProjectOverview,
} from "@/server/read-models/projects/project-list";

/** Changes of status that a page shows. */
const maxSteps = 20;
/** How long the counts of labels may take, in milliseconds. */
const labelCountMs = 5_000;

const datasetRow = { uid: text, name: text, slug: text, owner_name: text, item_count: int4, pending_count: int4 };
const sliceRow = { uid: text, name: text, dataset_name: text, item_count: int4 };
const stepRow = { status: oneOf(projectStatuses), by: text, at: timestamptz };
const batchRow = {
  uid: text,
  number: int4,
  task_count: int4,
  started_count: int4,
  completed_count: int4,
  due: nullable(timestamptz),
  created_at: timestamptz,
};
/** A hundred tasks of a project. */
export type ProjectBatch = Wire<typeof batchRow>;

const detailRow = {
  visibility: oneOf(visibilities),
  annotators_open: bool,
  review: oneOf(reviewModes),
  review_share: int4,
};
/** A project as its page shows it. */
export interface ProjectDetail extends ProjectOverview {
  visibility: (typeof visibilities)[number];
  /** Whether every member who sees it may label. */
  annotators_open: boolean;
  review: (typeof reviewModes)[number];
  /** Of a hundred results, where a share is reviewed. */
  review_share: number;
  labels: Label[];
  /** Markdown: what who labels has to know. */
  guide: string;
  /** Those that the caller sees, in the project's order. */
  datasets: Native<typeof datasetRow>[];
  /** Those whose dataset the caller sees and that still exist, in the project's order. */
  slices: Native<typeof sliceRow>[];
  /** Its changes of status, newest first. */
  steps: Wire<typeof stepRow>[];
}

/** One project with its datasets, labels and changes of status. Throws `not_found`. */
export async function getProjectDetail(ctx: Ctx, uid: string): Promise<ProjectDetail> {
  const [found] = await sql(
    { ...overviewRow, ...detailRow, labels: jsonb(z.array(StoredLabel)), guide: text },
    Prisma.sql`select ${overviewColumns}, p.visibility, p.annotators_open, p.review, p.review_share, p.labels, p.guide from ${overviewTables} where ${visible(ctx)} and p.uid = ${uid}`,
  );
  if (!found) throw notFound();
  const datasets = await query(
    ctx,
    datasetRow,
    Prisma.sql`select d.uid, d.name, d.slug, o.slug as owner_name, d.item_count,
        (select count(*)::int from (select 1 from items i where i.dataset_id = d.uid and i.status = 'pending' limit 1000) waiting) as pending_count
      from annotated_datasets pd join datasets d on d.uid = pd.dataset_id join organizations o on o.uid = d.organization_id
      where pd.project_id = ${uid} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)} order by pd.position, d.uid`,
  );
  const slices = await query(
    ctx,
    sliceRow,
    Prisma.sql`select s.uid, s.name, d.name as dataset_name, s.item_count
      from project_slices ps join slices s on s.uid = ps.slice_id join datasets d on d.uid = s.dataset_id
      where ps.project_id = ${uid} and ${isVisible(ctx, "dataset", Prisma.sql`s.dataset_id`)} order by ps.position, s.uid`,
  );
  const steps = await sql(
    stepRow,
    Prisma.sql`select a.after ->> 'status' as status, a.actor_name as by, a.created_at as at from audit_entries a
      where a.organization_id = ${ctx.organizationId} and a.target_id = ${uid} and a.target_type = 'project'
        and a.action = any(${projectStatuses.map((status) => `project.${status.replace("-", "_")}`)})
        and a.after ->> 'status' is not null
      order by a.uid desc limit ${maxSteps}`,
  );
  return { ...found, labels: completeLabels(found.labels), datasets, slices, steps };
}

/** The work batches of a project, in their order. Throws `not_found`. */
export async function listProjectBatches(ctx: Ctx, input: OfProject): Promise<Page<ProjectBatch>> {
  const { project, limit, cursor } = input;
  await getProject(ctx, project);
  return keysetPage<ProjectBatch>(ctx, {
    name: "project-batches",
    filters: { project },
    page: { limit, cursor },
    order: { columns: ["b.number"], direction: "asc" },
    key: ({ number }) => [number],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        batchRow,
        Prisma.sql`select b.uid, b.number, b.task_count, b.started_count, b.completed_count, b.due, b.created_at from work_batches b
          where b.project_id = ${project} and b.organization_id = ${ctx.organizationId} and ${where}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** How many results have each label of a project, rejected ones left out; null where counting takes too long. */
export async function countProjectLabels(
  ctx: Ctx,
  uid: string,
  ms = labelCountMs,
): Promise<Record<string, number> | null> {
  const { labels } = await getProject(ctx, uid);
  const counted = await withinMs(ctx, ms, async (tx, limit) => {
    await limit();
    return query(
      tx,
      { name: text, count: int4 },
      Prisma.sql`select l.name, count(*)::int as count from results r cross join lateral unnest(r.labels) l(name)
        where r.project_id = ${uid} and r.organization_id = ${tx.organizationId} and r.status <> 'rejected'
          and ${isVisible(tx, "dataset", Prisma.sql`r.dataset_id`)}
        group by l.name`,
    );
  });
  if (!counted) return null;
  const byName = new Map(counted.map(({ name, count }) => [name, count]));
  return Object.fromEntries(
    labels.map(({ id, name, aliases }) => [
      id,
      [name, ...aliases].reduce((sum, each) => sum + (byName.get(each) ?? 0), 0),
    ]),
  );
}
