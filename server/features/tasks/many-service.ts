import { hasRole } from "@/domain/permissions";
import {
  maxSelected,
  maxTaken,
  type AssignTasks,
  type PrioritiseTasks,
  type ReleaseTasks,
  type UnskipTasks,
} from "@/domain/tasks/queue-schema";
import type { SkipTasks } from "@/domain/tasks/skip-schema";
import { findTransition } from "@/domain/tasks/transitions";
import { audit } from "@/server/features/audit/service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { lockProject } from "@/server/features/projects/service";
import type { ChangedTasks } from "@/server/features/tasks/labelling-resource";
import { endLease, findHolder } from "@/server/features/tasks/lease-service";
import { queueCondition } from "@/server/features/tasks/queue-queries";
import type { TaskResource } from "@/server/features/tasks/resource";
import { findAssignee, lockTasks, mayBeAssigned, setAssignee, visibleTasks } from "@/server/features/tasks/service";
import { skipLocked, unskipLocked } from "@/server/features/tasks/skip-service";
import { requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { conflict, invalid } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";

/** The uids of what is selected. Throws `invalid`, and `conflict` with the code `count` where a filter holds other than expected. */
async function selectUids(ctx: Ctx, { uids, filter, expected }: ReleaseTasks): Promise<string[]> {
  if ((uids === undefined) === (filter === undefined)) throw invalid("uids", "Give uids, or a filter.");
  if (uids !== undefined) return [...new Set(uids)];
  if (filter === undefined) return [];
  if (expected === undefined) throw invalid("expected", "Say how many tasks the filter holds.");
  const rows = await query(
    ctx,
    { uid: text },
    Prisma.sql`select t.uid from tasks t where ${queueCondition(ctx, filter).condition} limit ${maxSelected + 1}`,
  );
  if (rows.length > maxSelected) throw invalid("filter", "It holds more than 10,000 tasks.");
  const now = rows.length;
  if (now !== expected) throw conflict(`The filter holds ${now} tasks now.`, { code: "count", expected, now });
  return rows.map(({ uid }) => uid);
}

interface Taken {
  task: TaskResource;
  project: ProjectResource;
}

interface Change {
  action: "tasks.assigned" | "tasks.prioritised" | "tasks.released" | "tasks.skipped" | "tasks.unskipped";
  after: Record<string, string | number | null>;
  /** Why a task is left as it is; null for one that is changed. */
  refusal: (task: TaskResource, project: ProjectResource) => string | null | Promise<string | null>;
  apply: (tx: Ctx, tasks: readonly Taken[]) => Promise<unknown>;
}

/** Changes what is selected in one transaction, projects before their tasks; those that are refused are named. Throws `invalid("uids")`. */
async function changeMany(tx: Ctx, uids: readonly string[], change: Change): Promise<ChangedTasks> {
  const projects = new Map<string, ProjectResource>();
  const named = await query(
    tx,
    { uid: text },
    Prisma.sql`select distinct t.project_id as uid from tasks t where t.uid = any(${uids}) and ${visibleTasks(tx)} order by 1`,
  );
  for (const { uid } of named) projects.set(uid, await lockProject(tx, uid));
  const tasks = new Map((await lockTasks(tx, uids)).map((task) => [task.uid, task]));
  const failed: ChangedTasks["failed"] = [];
  const taken: Taken[] = [];
  for (const [at, uid] of uids.entries()) {
    const task = tasks.get(uid);
    const project = task && projects.get(task.project);
    if (!task || !project) throw invalid(["uids", at], "There is no such task.");
    const error = await change.refusal(task, project);
    if (error === null) taken.push({ task, project });
    else failed.push({ uid, error });
  }
  await change.apply(tx, taken);
  for (const project of new Set(taken.map((each) => each.project))) {
    const count = taken.filter((each) => each.project === project).length;
    await audit(tx, {
      action: change.action,
      targetType: "project",
      targetId: project.uid,
      targetName: project.name,
      after: { ...change.after, count },
    });
    await announce(tx, "task", project.uid, "updated");
  }
  return { changed: taken.length, failed };
}

const listTasks = (taken: readonly Taken[], of: ProjectResource): TaskResource[] =>
  taken.filter(({ project }) => project === of).map(({ task }) => task);
const toUids = (taken: readonly Taken[]): string[] => taken.map(({ task }) => task.uid);
const refuseCompleted = ({ status }: TaskResource): string | null =>
  status === "completed" ? "This task is completed." : null;

/**
 * Assigns tasks to a member, or to nobody, and ends the leases of others. Members take at most 20 that nobody has, or
 * give back their own. Throws `forbidden`, `invalid`, and `conflict` with the code `count`.
 */
export async function assignTasks(ctx: Ctx, { assignee, ...selection }: AssignTasks): Promise<ChangedTasks> {
  return transaction(ctx, async (tx) => {
    const { userId, username } = tx.actor;
    const isAdmin = hasRole(tx.permissions, "admin");
    if (assignee !== null && assignee !== username && assignee !== userId) requireRole(tx, "admin");
    const uids = await selectUids(tx, selection);
    if (!isAdmin && uids.length > maxTaken) throw invalid("uids", `Take at most ${maxTaken} at once.`);
    const member = await findAssignee(tx, assignee);
    const annotates = new Map<string, boolean>();
    return changeMany(tx, uids, {
      action: "tasks.assigned",
      after: { assignee: member?.username ?? null },
      refusal: async (task, { uid: project, status }) => {
        if (status !== "active" && status !== "paused") return `Its project is ${status}.`;
        if (!isAdmin && task.assignee !== null && task.assignee !== username)
          return `It is assigned to ${task.assignee}.`;
        if (member && !annotates.has(project)) annotates.set(project, await mayBeAssigned(tx, project, member));
        if (member && annotates.get(project) === false) return `${member.username} is no annotator of this project.`;
        return refuseCompleted(task);
      },
      apply: (within, taken) => setAssignee(within, toUids(taken), member),
    });
  });
}

/** Sets which tasks are given out before others. Throws `invalid`, and `conflict` with the code `count`. */
export async function prioritiseTasks(ctx: Ctx, { priority, ...selection }: PrioritiseTasks): Promise<ChangedTasks> {
  return transaction(ctx, async (tx) =>
    changeMany(tx, await selectUids(tx, selection), {
      action: "tasks.prioritised",
      after: { priority },
      refusal: refuseCompleted,
      apply: (within, taken) =>
        execute(
          within,
          Prisma.sql`update tasks set priority = ${priority}::int
            where uid = any(${toUids(taken)}) and organization_id = ${within.organizationId}`,
        ),
    }),
  );
}

/** Ends the work on tasks, which go back to those that wait. Throws `invalid`, and `conflict` with the code `count`. */
export async function releaseTasks(ctx: Ctx, selection: ReleaseTasks): Promise<ChangedTasks> {
  return transaction(ctx, async (tx) =>
    changeMany(tx, await selectUids(tx, selection), {
      action: "tasks.released",
      after: {},
      refusal: ({ status }) => (status === "in_progress" ? null : "Nobody works on it."),
      apply: async (within, taken) => {
        for (const each of taken) await endLease(within, each, null);
      },
    }),
  );
}

/** Leaves tasks out as `skipTask` does with one, but for those that somebody works on. Throws `invalid`. */
export async function skipTasks(ctx: Ctx, { tasks }: SkipTasks): Promise<ChangedTasks> {
  const wanted = new Map(tasks.map((each) => [each.uid, each]));
  return transaction(ctx, async (tx) =>
    changeMany(tx, [...wanted.keys()], {
      action: "tasks.skipped",
      after: {},
      refusal: async (task, { status }) => {
        const transition = findTransition("skip", task.state);
        if (!transition) return `This task is ${task.state === "skipped" ? task.state : task.status}.`;
        if (transition.projects && !transition.projects.includes(status)) return `Its project is ${status}.`;
        const by = await findHolder(tx, task);
        return by === null ? null : `${by} works on this task.`;
      },
      apply: async (within, taken) => {
        for (const each of taken) {
          const reason = wanted.get(each.task.uid);
          if (reason) await skipLocked(within, each, reason);
        }
      },
    }),
  );
}

/** Has skipped tasks labelled after all, as `unskipTask` does with one. Throws `invalid`, and `conflict` with the code `count`. */
export async function unskipTasks(ctx: Ctx, selection: UnskipTasks): Promise<ChangedTasks> {
  return transaction(ctx, async (tx) =>
    changeMany(tx, await selectUids(tx, selection), {
      action: "tasks.unskipped",
      after: {},
      refusal: ({ state }, { status }) => {
        if (state !== "skipped") return "This task is not skipped.";
        return findTransition("unskip", state)?.projects?.includes(status) ? null : `Its project is ${status}.`;
      },
      apply: async (within, taken) => {
        for (const project of new Set(taken.map((each) => each.project)))
          await unskipLocked(within, listTasks(taken, project), project);
      },
    }),
  );
}
