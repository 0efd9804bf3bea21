import type { Label } from "@/domain/projects/label-schema";
import type { ReviewFilters } from "@/domain/tasks/review-schema";
import { resultStatuses } from "@/domain/tasks/schema";
import { getProject } from "@/server/features/projects/service";
import { visibleResults } from "@/server/features/tasks/result-service";
import { countRejections } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page, type Window } from "@/server/platform/pagination";
import { arrayOf, bool, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const reviewRow = {
  uid: text,
  task: text,
  /** The name of its task, which is that of its item. */
  name: text,
  item: text,
  media_type: text,
  has_thumbnail: bool,
  status: oneOf(resultStatuses),
  submitted_by: text,
  /** Whether the caller submitted it, whom nobody asks to decide it. */
  is_own: bool,
  /** 1, and one more for each time that the task was rejected before. */
  round: int4,
  shape_count: int4,
  labels: arrayOf(text),
  /** Of its task, those of earlier rounds too. */
  open_issues: int4,
  reason: text,
  decided_by: nullable(text),
  created_at: timestamptz,
};
/** A result as those see it who decide about it. */
export type ReviewedResult = Wire<typeof reviewRow>;

/**
 * SQL: `where` on the columns of two tables, of which the part on tasks is repeated, since it alone can use their index. The
 * whole, within `coalesce`, is not taken for a condition that holds for nearly none, by which all rows would be sorted.
 */
const isBeyond = ({ where, key, descending }: Window): Prisma.Sql =>
  key
    ? Prisma.sql`(t.open_issues, t.uid) ${Prisma.raw(descending ? "<=" : ">=")} (${key[0]}, ${key[1]}) and coalesce(${where}, false)`
    : where;

/** The statement of a page of the queue, which finds a label by its former names, too, and the order that it has. */
export function reviewStatement(ctx: Ctx, filters: ReviewFilters, labels: readonly Label[]) {
  const { project, state, by, label, issues, sample = "all", sort } = filters;
  const names = [label, ...(labels.find(({ name }) => name === label)?.aliases ?? [])];
  const isByIssues = sort === "issues";
  const read = (window: Window): Prisma.Sql =>
    Prisma.sql`select r.uid, r.task_id as task, t.name, r.item_id as item, i.media_type, i.thumbnail_key is not null as has_thumbnail,
        r.status, r.submitted_by, coalesce(r.submitted_by_id = ${ctx.actor.userId}, false) as is_own,
        1 + ${countRejections(Prisma.sql`r.task_id`, Prisma.sql`e.uid < r.uid`)} as round,
        r.annotation_count as shape_count, coalesce(r.labels, array[]::text[]) as labels,
        t.open_issues, r.reason, r.decided_by, r.created_at
      from results r join tasks t on t.uid = r.task_id join items i on i.uid = r.item_id
      where r.project_id = ${project} and ${visibleResults(ctx)} and r.status = ${state}
        and ${isByIssues ? Prisma.sql`t.project_id = ${project} and ${isBeyond(window)}` : window.where}
        ${issues === undefined ? Prisma.empty : Prisma.sql`and t.project_id = ${project} and t.open_issues > 0`}
        ${sample === "all" ? Prisma.empty : Prisma.sql`and r.sampled = ${sample === "sample"}`}
        ${by === undefined ? Prisma.empty : Prisma.sql`and r.submitted_by = ${by}`}
        ${label === undefined ? Prisma.empty : Prisma.sql`and r.labels && ${names}::text[]`}
      order by ${window.orderBy} limit ${window.limit}`;
  return isByIssues
    ? {
        order: { columns: ["t.open_issues", "t.uid", "r.uid"], direction: "desc" as const },
        key: ({ uid, task, open_issues: open }: ReviewedResult) => [open, task, uid],
        read,
      }
    : {
        order: { columns: ["r.uid"], direction: sort === "oldest" ? ("asc" as const) : ("desc" as const) },
        key: ({ uid }: ReviewedResult) => [uid],
        read,
      };
}

/** Results of a project, those first that wait longest. Throws `not_found`. */
export async function listReviewQueue(ctx: Ctx, filters: ReviewFilters): Promise<Page<ReviewedResult>> {
  const { limit, cursor, sort: _, ...held } = filters;
  const { review, labels } = await getProject(ctx, held.project);
  const sample = held.sample ?? (review === "share" && held.state === "submitted" ? "sample" : "all");
  const { order, key, read } = reviewStatement(ctx, { ...filters, sample }, labels);
  return keysetPage<ReviewedResult>(ctx, {
    name: "review-queue",
    filters: { ...held, sample },
    page: { limit, cursor },
    order,
    key,
    fetch: (window) => sql(reviewRow, read(window)),
  });
}
