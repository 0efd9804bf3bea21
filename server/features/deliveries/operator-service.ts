import { resendExecution } from "@/server/features/agents/executions-service";
import { audit } from "@/server/features/audit/service";
import { redeliver } from "@/server/features/webhooks/deliveries-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, sql, transaction } from "@/server/platform/db";
import { conflict, notFound } from "@/server/platform/errors";
import { int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const outboxes = ["webhooks", "channels", "agents"] as const;
export type OutboxName = (typeof outboxes)[number];

const listedRow = {
  uid: text,
  outbox: oneOf(outboxes),
  organization: text,
  /** The uid of the subscription, channel or agent. */
  receiver: text,
  event: text,
  status: text,
  attempts: int4,
  next_attempt_at: nullable(timestamptz),
  error: nullable(text),
  created_at: timestamptz,
};

/** A delivery of any outbox, as the operator sees it in the list. */
export type ListedDelivery = Wire<typeof listedRow>;

export interface DeliveryFilters {
  failed: boolean;
  outbox?: OutboxName | undefined;
  /** The slug of an organization. */
  organization?: string | undefined;
  /** Lists older ones than the delivery with this uid; empty for the newest. */
  before: string;
  limit: number;
}

/** What differs between the tables of the outboxes. */
const tables = {
  webhooks: Prisma.sql`select uid, organization_id, subscription_id as receiver, event_type as event, status, attempts,
    next_attempt_at, error, created_at from webhook_deliveries`,
  channels: Prisma.sql`select uid, organization_id, channel_id as receiver, event, status, attempts,
    next_attempt_at, error, created_at from notifications`,
  agents: Prisma.sql`select uid, organization_id, agent_id as receiver, event_type as event, status, attempts,
    next_attempt_at, error_message as error, created_at from agent_executions`,
} satisfies Record<OutboxName, Prisma.Sql>;

/** Lists deliveries of every organization, the newest first. For the command line only. */
export function listDeliveries({
  failed,
  outbox,
  organization,
  before,
  limit,
}: DeliveryFilters): Promise<ListedDelivery[]> {
  const parts = (outbox ? [outbox] : outboxes).map(
    (name) => Prisma.sql`(select ${name}::text as outbox, d.*, o.slug as organization
      from (${tables[name]}) d join organizations o on o.uid = d.organization_id
      where (${before} = '' or d.uid < ${before}) and (${!failed} or d.status = 'failed')
        and (${organization ?? null}::text is null or o.slug = ${organization ?? null})
      order by d.uid desc limit ${limit}::int)`,
  );
  return sql(
    listedRow,
    Prisma.sql`select uid, outbox, organization, receiver, event, status, attempts, next_attempt_at, error, created_at
      from (${Prisma.join(parts, " union all ")}) d order by uid desc limit ${limit}::int`,
  );
}

/** Sends a message that failed once more, with all of its attempts. */
async function resendMessage(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const changed = await execute(
      tx,
      Prisma.sql`update notifications set status = 'pending', attempts = 0, next_attempt_at = now(), error = null,
          status_code = null, updated_at = now()
        where uid = ${uid} and organization_id = ${tx.organizationId} and status = 'failed'`,
    );
    if (changed === 0) throw conflict("This message has not failed.");
    await audit(tx, { action: "channel.resent", targetType: "notification", targetId: uid, targetName: "" });
  });
}

const resend: Record<OutboxName, (ctx: Ctx, uid: string) => Promise<unknown>> = {
  // A copy with a uid of its own, so that the receiver does not take it for a repetition.
  webhooks: redeliver,
  channels: resendMessage,
  agents: resendExecution,
};

/**
 * Sends a delivery again, in the name of `by`. Throws `not_found` where no outbox has it or its receiver was deleted,
 * and `conflict` for one that cannot be sent again. For the command line only.
 */
export async function retryDelivery(uid: string, by: string): Promise<OutboxName> {
  const parts = outboxes.map(
    (name) => Prisma.sql`select ${name}::text as outbox, organization_id from (${tables[name]}) d where uid = ${uid}`,
  );
  const [found] = await query(
    { db: prisma },
    { outbox: oneOf(outboxes), organization_id: text },
    Prisma.join(parts, " union all "),
  );
  if (!found) throw notFound();
  await resend[found.outbox](systemContext(prisma, found.organization_id, by), uid);
  return found.outbox;
}
