import type { NextTask } from "@/domain/tasks/labelling-schema";
import { getProject, namedProject } from "@/server/features/projects/service";
import { getTaskForEditor } from "@/server/features/tasks/editor-service";
import type { LeaseResource, TaskForEditor } from "@/server/features/tasks/labelling-resource";
import { nextStatement } from "@/server/features/tasks/next-queries";
import { startLeased } from "@/server/features/tasks/open-service";
import { getTask } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { query, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

/**
 * Gives the caller a task to work on, leased to them; null when there is none. No task is given to two. Throws
 * `invalid("project")` for one that does not exist or is not active.
 */
export async function nextTask(ctx: Ctx, input: NextTask): Promise<TaskForEditor | null> {
  if (input.project !== undefined) {
    const { status } = await namedProject(ctx, "project", input.project);
    if (status !== "active") throw invalid("project", `This project is ${status}.`);
  }
  return showLeased(ctx, await transaction(ctx, (tx) => leaseNext(tx, input)));
}

interface LeasedTask {
  uid: string;
  lease: LeaseResource;
}

/** What an editor shows of a task that was just leased. Outside of that transaction: it reads on connections of its own. */
export const showLeased = async (ctx: Ctx, leased: LeasedTask | null): Promise<TaskForEditor | null> =>
  leased && getTaskForEditor(ctx, leased.uid, leased.lease);

/** Finds and leases the task that `nextTask` gives, inside a transaction; null also for a project that is not active. */
export async function leaseNext(tx: Ctx, input: NextTask): Promise<LeasedTask | null> {
  // The project is not locked: whoever has it waits for a task, and this transaction must not wait for it then.
  const [found] = await query(tx, { uid: text }, nextStatement(tx, input));
  if (!found) return null;
  const task = await getTask(tx, found.uid);
  const lease = await startLeased(tx, { task, project: await getProject(tx, task.project) });
  return { uid: task.uid, lease };
}
