import { z } from "zod";
import { jsonSize } from "@/domain/fields";
import { isSampled } from "@/domain/tasks/sampling";
import { type Annotation, type ResultFilters, resultStatuses, StoredAnnotation } from "@/domain/tasks/schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { Picture } from "@/server/features/tasks/picture-service";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { getTask } from "@/server/features/tasks/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { jsonb, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`r.uid, r.task_id as task, r.project_id as project, r.item_id as dataset_item, r.status, r.annotations,
  r.reason, r.submitted_by, r.revises, r.superseded_by, r.decided_by, r.decided_at, r.created_at, r.updated_at`;
const resultRow = {
  uid: text,
  task: text,
  project: text,
  dataset_item: text,
  status: oneOf(resultStatuses),
  annotations: jsonb(z.array(StoredAnnotation)),
  reason: text,
  submitted_by: text,
  revises: nullable(text),
  superseded_by: nullable(text),
  decided_by: nullable(text),
  decided_at: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** The results of the organization whose project and dataset the caller sees. */
export const visibleResults = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`r.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`r.project_id`)}
    and ${isVisible(ctx, "dataset", Prisma.sql`r.dataset_id`)}`;

/** The results of a task, newest first. Throws `not_found`. */
export async function listResults(
  ctx: Ctx,
  taskId: string,
  { limit, cursor, status }: ResultFilters,
): Promise<Page<ResultResource>> {
  await getTask(ctx, taskId);
  return keysetPage<ResultResource>(ctx, {
    name: "results",
    filters: { taskId, status },
    page: { limit, cursor },
    order: { columns: ["r.uid"], direction: "desc" },
    key: (result) => [result.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        resultRow,
        Prisma.sql`select ${columns} from results r where r.task_id = ${taskId} and ${visibleResults(ctx)} and ${where}
        ${status === undefined ? Prisma.empty : Prisma.sql`and r.status = any(${status})`} order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One result. Throws `not_found`. */
export async function getResult(ctx: Ctx, uid: string): Promise<ResultResource> {
  const [row] = await query(
    ctx,
    resultRow,
    Prisma.sql`select ${columns} from results r where r.uid = ${uid} and ${visibleResults(ctx)}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    decided_at: row.decided_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export const toEventData = (resultUid: string, task: TaskResource) => ({
  result_uid: resultUid,
  task_uid: task.uid,
  task_name: task.name,
  task_type: task.type,
  project_uid: task.project,
});

/** Adds to the annotation counts of an item and its dataset. */
export async function countAnnotations(tx: Ctx, itemId: string, by: number): Promise<void> {
  await execute(
    tx,
    Prisma.sql`with changed as (
        update items set annotation_count = annotation_count + ${by}::int where uid = ${itemId} returning dataset_id)
      update datasets d set annotation_count = d.annotation_count + ${by}::int from changed where d.uid = changed.dataset_id`,
  );
}

export interface Submitted {
  task: TaskResource;
  project: ProjectResource;
  picture: Picture;
}

/** What a result is stored with besides its annotations. */
type ResultFacts = Pick<
  Prisma.ResultUncheckedCreateInput,
  "submitKey" | "sampled" | "status" | "reason" | "revises" | "decidedBy" | "decidedById" | "decidedAt"
>;

/** What a result keeps of who decides it now. */
export const toDecided = ({ actor }: Ctx) => ({
  decidedBy: actor.username ?? actor.name,
  decidedById: actor.userId,
  decidedAt: databaseNow(),
});

/** Of what a row of a result is made. */
interface ResultSubject {
  task: Pick<TaskResource, "uid" | "dataset_item">;
  project: Pick<ProjectResource, "uid" | "review" | "review_share">;
  picture: Pick<Picture, "dataset">;
}

/** The row of a new result of a task, by the caller. */
export function toResultRow(
  { organizationId, actor }: Ctx,
  { task, project, picture }: ResultSubject,
  annotations: readonly Annotation[],
  facts: ResultFacts,
) {
  const uid = uuidv7();
  const counts = new Map<string, number>();
  for (const { label } of annotations) counts.set(label, (counts.get(label) ?? 0) + 1);
  return {
    uid,
    organizationId,
    projectId: project.uid,
    taskId: task.uid,
    itemId: task.dataset_item,
    datasetId: picture.dataset,
    annotations: annotations as Prisma.InputJsonArray,
    annotationCount: annotations.length,
    annotationBytes: jsonSize(annotations),
    labels: [...counts.keys()],
    labelCounts: [...counts.values()],
    sampled: isSampled(uid, project.review === "share" ? project.review_share : 100),
    submittedById: actor.userId,
    submittedBy: actor.username ?? actor.name,
    ...facts,
  } satisfies Prisma.ResultCreateManyInput;
}

/** Adds a row for a result of a task, by the caller, and resolves to its uid. */
export async function addResult(
  tx: Ctx,
  submitted: Submitted,
  annotations: readonly Annotation[],
  facts: ResultFacts,
): Promise<string> {
  const data = toResultRow(tx, submitted, annotations, facts);
  await tx.db.result.create({ data });
  return data.uid;
}
