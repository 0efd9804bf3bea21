import type { ReviewFilters } from "@/domain/tasks/review-schema";
import { resultStatuses } from "@/domain/tasks/schema";
import { getProject } from "@/server/features/projects/service";
import { visibleResults } from "@/server/features/tasks/result-service";
import { countRejections } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
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

/** Results of a project, those first that wait longest. Throws `not_found`. */
export async function listReviewQueue(ctx: Ctx, filters: ReviewFilters): Promise<Page<ReviewedResult>> {
  const { project, state, by, label, sort, limit, cursor } = filters;
  const { review } = await getProject(ctx, project);
  const sample = filters.sample ?? (review === "share" && state === "submitted" ? "sample" : "all");
  return keysetPage<ReviewedResult>(ctx, {
    name: "review-queue",
    filters: { project, state, by, label, sample },
    page: { limit, cursor },
    order: { columns: ["r.uid"], direction: sort === "oldest" ? "asc" : "desc" },
    key: ({ uid }) => [uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        reviewRow,
        Prisma.sql`select r.uid, r.task_id as task, t.name, r.item_id as item, i.media_type, i.thumbnail_key is not null as has_thumbnail,
            r.status, r.submitted_by, coalesce(r.submitted_by_id = ${ctx.actor.userId}, false) as is_own,
            1 + ${countRejections(Prisma.sql`r.task_id`, Prisma.sql`e.uid < r.uid`)} as round,
            r.annotation_count as shape_count, coalesce(r.labels, array[]::text[]) as labels,
            (select count(*)::int from issues s where s.task_id = r.task_id and s.state = 'open') as open_issues, r.reason, r.decided_by, r.created_at
          from results r join tasks t on t.uid = r.task_id join items i on i.uid = r.item_id
          where r.project_id = ${project} and ${visibleResults(ctx)} and r.status = ${state} and ${where}
            ${sample === "all" ? Prisma.empty : Prisma.sql`and r.sampled = ${sample === "sample"}`}
            ${by === undefined ? Prisma.empty : Prisma.sql`and r.submitted_by = ${by}`}
            ${label === undefined ? Prisma.empty : Prisma.sql`and r.labels @> array[${label}]`}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}
