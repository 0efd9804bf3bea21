import { getQueueTab, isOpen, listStates, type QueueFilters } from "@/domain/tasks/queue-schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { isInState, visibleTasks } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { likeText } from "@/server/platform/like-text";

type Held = Pick<QueueFilters, "tab" | "project" | "state" | "assignee" | "batch" | "q">;

/** SQL: a task `t` that the caller sees is held by a tab and its filters; and what of these orders it. */
export function queueCondition(ctx: Ctx, filters: Held) {
  const { tab, project, batch, q } = filters;
  const assignee = getQueueTab(tab).assignee ?? filters.assignee;
  const person = assignee === "me" ? (ctx.actor.userId ?? "") : assignee;
  const states = listStates(filters);
  const workable = Prisma.sql`select p.uid from projects p where p.organization_id = ${ctx.organizationId}
    and p.status in ('active', 'paused') and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}`;
  const areOpen = states !== null && states.every(isOpen);
  const condition = Prisma.join(
    [
      visibleTasks(ctx),
      // Not `=`, after which the planner may take the order from the index of all tasks, however few are of the project.
      ...(project === undefined ? [] : [Prisma.sql`t.project_id = any(${[project]})`]),
      ...(batch === undefined ? [] : [Prisma.sql`t.batch_id = ${batch}`]),
      ...(person === undefined
        ? []
        : [person === "none" ? Prisma.sql`t.assignee_id is null` : Prisma.sql`t.assignee_id = ${person}`]),
      ...(states === null ? [] : [isInState(states)]),
      // Nobody can work on those of other projects any more, or yet.
      ...(areOpen && project === undefined ? [Prisma.sql`t.project_id in (${workable})`] : []),
      ...(q === undefined ? [] : [Prisma.sql`t.name ilike ${`%${likeText(q)}%`}`]),
    ],
    " and ",
  );
  return { condition, person, states, areOpen, workable };
}
