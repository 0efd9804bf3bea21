import { noteOutcome } from "@/server/features/webhooks/outcomes-service";
import { openSecrets } from "@/server/features/webhooks/service";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { failure, postJson, type Outcome } from "@/server/platform/http-client/post";
import { signHeaders } from "@/server/platform/http-client/signature";
import { logFor } from "@/server/platform/log";
import type { Due } from "@/server/platform/outbox/outbox";
import { nextDelay } from "@/server/platform/outbox/retry";

const log = logFor("webhooks");

/**
 * How long a claimed delivery belongs to whoever claimed it, in milliseconds: longer than any attempt takes. A worker
 * that died with it lets it go by this.
 */
export const leaseMs = 45_000;

/** Database access outside any organization: the outbox works for all of them. */
const everywhere = { db: prisma };

/** A delivery that this process, and no other, may send now. */
export interface Claim extends Due {
  organization_id: string;
  event_type: string;
  attempts: number;
  /** The raw body, byte for byte as it is signed and sent. */
  body: string;
  target_url: string;
  is_active: boolean;
  secret_sealed: string;
  previous_sealed: string | null;
  previous_until: Date | null;
}

/** Deliveries that are due, longest first, so many of each subscription that is not in `full`. */
export const dueDeliveries = (
  at: Date,
  choice: { full: string[]; except: string[]; perTarget: number; organizationId: string | null },
  limit: number,
): Promise<Due[]> =>
  query<Due>(
    everywhere,
    // From subscription to subscription along the index, so that a backlog of one is never read through for another's
    // sake.
    Prisma.sql`with recursive targets as (
        (select min(subscription_id) as target from webhook_deliveries where status = 'pending')
        union all
        select (select min(d.subscription_id) from webhook_deliveries d where d.status = 'pending' and d.subscription_id > t.target)
          from targets t where t.target is not null
      )
      select due.uid, t.target from targets t cross join lateral (
        select d.uid, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and d.subscription_id = t.target and d.next_attempt_at <= ${at}::timestamptz
          and d.uid <> all(${choice.except}::text[])
          ${choice.organizationId === null ? Prisma.empty : Prisma.sql`and d.organization_id = ${choice.organizationId}`}
        order by d.next_attempt_at limit ${choice.perTarget}) due
      where t.target <> all(${choice.full}::text[])
      order by due.next_attempt_at limit ${limit}`,
  );

/** Claims deliveries for one attempt; those that somebody else claimed, or that were ended, are left out. */
export const claimDeliveries = (uids: string[], at: Date): Promise<Claim[]> =>
  query<Claim>(
    everywhere,
    Prisma.sql`update webhook_deliveries d
      set attempts = d.attempts + 1, next_attempt_at = ${new Date(at.getTime() + leaseMs)}::timestamptz
      from webhook_subscriptions s
      where s.uid = d.subscription_id and d.uid in (select w.uid from webhook_deliveries w
        where w.uid = any(${uids}) and w.status = 'pending' and w.next_attempt_at <= ${at}::timestamptz
        order by w.uid for update skip locked)
      returning d.uid, d.subscription_id as target, d.organization_id, d.event_type, d.attempts, d.payload::text as body,
        s.target_url, s.is_active, s.secret_sealed, s.previous_sealed, s.previous_until`,
  );

async function attempt(claim: Claim): Promise<Outcome> {
  const { uid, event_type: event, body } = claim;
  // What was queued while the subscription was being turned off; a ping is somebody's own wish.
  if (!claim.is_active && event !== "test.ping") return failure("The subscription is turned off.", { final: true });
  try {
    const secrets = openSecrets({ organizationId: claim.organization_id }, { ...claim, uid: claim.target });
    const timestamp = Math.floor(Date.now() / 1_000);
    return await postJson(
      claim.target_url,
      body,
      signHeaders({ ...secrets, id: uid, timestamp, body, event, deliveryId: uid }),
    );
  } catch (error) {
    log.error({ err: error, delivery: uid }, "a delivery could not be sent");
    return failure("The delivery could not be sent.");
  }
}

/**
 * Sends a claimed delivery once and has it written down what became of it, with the time of the next attempt if there
 * is one.
 */
export async function deliver(claim: Claim, at: () => Date): Promise<Outcome> {
  const startedAt = new Date();
  const outcome = await attempt(claim);
  const delay = outcome.ok || outcome.final ? null : nextDelay(claim.attempts, outcome.retryAfterSeconds);
  const next = delay === null ? null : new Date(at().getTime() + delay);
  const durationMs = Math.max(0, Date.now() - startedAt.getTime());
  await noteOutcome({ claim, outcome, startedAt, durationMs, next });
  return outcome;
}
