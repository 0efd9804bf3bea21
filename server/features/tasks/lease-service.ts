import { randomBytes } from "node:crypto";
import type { HeldTask } from "@/domain/tasks/labelling-schema";
import { audit } from "@/server/features/audit/service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { getProject } from "@/server/features/projects/service";
import { isLeft } from "@/server/features/tasks/kept-drafts-service";
import type { LeaseResource, RenewedLease } from "@/server/features/tasks/labelling-resource";
import type { TaskResource } from "@/server/features/tasks/resource";
import { getTask, lockHeld, lockTask } from "@/server/features/tasks/service";
import { moveTask } from "@/server/features/tasks/transition-service";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { conflict } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { nullable, text, timestamptz } from "@/server/platform/rows";

interface Locked {
  task: TaskResource;
  project: ProjectResource;
}

/** A lease ends so long after it was given or renewed. */
const leaseMs = 30 * 60_000;
const leaseEnd = (): Date => new Date(databaseMs() + leaseMs);

const leaseRow = { user: nullable(text), by: nullable(text), hash: nullable(text), until: nullable(timestamptz) };

/** The last lease of a task, which may be over; null if it has none. */
async function findLease(tx: Ctx, uid: string) {
  const [row] = await query(
    tx,
    leaseRow,
    Prisma.sql`select t.lease_user as user, u.username as by, t.lease_hash as hash, t.lease_until as until
      from tasks t left join users u on u.uid = t.lease_user
      where t.uid = ${uid} and t.organization_id = ${tx.organizationId}`,
  );
  if (!row || row.hash === null) return null;
  const until = row.until ?? databaseNow();
  return { ...row, until, isOver: row.until === null || until <= databaseNow() };
}
type Lease = NonNullable<Awaited<ReturnType<typeof findLease>>>;

/** Throws `conflict` with the code `lease_taken` for a task that somebody works on, or for others than `but`. */
export async function requireFree(
  tx: Ctx,
  { uid }: TaskResource,
  but: (user: string | null) => boolean,
): Promise<void> {
  const lease = await findLease(tx, uid);
  if (!lease || lease.isOver || but(lease.user)) return;
  const until = lease.until.toISOString();
  throw conflict(`${lease.by ?? "Somebody"} works on this task.`, { code: "lease_taken", by: lease.by, until });
}

/** The name of somebody else who works on a locked task; null where nobody does. */
export async function findHolder(tx: Ctx, { uid }: TaskResource): Promise<string | null> {
  const lease = await findLease(tx, uid);
  if (!lease || lease.isOver || lease.user === tx.actor.userId) return null;
  return lease.by ?? "Somebody";
}

/** Gives the lease of a locked task to the caller, and the task itself if nobody has it. */
export async function giveLease(tx: Ctx, { uid }: TaskResource): Promise<LeaseResource> {
  const token = randomBytes(32).toString("hex");
  const until = leaseEnd();
  await execute(
    tx,
    Prisma.sql`update tasks set lease_user = ${tx.actor.userId}, lease_hash = ${sha256(token)}, lease_until = ${until}::timestamptz,
        assignee_id = coalesce(assignee_id, ${tx.actor.userId}),
        assigned_by = case when assignee_id is null then 'self' else assigned_by end
      where uid = ${uid} and organization_id = ${tx.organizationId}`,
  );
  return { token, until: until.toISOString() };
}

const leaseLost = (lease: Lease | null) => {
  const by = lease && !lease.isOver ? lease.by : null;
  return conflict(by === null ? "This lease is over." : `${by} works on this task now.`, { code: "lease_lost", by });
};

/** Throws `conflict` with the code `lease_lost` unless `token` is that of the task's lease. */
async function requireHolder(tx: Ctx, uid: string, token: string, { over }: { over: "refused" | "taken" }) {
  const lease = await findLease(tx, uid);
  const isHeld = lease && lease.user !== null && lease.hash === sha256(token);
  if (!isHeld || (over === "refused" && lease.isOver)) throw leaseLost(lease);
}

/** A lease is not renewed more often than this, because each time writes the row of the task. */
const renewedMs = 60_000;

/** Whether a token is that of a task's lease, and the caller may go on with it if it is over. */
const isHolder = (
  { actor }: Ctx,
  { assignee }: TaskResource,
  lease: Pick<Lease, "user" | "hash">,
  token: string,
): boolean => lease.hash === sha256(token) && (lease.user !== null || assignee === null || assignee === actor.username);

/**
 * The lease of who ends work on a locked task; also one that is over, and whose task waits again, as long as nobody else
 * got it. Throws `conflict` with the code `lease_lost`.
 */
export async function requireLease(tx: Ctx, task: TaskResource, token: string): Promise<void> {
  const lease = await findLease(tx, task.uid);
  if (!lease || !isHolder(tx, task, lease, token)) throw leaseLost(lease);
}

/**
 * Locks a task for who saves work on it, as `requireLease`. `renewal`: the statement that renews the lease, which is null
 * when there is no need. Throws `not_found` too.
 */
export async function lockForSaving(tx: Ctx, uid: string, token: string, seconds: number) {
  const { task, lease } = await lockHeld(tx, uid);
  if (!isHolder(tx, task, lease, token)) throw leaseLost(await findLease(tx, uid));
  const { userId } = tx.actor;
  const isFreed = lease.user === null;
  if (isFreed) {
    const project = await getProject(tx, task.project);
    const mayGoOn = project.status === "active" || project.status === "paused";
    if (!mayGoOn) throw leaseLost(null);
    await moveTask(tx, { task, project }, "renew");
    await audit(tx, { action: "task.opened", targetType: "task", targetId: task.uid, targetName: task.name });
    await announce(tx, "task", project.uid, "updated");
  }
  const until = leaseEnd();
  const isDue = isFreed || until.getTime() - (lease.until?.getTime() ?? 0) >= renewedMs;
  // The end of a lease is in an index: a row whose end stays is written beside none.
  const renewed = Prisma.sql`, lease_user = coalesce(lease_user, ${userId}), lease_hash = ${lease.hash}, lease_until = ${until}::timestamptz,
    assignee_id = coalesce(assignee_id, ${userId}), assigned_by = case when assignee_id is null then 'self' else assigned_by end`;
  const renewal = Prisma.sql`update tasks set seconds = seconds + ${seconds}::int${isDue ? renewed : Prisma.empty}
    where uid = ${task.uid} and organization_id = ${tx.organizationId}`;
  return { task, renewal: isDue || seconds > 0 ? renewal : null };
}

/** Renews the caller's lease. Throws `not_found`, and `conflict` with `lease_lost` if it is over or somebody else's. */
export async function renewLease(ctx: Ctx, uid: string, { lease, seconds }: HeldTask): Promise<RenewedLease> {
  return transaction(ctx, async (tx) => {
    await getTask(tx, uid, Prisma.sql`for no key update of t`);
    await requireHolder(tx, uid, lease, { over: "refused" });
    const until = leaseEnd();
    await execute(
      tx,
      Prisma.sql`update tasks set lease_until = ${until}::timestamptz, seconds = seconds + ${seconds}::int
        where uid = ${uid} and organization_id = ${tx.organizationId}`,
    );
    return { until: until.toISOString() };
  });
}

/**
 * Ends the lease of a locked task, which goes back to those that wait; an admin's choice of its assignee stays, and who has
 * drawn something. `hash`: of the token with which its holder may go on if nobody else got it.
 */
export async function endLease(tx: Ctx, { task, project }: Locked, hash: string | null): Promise<void> {
  await moveTask(tx, { task, project }, "release");
  await execute(
    tx,
    Prisma.sql`update tasks set lease_user = null, lease_hash = ${hash}, lease_until = null,
        assignee_id = case when ${isLeft()} then null else assignee_id end,
        assigned_by = case when ${isLeft()} then null else assigned_by end
      where uid = ${task.uid} and organization_id = ${tx.organizationId}`,
  );
  await announce(tx, "task", project.uid, "updated");
}

/** Gives a task back. Throws `not_found`, and `conflict` with `lease_lost` if somebody else has got it. */
export async function releaseTask(ctx: Ctx, uid: string, { lease, seconds }: HeldTask): Promise<TaskResource> {
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, uid);
    await requireHolder(tx, uid, lease, { over: "taken" });
    await execute(
      tx,
      Prisma.sql`update tasks set seconds = seconds + ${seconds}::int where uid = ${uid} and organization_id = ${tx.organizationId}`,
    );
    await endLease(tx, { task, project }, null);
    await audit(tx, { action: "task.released", targetType: "task", targetId: uid, targetName: task.name });
    return getTask(tx, uid);
  });
}

const ended = { uid: text, organization_id: text };

/** Frees tasks whose leases are over, the oldest first. Returns how many, at most 500. */
export async function releaseLeases(now = databaseNow()): Promise<number> {
  const over = Prisma.sql`lease_user is not null and lease_until <= ${now}::timestamptz`;
  const tasks = await query(
    { db: prisma },
    ended,
    Prisma.sql`select uid, organization_id from tasks where ${over} order by lease_until limit 500`,
  );
  let count = 0;
  for (const { uid, organization_id: organizationId } of tasks) {
    count += await transaction(systemContext(prisma, organizationId), async (tx) => {
      const [task] = await query(
        tx,
        { project: text },
        Prisma.sql`select project_id as project from tasks where uid = ${uid} and organization_id = ${organizationId}`,
      );
      if (!task) return 0;
      const locked = await lockTask(tx, uid);
      // Renewed, given back or submitted in the meantime.
      const [still] = await query(
        tx,
        { hash: nullable(text) },
        Prisma.sql`select lease_hash as hash from tasks where uid = ${uid} and ${over}`,
      );
      if (!still) return 0;
      await endLease(tx, locked, still.hash);
      await audit(tx, { action: "task.lease_over", targetType: "task", targetId: uid, targetName: locked.task.name });
      return 1;
    });
  }
  return count;
}
