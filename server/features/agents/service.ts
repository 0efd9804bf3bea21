import {
  type AgentFilters,
  type AgentListFilters,
  listUnknownTaskTypes,
  type RegisterAgent,
  type UpdateAgent,
} from "@/domain/agents/schema";
import type { AgentDetail, AgentResource, RegisteredAgent } from "@/server/features/agents/resource";
import { audit, difference } from "@/server/features/audit/service";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { namedProject } from "@/server/features/projects/service";
import type { Ctx } from "@/server/platform/context";
import { open, seal } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { checkReceiver } from "@/server/platform/http-client/http-client";
import { showAddress } from "@/server/platform/http-client/shown-address";
import { newWebhookSecret } from "@/server/platform/http-client/signature";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, int4, notNull, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`a.uid, a.name, a.description, a.events, a.callback_url, a.is_active, a.project_id as project, a.task_types,
  a.demo, a.last_seen_at, a.created_at, a.updated_at`;

const agentRow = {
  uid: text,
  name: text,
  description: text,
  events: notNull(arrayOf(text)),
  callback_url: text,
  is_active: bool,
  project: nullable(text),
  task_types: notNull(arrayOf(text)),
  demo: bool,
  last_seen_at: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** The row that a secret is sealed for: copied to another row, it cannot be opened. */
export const agentSecretOwner = (organizationId: string, uid: string) => `agent ${organizationId} ${uid}`;

/** The secret that signs what is pushed to an agent. */
export const openAgentSecret = (organizationId: string, uid: string, sealed: string): string =>
  open(sealed, agentSecretOwner(organizationId, uid));

/** An agent as this caller may see it: addresses may hold a token of the receiver. */
const show = <Row extends Wire<typeof agentRow>>(ctx: Ctx, row: Row): Row & AgentResource => ({
  ...row,
  callback_url: showAddress(ctx, "agents.write", row.callback_url),
  warnings: listUnknownTaskTypes(row.task_types),
});

/** SQL `and …` for each given filter. */
function narrow(filters: Omit<AgentListFilters, "limit" | "cursor">): Prisma.Sql {
  const { search, mode, is_active: isActive, demo } = filters;
  const pattern = `%${likeText(search?.trim() ?? "")}%`;
  return Prisma.sql`
    ${search ? Prisma.sql`and (a.name ilike ${pattern} or a.description ilike ${pattern})` : Prisma.empty}
    ${mode?.length ? Prisma.sql`and case a.callback_url when '' then 'poll' else 'push' end = any(${mode})` : Prisma.empty}
    ${isActive === undefined ? Prisma.empty : Prisma.sql`and a.is_active = ${isActive}`}
    ${demoFilter("a", demo)}`;
}

/** Agents, newest first. */
export async function listAgents(ctx: Ctx, filters: AgentFilters | AgentListFilters): Promise<Page<AgentResource>> {
  const { limit, cursor, ...narrowing } = filters;
  const page = await keysetPage<Wire<typeof agentRow>>(ctx, {
    name: "agents",
    filters: narrowing,
    page: { limit, cursor },
    order: { columns: ["a.uid"], direction: "desc" },
    key: (agent) => [agent.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        agentRow,
        Prisma.sql`select ${columns} from agents a where a.organization_id = ${ctx.organizationId} and ${where}
          ${narrow(narrowing)} order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map((row) => show(ctx, row)) };
}

/** One agent. Throws `not_found`. */
export async function findAgent(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<AgentResource> {
  const [row] = await query(
    ctx,
    agentRow,
    Prisma.sql`select ${columns} from agents a where a.uid = ${uid} and a.organization_id = ${ctx.organizationId} ${lock}`,
  );
  if (!row) throw notFound();
  return show(ctx, {
    ...row,
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  });
}

/** The agent that registering this name would change; null if it would make a new one. */
export async function findNamedAgent(ctx: Ctx, name: string): Promise<AgentResource | null> {
  const where = { organizationId_name: { organizationId: ctx.organizationId, name } };
  const present = await ctx.db.agent.findUnique({ where, select: { uid: true } });
  return present && findAgent(ctx, present.uid);
}

/** One agent with its number of executions by status. Throws `not_found`. */
export async function getAgent(ctx: Ctx, uid: string): Promise<AgentDetail> {
  const agent = await findAgent(ctx, uid);
  const counts = await query(
    ctx,
    { status: text, count: int4 },
    Prisma.sql`select status, count(*)::int as count from agent_executions where agent_id = ${uid} group by status`,
  );
  return { ...agent, execution_stats: Object.fromEntries(counts.map(({ status, count }) => [status, count])) };
}

/** The given members as columns. Throws `invalid` for a blocked callback address or an unknown project. */
async function toColumns(
  tx: Ctx,
  input: UpdateAgent,
  of: { demo: boolean },
): Promise<Prisma.AgentUncheckedUpdateInput> {
  const { name, events, description, project, is_active: isActive, task_types: taskTypes } = input;
  const { callback_url: callbackUrl } = input;
  if (callbackUrl) {
    const checked = await checkReceiver(callbackUrl, of);
    if (!checked.ok) throw invalid("callback_url", checked.message);
  }
  if (project) await namedProject(tx, "project", project);
  // Prisma does not write a column whose value is undefined.
  return { name, events, description, callbackUrl, isActive, taskTypes, projectId: project };
}

const nameTaken = () => invalid("name", "An agent with this name already exists.");

/**
 * Registers an agent, or changes the one of that name. The secret of a new one is in this response only. Of concurrent
 * registrations of a name, one creates the agent. Throws `invalid`.
 */
export async function registerAgent(ctx: Ctx, input: RegisterAgent & { demo?: boolean }): Promise<RegisteredAgent> {
  return transaction(ctx, async (tx) => {
    const { organizationId } = tx;
    const { demo = false } = input;
    await toColumns(tx, input, { demo });
    const [uid, secret] = [uuidv7(), newWebhookSecret()];
    const { count } = await tx.db.agent.createMany({
      data: [
        {
          uid,
          organizationId,
          name: input.name,
          events: input.events,
          description: input.description,
          callbackUrl: input.callback_url,
          isActive: input.is_active,
          projectId: input.project ?? null,
          taskTypes: input.task_types ?? [],
          secretSealed: seal(secret, agentSecretOwner(organizationId, uid)),
          createdById: tx.actor.userId,
          demo,
        },
      ],
      skipDuplicates: true,
    });
    if (count === 0) {
      const present = await tx.db.agent.findUnique({
        where: { organizationId_name: { organizationId, name: input.name } },
        select: { uid: true },
      });
      if (!present) throw nameTaken();
      return change(tx, present.uid, input);
    }
    await audit(tx, {
      action: "agent.created",
      targetType: "agent",
      targetId: uid,
      targetName: input.name,
      after: { events: input.events },
    });
    await announce(tx, "agent", uid, "created");
    return { ...(await findAgent(tx, uid)), secret };
  });
}

async function change(tx: Ctx, uid: string, input: UpdateAgent): Promise<AgentResource> {
  const before = await findAgent(tx, uid, Prisma.sql`for no key update`);
  const data = await toColumns(tx, input, before);
  if (input.name !== undefined && input.name !== before.name) {
    const other = await tx.db.agent.count({ where: { organizationId: tx.organizationId, name: input.name } });
    if (other > 0) throw nameTaken();
  }
  await tx.db.agent.update({ where: { uid }, data });
  const after = await findAgent(tx, uid);
  const unrelated = { updated_at: "", last_seen_at: null };
  const changed = difference({ ...before, ...unrelated }, { ...after, ...unrelated });
  if (changed) {
    await audit(tx, {
      action: "agent.updated",
      targetType: "agent",
      targetId: uid,
      targetName: after.name,
      ...changed,
    });
    await announce(tx, "agent", uid, "updated");
  }
  return after;
}

/** Changes the given members. Throws `not_found`, `invalid`. */
export const updateAgent = (ctx: Ctx, uid: string, input: UpdateAgent): Promise<AgentResource> =>
  transaction(ctx, (tx) => change(tx, uid, input));

/** Deletes an agent with its executions. Throws `not_found`. */
export async function deleteAgent(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const agent = await findAgent(tx, uid, Prisma.sql`for update`);
    await tx.db.agent.delete({ where: { uid } });
    await audit(tx, { action: "agent.deleted", targetType: "agent", targetId: uid, targetName: agent.name });
    await announce(tx, "agent", uid, "deleted");
  });
}
