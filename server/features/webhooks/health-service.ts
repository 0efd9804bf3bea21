import { audit } from "@/server/features/audit/service";
import { endPending } from "@/server/features/webhooks/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import type { Outcome } from "@/server/platform/http-client/post";
import { logFor } from "@/server/platform/log";
import { notNull, text, timestamptz } from "@/server/platform/rows";

const log = logFor("webhooks");

/** Milliseconds without a successful delivery after which a subscription is turned off. */
const disableAfterMs = 120 * 3_600_000;

interface Subscription {
  uid: string;
  organizationId: string;
}

/**
 * Updates the health of a subscription from the outcomes of concurrent attempts. Turns it off when the receiver
 * returned 410, or when no delivery succeeded for 120 hours.
 */
export async function updateSubscriptionHealth(
  { uid, organizationId }: Subscription,
  attempts: readonly { outcome: Outcome; startedAt: Date }[],
): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "webhooks");
  if (attempts.some(({ outcome }) => outcome.statusCode === 410)) return turnOff(ctx, uid, "gone");
  if (attempts.some(({ outcome }) => outcome.ok)) {
    await execute(
      ctx,
      Prisma.sql`update webhook_subscriptions set failing_since = null where uid = ${uid} and failing_since is not null`,
    );
    return;
  }
  const startedAt = new Date(Math.min(...attempts.map((attempt) => attempt.startedAt.getTime())));
  const rows = await query(
    ctx,
    { failing_since: notNull(timestamptz) },
    Prisma.sql`update webhook_subscriptions set failing_since = coalesce(failing_since, ${startedAt}::timestamptz)
      where uid = ${uid} and is_active returning failing_since`,
  );
  if (rows.some((row) => startedAt.getTime() - row.failing_since.getTime() >= disableAfterMs))
    await turnOff(ctx, uid, "failing");
}

const turnOffReasons = {
  gone: "The receiver said that it is gone for good (410), so the subscription was turned off.",
  failing: "Nothing was delivered for 120 hours, so the subscription was turned off.",
} as const;

async function turnOff(ctx: Ctx, uid: string, reason: keyof typeof turnOffReasons): Promise<void> {
  await transaction(ctx, async (tx) => {
    const rows = await query(
      tx,
      { target_url: text },
      Prisma.sql`update webhook_subscriptions set is_active = false, disabled_reason = ${reason}, disabled_at = now(), updated_at = now()
        where uid = ${uid} and is_active returning target_url`,
    );
    if (!rows[0]) return;
    await endPending(tx, uid, turnOffReasons[reason]);
    await audit(tx, {
      action: "webhook.disabled",
      targetType: "webhook",
      targetId: uid,
      targetName: rows[0].target_url,
      after: { is_active: false, disabled_reason: reason },
    });
    log.warn({ webhook: uid, reason }, "a webhook subscription was turned off");
  });
}
