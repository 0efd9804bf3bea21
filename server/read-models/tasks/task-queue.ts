import { itemStatuses } from "@/domain/datasets/item-status";
import { projectStatuses, taskTypes } from "@/domain/projects/schema";
import { type QueueFilters, type UnassignedFilters } from "@/domain/tasks/queue-schema";
import { resultStatuses, taskStatuses } from "@/domain/tasks/schema";
import { skipReasons } from "@/domain/tasks/skip-schema";
import { statusOfState, taskStates } from "@/domain/tasks/transitions";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { queueCondition } from "@/server/features/tasks/queue-queries";
import { countRejections, taskState, visibleTasks } from "@/server/features/tasks/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type KeysetList, type Page, type Window } from "@/server/platform/pagination";
import { bool, float8, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const queueRow = {
  uid: text,
  name: text,
  type: oneOf(taskTypes),
  status: oneOf(taskStatuses),
  state: oneOf(taskStates),
  priority: int4,
  /** 1, and one more for each time that it came back. */
  round: int4,
  project: text,
  project_name: text,
  project_status: oneOf(projectStatuses),
  work_batch: text,
  batch: int4,
  assignee: nullable(text),
  assignee_uid: nullable(text),
  /** Who has it open now. */
  leased_by: nullable(text),
  /** The last decision about a result of it. */
  decision: nullable(oneOf(resultStatuses)),
  decided_by: nullable(text),
  reason: nullable(text),
  /** Why nobody labels it. */
  skip_reason: nullable(oneOf(skipReasons)),
  skip_text: text,
  /** When it came into its state. */
  since: timestamptz,
  item: text,
  item_status: oneOf(itemStatuses),
  media_type: text,
  tint: nullable(text),
  has_thumbnail: bool,
  width: nullable(float8),
  height: nullable(float8),
  dataset_owner: text,
  dataset_slug: text,
};
/** A task as the list of tasks shows it. */
export type QueuedTask = Wire<typeof queueRow>;
type Keyed = QueuedTask & Wire<typeof keyRow>;

const keyRow = { rank: int4, place: int4 };
/** Rework first, then what was begun, then what waits. */
const rank =
  "(case when t.status = 'pending' then 2 when exists (select 1 from results w where w.task_id = t.uid and w.status = 'rejected') then 0 else 1 end)";

type Order = Pick<KeysetList<Keyed>, "order" | "key">;
const ascending = (columns: readonly string[], key: Order["key"]): Order => ({
  order: { columns, direction: "asc" },
  key,
});

interface Source extends Order {
  /** SQL: the uids of a page, in its order. */
  pick: (window: Window) => Prisma.Sql;
}

/** Which tasks the filters hold, in which order, and from which index they come in it. */
function findSource(ctx: Ctx, filters: QueueFilters): Source {
  const { project, batch } = filters;
  const { condition, person, states, areOpen, workable } = queueCondition(ctx, filters);
  const statuses = states && [...new Set(states.map((state) => statusOfState[state]))];
  const select = (from: Prisma.Sql, where: Prisma.Sql, { where: after, orderBy, limit }: Window): Prisma.Sql =>
    Prisma.sql`select t.* from ${from} where ${where} and ${condition} and ${after} order by ${orderBy} limit ${limit}`;
  const tasks = Prisma.sql`tasks t`;

  if (areOpen && person !== undefined && person !== "none")
    return {
      // All that is open of one person is sorted.
      ...ascending([rank, "-t.priority", "t.batch_id", "t.uid"], (task) => [
        task.rank,
        task.place,
        task.work_batch,
        task.uid,
      ]),
      pick: (window) => select(tasks, Prisma.sql`t.status = any(${statuses})`, window),
    };
  if (areOpen && person === "none")
    return {
      // As they are given out: project by project, so that each reads only the head of its part of tasks_waiting_idx.
      ...ascending(["t.project_id", "-t.priority", "t.batch_id", "t.uid"], (task) => [
        task.project,
        task.place,
        task.work_batch,
        task.uid,
      ]),
      pick: (window) => {
        const ofProject = select(tasks, Prisma.sql`t.project_id = o.uid and t.status <> 'completed'`, window);
        const projects = project === undefined ? workable : Prisma.sql`select ${project} as uid`;
        return Prisma.sql`select t.uid from (${projects} order by 1) o cross join lateral (${ofProject}) t
          order by ${window.orderBy} limit ${window.limit}`;
      },
    };
  // A project is read in the order of its items; the organization from the newest on.
  const direction = project === undefined && batch === undefined ? "desc" : "asc";
  const byUid = (column: string): Order => ({ order: { columns: [column], direction }, key: ({ uid }) => [uid] });
  const byItem: Order =
    project === undefined || batch !== undefined
      ? byUid("t.uid")
      : ascending(["t.project_id", "t.uid"], (task) => [task.project, task.uid]);
  if (states?.length === 1 && states[0] === "submitted")
    return {
      // From the results that wait for a decision, which are few among all that are completed: each task is looked up, since
      // a join of its own choice reads all tasks of the project where statistics take the few for many.
      ...byUid("s.task_id"),
      pick: (window) =>
        select(
          Prisma.sql`results s cross join lateral (select * from tasks where uid = s.task_id offset 0) t`,
          Prisma.sql`s.status = 'submitted' and ${project === undefined ? Prisma.sql`s.organization_id = ${ctx.organizationId}` : Prisma.sql`s.project_id = ${project}`}`,
          window,
        ),
    };
  if (states?.length === 1 && states[0] === "skipped")
    // From its own index, as few are skipped among all that are completed.
    return { ...byItem, pick: (window) => select(tasks, Prisma.sql`t.skip_reason is not null`, window) };
  return {
    ...byItem,
    pick: (window) =>
      statuses === null
        ? select(tasks, Prisma.sql`true`, window)
        : // Status by status, each in the order of its index.
          Prisma.sql`select t.uid from unnest(${statuses}::text[]) a(status) cross join lateral (
            ${select(tasks, Prisma.sql`t.status = a.status`, window)}) t order by ${window.orderBy} limit ${window.limit}`,
  };
}

const columns = Prisma.sql`t.uid, t.name, t.type, t.status, ${taskState} as state, t.priority,
  1 + ${countRejections(Prisma.sql`t.uid`)} as round,
  t.project_id as project, p.name as project_name, p.status as project_status, t.batch_id as work_batch, b.number as batch,
  u.username as assignee, t.assignee_id as assignee_uid,
  nullif(l.status, 'submitted') as decision, l.decided_by, l.reason, t.skip_reason, t.skip_text,
  case when t.skip_reason is null then coalesce(l.decided_at, l.created_at, t.updated_at) else t.updated_at end as since,
  t.item_id as item, i.status as item_status, i.media_type, i.tint, i.thumbnail_key is not null as has_thumbnail,
  case when jsonb_typeof(i.metadata -> 'width') = 'number' then (i.metadata -> 'width')::float8 end as width,
  case when jsonb_typeof(i.metadata -> 'height') = 'number' then (i.metadata -> 'height')::float8 end as height,
  o.slug as dataset_owner, c.slug as dataset_slug, ${Prisma.raw(rank)} as rank, -t.priority as place`;

/** The statement of a page of the queue, and the order that it has. */
export function queueStatement(ctx: Ctx, filters: QueueFilters) {
  const { pick, ...order } = findSource(ctx, filters);
  const read = (window: Window): Prisma.Sql =>
    Prisma.sql`select ${columns}, (select h.username from users h where h.uid = t.lease_user
        and t.lease_until > ${databaseNow()}::timestamptz) as leased_by
      from (select n.uid, row_number() over () as at from (${pick(window)}) n) k join tasks t on t.uid = k.uid
        join projects p on p.uid = t.project_id join work_batches b on b.uid = t.batch_id
        join items i on i.uid = t.item_id join datasets c on c.uid = i.dataset_id join organizations o on o.uid = c.organization_id
        left join users u on u.uid = t.assignee_id
        left join lateral (select r.status, r.decided_by, r.reason, r.decided_at, r.created_at from results r
          where r.task_id = t.uid order by r.uid desc limit 1) l on true
      order by k.at`;
  return { ...order, read };
}

/** The tasks that a tab and its filters hold, whose projects and datasets the caller sees. */
export async function listQueue(ctx: Ctx, filters: QueueFilters): Promise<Page<QueuedTask>> {
  const { limit, cursor, ...held } = filters;
  const { order, key, read } = queueStatement(ctx, filters);
  const page = await keysetPage<Keyed>(ctx, {
    name: "task-queue",
    filters: { ...held, by: held.tab === "mine" || held.assignee === "me" ? ctx.actor.userId : null },
    page: { limit, cursor },
    order,
    key,
    fetch: (window) => sql({ ...queueRow, ...keyRow }, read(window)),
  });
  return { ...page, results: page.results.map(({ rank: _, place: __, ...task }) => task) };
}

/** How many are counted of a project. */
const maxUnassigned = 1_000;
const maxProjects = 50;

const unassignedRow = { project: text, project_name: text, count: int4 };

/**
 * The active project with the most tasks that wait for somebody, of the newest 50 or of one, counted up to 1,000; null where
 * none waits.
 */
export async function findUnassigned(
  ctx: Ctx,
  { project }: UnassignedFilters,
): Promise<Wire<typeof unassignedRow> | null> {
  const [found] = await sql(
    unassignedRow,
    Prisma.sql`select o.uid as project, o.name as project_name, n.count from (
        select p.uid, p.name from projects p where p.organization_id = ${ctx.organizationId} and p.status = 'active'
          and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} ${project === undefined ? Prisma.empty : Prisma.sql`and p.uid = ${project}`}
        order by p.uid desc limit ${maxProjects}) o
      cross join lateral (select count(*)::int as count from (select 1 from tasks t
        where t.project_id = o.uid and t.assignee_id is null and t.status <> 'completed' and ${visibleTasks(ctx)} limit ${maxUnassigned}) w) n
      where n.count > 0 order by n.count desc, o.uid desc limit 1`,
  );
  return found ?? null;
}
