import type { ChannelType } from "@/domain/channels/channel-type";
import type { ChannelConfig } from "@/domain/channels/registry";
import { openConfig } from "@/server/features/channels/config";
import type { Message } from "@/server/features/channels/message";
import { wakeAt } from "@/server/features/channels/queue-service";
import { sendOver } from "@/server/features/channels/senders";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { failure, type Outcome } from "@/server/platform/http-client/post";
import { logFor } from "@/server/platform/log";
import type { Due } from "@/server/platform/outbox/outbox";
import { nextDelay } from "@/server/platform/outbox/retry";
import { announce } from "@/server/platform/realtime/changes";
import { uuidv7 } from "@/server/platform/uid";

const log = logFor("channels");

/**
 * How long a claimed message belongs to whoever claimed it, in milliseconds: longer than any attempt takes. A worker
 * that died with it lets it go by this.
 */
export const leaseMs = 45_000;

/** Database access outside any organization: the outbox works for all of them. */
const everywhere = { db: prisma };

/** A message that this process, and no other, may send now. */
export interface Claim {
  uid: string;
  organization_id: string;
  /** The channel. */
  target: string;
  alert_id: string | null;
  attempts: number;
  payload: Message;
  type: ChannelType;
  config: unknown;
  secrets_sealed: string | null;
}

/**
 * Messages that are due, longest first, of channels not in `full` and not in `except`. A message waits for the earlier
 * ones of its alert and channel, so that nobody hears of the end before the beginning.
 */
export const dueNotifications = (
  at: Date,
  { full, except, organizationId }: { full: string[]; except: string[]; organizationId: string | null },
  limit: number,
): Promise<Due[]> =>
  query<Due>(
    everywhere,
    Prisma.sql`select n.uid, n.channel_id as target from notifications n
      where n.status = 'pending' and n.next_attempt_at <= ${at}::timestamptz
        and n.channel_id <> all(${full}::text[]) and n.uid <> all(${except}::text[])
        ${organizationId === null ? Prisma.empty : Prisma.sql`and n.organization_id = ${organizationId}`}
        and not exists (select 1 from notifications e where e.alert_id = n.alert_id and e.channel_id = n.channel_id
          and e.status = 'pending' and e.uid < n.uid)
      order by n.next_attempt_at limit ${limit}`,
  );

/** Claims messages for one attempt; those that somebody else claimed, or that were taken back, are left out. */
export const claimNotifications = (uids: string[], at: Date): Promise<Claim[]> =>
  query<Claim>(
    everywhere,
    Prisma.sql`update notifications n
      set attempts = n.attempts + 1, next_attempt_at = ${new Date(at.getTime() + leaseMs)}::timestamptz, updated_at = now()
      from channels c
      where c.uid = n.channel_id and n.uid in (select w.uid from notifications w
        where w.uid = any(${uids}) and w.status = 'pending' and w.next_attempt_at <= ${at}::timestamptz
        order by w.uid for update skip locked)
      returning n.uid, n.organization_id, n.channel_id as target, n.alert_id, n.attempts, n.payload, c.type, c.config, c.secrets_sealed`,
  );

async function attempt(claim: Claim): Promise<Outcome> {
  const { target: uid, organization_id: organizationId, config, secrets_sealed: secretsSealed } = claim;
  let opened: ChannelConfig<ChannelType>;
  try {
    opened = openConfig({ uid, organizationId, config, secretsSealed }) as ChannelConfig<ChannelType>;
  } catch {
    return failure("The channel's secrets cannot be read any more. Enter them again.", { final: true });
  }
  try {
    return await sendOver(claim.type, opened, claim.payload, claim.uid);
  } catch (error) {
    log.error({ err: error, notification: claim.uid, type: claim.type }, "a message could not be sent");
    return failure("The message could not be sent.");
  }
}

/**
 * Sends a claimed message once and writes down what became of it, with the time of the next attempt where there is one.
 */
export async function deliver(claim: Claim, at: () => Date): Promise<Outcome> {
  const startedAt = new Date();
  const outcome = await attempt(claim);
  const delay = outcome.ok || outcome.final ? null : nextDelay(claim.attempts, outcome.retryAfterSeconds);
  const next = delay === null ? null : new Date(at().getTime() + delay);
  const status = outcome.ok ? "delivered" : next ? "pending" : "failed";
  await transaction(systemContext(prisma, claim.organization_id), async (tx) => {
    // Guarded by the attempt: after the lease another worker may have taken it over, and its word counts then.
    const updated = await execute(
      tx,
      Prisma.sql`update notifications set status = ${status}, next_attempt_at = ${next}::timestamptz,
          status_code = ${outcome.statusCode}::int, error = ${outcome.error}, updated_at = now()
        where uid = ${claim.uid} and status = 'pending' and attempts = ${claim.attempts}`,
    );
    if (updated === 0) return;
    await logAttempt(tx, claim.uid, startedAt, outcome);
    if (next) await wakeAt(tx, claim.uid, next);
    if (claim.alert_id) await announce(tx, "alert", claim.alert_id, "updated");
    await announce(tx, "channel", claim.target, "updated");
  });
  return outcome;
}

/** Adds an attempt to a message's log. */
export async function logAttempt(tx: Ctx, notificationId: string, startedAt: Date, outcome: Outcome): Promise<void> {
  await tx.db.notificationAttempt.create({
    data: {
      uid: uuidv7(),
      notificationId,
      startedAt,
      durationMs: Math.max(0, Date.now() - startedAt.getTime()),
      ok: outcome.ok,
      statusCode: outcome.statusCode,
      error: outcome.error,
      response: outcome.response,
    },
  });
}
