import { isAboutDemo, memberText } from "@/server/features/platform-events/demo-queries";
import type { PlatformEventSubscriber } from "@/server/features/platform-events/subscriber";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { announceSoon } from "@/server/platform/realtime/changes";
import { type Native, text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const targetRow = { uid: text, callback_url: text };
type Target = Native<typeof targetRow>;

/** Writes an execution for each agent; those with a callback address are due immediately. Resolves to their uids. */
export const queueExecutions = (
  tx: Ctx,
  agents: readonly Target[],
  eventType: string,
  payload: object,
): Promise<string[]> => queueSeveral(tx, agents, eventType, [payload]);

/** The same of several payloads, one after the other for each agent. */
async function queueSeveral(
  tx: Ctx,
  agents: readonly Target[],
  eventType: string,
  payloads: readonly object[],
): Promise<string[]> {
  const now = databaseMs();
  const rows = payloads.flatMap((payload) =>
    agents.map((agent) => ({
      uid: uuidv7(),
      organizationId: tx.organizationId,
      agentId: agent.uid,
      eventType,
      eventPayload: payload as Prisma.InputJsonObject,
      projectId: memberText(payload, "project_uid"),
      taskId: memberText(payload, "task_uid"),
      taskType: memberText(payload, "task_type"),
      resultId: memberText(payload, "result_uid"),
      nextAttemptAt: agent.callback_url === "" ? null : new Date(now),
      deadline: new Date(now + env.AGENT_TIMEOUT_SECONDS * 1_000),
    })),
  );
  await tx.db.agentExecution.createMany({ data: rows });
  for (const { uid } of agents) announceSoon(tx, "agent", uid, "updated");
  return rows.map(({ uid }) => uid);
}

/**
 * Writes an execution of each event for each active agent that it concerns, in the transaction that publishes them, so
 * that executions exist exactly for committed changes.
 */
export const queueForAgents: PlatformEventSubscriber = async (ctx, type, bodies) => {
  const [body = {}] = bodies;
  const [project, taskType] = [memberText(body, "project_uid"), memberText(body, "task_type")];
  const agents = await query(
    ctx,
    targetRow,
    Prisma.sql`select uid, callback_url from agents
      where organization_id = ${ctx.organizationId} and is_active and ${type} = any(events)
        and (project_id is null or project_id = ${project}) and (${taskType}::text is null or task_types = '{}' or ${taskType} = any(task_types))
        and demo = ${isAboutDemo(ctx, body)}
      for key share`,
  );
  if (agents.length > 0) await queueSeveral(ctx, agents, type, bodies);
};
