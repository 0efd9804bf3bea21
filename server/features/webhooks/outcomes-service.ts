import { audit } from "@/server/features/audit/service";
import { endPending } from "@/server/features/webhooks/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import type { Outcome } from "@/server/platform/http-client/post";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { uuidv7 } from "@/server/platform/uid";

const log = logFor("webhooks");

/** Without a success for so long (milliseconds), a subscription is turned off. */
const patienceMs = 120 * 3_600_000;
/** Outcomes wait so long (milliseconds) for others to be written down with. */
const gatherMs = 10;

/** What became of one attempt. */
export interface Noted {
  claim: { uid: string; target: string; organization_id: string; attempts: number };
  outcome: Outcome;
  startedAt: Date;
  durationMs: number;
  /** When the next attempt is due; null when there is none. */
  next: Date | null;
}

interface Waiting {
  noted: Noted;
  done: () => void;
  failed: (error: unknown) => void;
}

const waiting = processWide("webhookOutcomes", () => ({ list: [] as Waiting[] }));

/**
 * Writes an outcome down, together with those that come in the same moment: one statement for hundreds. Resolves once
 * it is kept.
 */
export function noteOutcome(noted: Noted): Promise<void> {
  return new Promise((done, failed) => {
    if (waiting.list.length === 0) setTimeout(() => void flush(), gatherMs);
    waiting.list.push({ noted, done, failed });
  });
}

async function flush(): Promise<void> {
  const batch = waiting.list.splice(0);
  try {
    await write(batch.map(({ noted }) => noted));
    for (const { done } of batch) done();
  } catch (error) {
    for (const { failed } of batch) failed(error);
  }
}

async function write(batch: readonly Noted[]): Promise<void> {
  const outcome = batch.map(({ claim, outcome: { ok, statusCode, response, error }, startedAt, durationMs, next }) => ({
    uid: claim.uid,
    attempts: claim.attempts,
    status: ok ? "delivered" : next ? "pending" : "failed",
    next: next?.toISOString() ?? null,
    ok,
    status_code: statusCode,
    response,
    error,
    attempt: uuidv7(),
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
  }));
  // Guarded by the attempt: after the lease another worker may have taken it over, and its word counts then.
  await query(
    { db: prisma },
    Prisma.sql`with said as (
        select * from json_to_recordset(${JSON.stringify(outcome)}::json) as t(uid text, attempts int, status text, next timestamptz,
          ok boolean, status_code int, response text, error text, attempt text, started_at timestamptz, duration_ms int)),
      kept as (
        update webhook_deliveries d set status = s.status, next_attempt_at = s.next, response_status = s.status_code,
            response_body = s.response, error = s.error, updated_at = now()
          from said s where d.uid = s.uid and d.status = 'pending' and d.attempts = s.attempts returning d.uid)
      insert into webhook_attempts (uid, delivery_id, started_at, duration_ms, ok, status_code, error, response)
        select s.attempt, s.uid, s.started_at, s.duration_ms, s.ok, s.status_code, s.error, s.response
        from said s join kept on kept.uid = s.uid returning 1`,
  );
  const targets = new Map<string, Noted[]>();
  for (const noted of batch) targets.set(noted.claim.target, [...(targets.get(noted.claim.target) ?? []), noted]);
  for (const [uid, noted] of targets) await judge(uid, noted);
}

/** What a subscription's outcomes say of it: it works again, it fails, it is gone. */
async function judge(uid: string, noted: readonly Noted[]): Promise<void> {
  const [first] = noted;
  if (!first) return;
  const ctx = systemContext(prisma, first.claim.organization_id, "webhooks");
  if (noted.some(({ outcome }) => outcome.statusCode === 410)) return turnOff(ctx, uid, "gone");
  if (noted.some(({ outcome }) => outcome.ok)) {
    await execute(
      ctx,
      Prisma.sql`update webhook_subscriptions set failing_since = null where uid = ${uid} and failing_since is not null`,
    );
    return;
  }
  const rows = await query<{ failing_since: Date }>(
    ctx,
    Prisma.sql`update webhook_subscriptions set failing_since = coalesce(failing_since, ${first.startedAt}::timestamptz)
      where uid = ${uid} and is_active returning failing_since`,
  );
  if (rows.some((row) => first.startedAt.getTime() - row.failing_since.getTime() >= patienceMs))
    await turnOff(ctx, uid, "failing");
}

const why = {
  gone: "The receiver said that it is gone for good (410), so the subscription was turned off.",
  failing: "Nothing was delivered for 120 hours, so the subscription was turned off.",
} as const;

async function turnOff(ctx: Ctx, uid: string, reason: keyof typeof why): Promise<void> {
  await transaction(ctx, async (tx) => {
    const rows = await query<{ target_url: string }>(
      tx,
      Prisma.sql`update webhook_subscriptions set is_active = false, disabled_reason = ${reason}, disabled_at = now(), updated_at = now()
        where uid = ${uid} and is_active returning target_url`,
    );
    if (!rows[0]) return;
    await endPending(tx, uid, why[reason]);
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
