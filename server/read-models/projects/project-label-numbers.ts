import { type IssueKind, issueKinds } from "@/domain/tasks/issue-schema";
import { getProject } from "@/server/features/projects/service";
import { labelCounts } from "@/server/features/tasks/label-count-queries";
import { visibleResults } from "@/server/features/tasks/result-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, notNull, oneOf, text } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";

/** How long the numbers of a project's labels may take, in milliseconds. */
const labelsMs = 5_000;
/** The names that are counted: labels with their former names, and what results of a project without labels name. */
const maxNames = 1_000;
/** Issues about shapes whose labels are looked up, the newest. */
const maxIssues = 2_000;

const numbersRow = {
  name: notNull(text),
  /** In all results, those of each round. */
  shapes: int4,
  /** Results that hold the label. */
  accepted: int4,
  rejected: int4,
  corrected: int4,
  undecided: int4,
};
const issueRow = { name: notNull(text), kind: oneOf(issueKinds), count: int4, open: int4 };

interface LabelNumbers {
  /** Null for a name that is no label of the project. */
  id: string | null;
  name: string;
  shapes: number;
  accepted: number;
  rejected: number;
  /** Results that a reviewer corrected. */
  corrected: number;
  undecided: number;
  /** By kind, those that are pinned to shapes of the label. */
  issues: { kind: IssueKind; count: number }[];
  open_issues: number;
}

export interface ProjectLabelNumbers {
  /** Those with the most shapes first, the labels of the project all. */
  labels: LabelNumbers[];
  /** How many issues about shapes were looked at, where there are more; else null. */
  newest_issues: number | null;
}

/**
 * What was submitted with each label of a project and what became of it; former names count with their label. Null where
 * counting takes longer than five seconds; it reads the results and issues of this project alone, and annotations only of
 * results from before labels were counted, and of those that issues are about. Throws `not_found`.
 */
export async function readLabelNumbers(ctx: Ctx, uid: string, ms = labelsMs): Promise<ProjectLabelNumbers | null> {
  const { labels } = await getProject(ctx, uid);
  const counted = await withinMs(ctx, ms, async (tx, limit) => {
    await limit();
    const numbers = await query(
      tx,
      numbersRow,
      Prisma.sql`select l.name, sum(l.count)::int as shapes, (count(*) filter (where r.status = 'accepted'))::int as accepted,
          (count(*) filter (where r.status = 'rejected' and r.superseded_by is null))::int as rejected,
          (count(*) filter (where r.superseded_by is not null))::int as corrected,
          (count(*) filter (where r.status = 'submitted'))::int as undecided
        from results r cross join lateral (${labelCounts}) l
        where r.project_id = ${uid} and ${visibleResults(tx)} and l.name is not null
        group by 1 order by 2 desc, 1 limit ${maxNames}`,
    );
    await limit();
    const pinned = Prisma.sql`from issues i where i.project_id = ${uid} and i.organization_id = ${tx.organizationId} and i.shape_id is not null`;
    const issues = await query(
      tx,
      issueRow,
      Prisma.sql`select l.name, i.kind, count(*)::int as count, (count(*) filter (where i.state = 'open'))::int as open
        from (select i.task_id, i.result_id, i.shape_id, i.kind, i.state ${pinned} order by i.uid desc limit ${maxIssues}) i
        cross join lateral (select r.annotations from results r
          where r.task_id = i.task_id and (i.result_id is null or r.uid = i.result_id) and ${visibleResults(tx)} order by r.uid desc limit 1) r
        cross join lateral (select a.shape ->> 'label' as name from jsonb_array_elements(r.annotations) a(shape)
          where a.shape -> 'attributes' ->> 'id' = i.shape_id limit 1) l
        where l.name is not null group by 1, 2`,
    );
    await limit();
    const [counted] = await query(
      tx,
      { count: int4 },
      Prisma.sql`select count(*)::int as count from (select 1 ${pinned} limit ${maxIssues + 1}) p`,
    );
    return { numbers, issues, hasMore: (counted?.count ?? 0) > maxIssues };
  });
  if (!counted) return null;
  const { numbers, issues, hasMore } = counted;
  const own = new Set(labels.flatMap(({ name, aliases }) => [name, ...aliases]));
  const sum = (names: readonly string[], id: string | null, name: string): LabelNumbers => {
    const rows = numbers.filter((row) => names.includes(row.name));
    const about = issues.filter((row) => names.includes(row.name));
    const total = (key: Exclude<keyof typeof numbersRow, "name">) => rows.reduce((all, row) => all + row[key], 0);
    return {
      id,
      name,
      shapes: total("shapes"),
      accepted: total("accepted"),
      rejected: total("rejected"),
      corrected: total("corrected"),
      undecided: total("undecided"),
      issues: issueKinds.flatMap((kind) => {
        const count = about.reduce((all, row) => (row.kind === kind ? all + row.count : all), 0);
        return count > 0 ? [{ kind, count }] : [];
      }),
      open_issues: about.reduce((all, row) => all + row.open, 0),
    };
  };
  const named = [
    ...labels.map(({ id, name, aliases }) => sum([name, ...aliases], id, name)),
    ...numbers.filter(({ name }) => !own.has(name)).map(({ name }) => sum([name], null, name)),
  ];
  return { labels: named.toSorted((a, b) => b.shapes - a.shapes), newest_issues: hasMore ? maxIssues : null };
}
