import type { WebhookState } from "@/domain/webhooks/delivery-status";
import type {
  CheckTarget,
  CreateWebhook,
  UpdateWebhook,
  WebhookFilters,
  WebhookListFilters,
} from "@/domain/webhooks/schema";
import { audit, difference } from "@/server/features/audit/service";
import { demoFilter } from "@/server/features/devices/demo-queries";
import type { WebhookResource, WebhookWithSecret } from "@/server/features/webhooks/resource";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { open, seal } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { checkReceiver, checkUrl } from "@/server/platform/http-client/http-client";
import { showAddress } from "@/server/platform/http-client/shown-address";
import { newWebhookSecret } from "@/server/platform/http-client/signature";
import { judgeUrl, type UrlVerdict } from "@/server/platform/http-client/url-verdict";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, notNull, nullable, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** Milliseconds for which the previous secret also signs after a rotation. */
const overlapMs = 24 * 3_600_000;

const columns = Prisma.sql`w.uid, w.target_url, w.events, w.is_active, w.disabled_reason, w.disabled_at, w.demo,
  w.failing_since, case when w.previous_until > now() then w.previous_until end as previous_secret_until, w.created_at, w.updated_at`;

const webhookRow = {
  uid: text,
  target_url: text,
  events: notNull(arrayOf(text)),
  is_active: bool,
  disabled_reason: text,
  disabled_at: nullable(timestamptz),
  demo: bool,
  failing_since: nullable(timestamptz),
  previous_secret_until: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** The row that a sealed secret is bound to: it cannot be opened in another row. */
export const webhookSecretOwner = (ctx: Pick<Ctx, "organizationId">, uid: string) =>
  `webhook ${ctx.organizationId} ${uid}`;

/** Opens the secrets of a subscription's row: the current one, and the previous one while it still signs. */
export function openSecrets(
  ctx: Pick<Ctx, "organizationId">,
  row: { uid: string; secret_sealed: string; previous_sealed: string | null; previous_until: Date | null },
): { secret: string; previousSecret: string | undefined } {
  const previous = row.previous_sealed !== null && row.previous_until !== null && row.previous_until > databaseNow();
  return {
    secret: open(row.secret_sealed, webhookSecretOwner(ctx, row.uid)),
    previousSecret: previous ? open(row.previous_sealed ?? "", webhookSecretOwner(ctx, row.uid)) : undefined,
  };
}

/** A subscription as this caller may see it: addresses may hold a token of the receiver. */
const show = (ctx: Ctx, webhook: WebhookResource): WebhookResource => ({
  ...webhook,
  target_url: showAddress(ctx, "webhooks.write", webhook.target_url),
});

const inState: Readonly<Record<WebhookState, Prisma.Sql>> = {
  on: Prisma.sql`w.is_active and w.failing_since is null`,
  failing: Prisma.sql`w.is_active and w.failing_since is not null`,
  turned_off: Prisma.sql`not w.is_active and w.disabled_reason <> ''`,
  off: Prisma.sql`not w.is_active and w.disabled_reason = ''`,
};

/** Subscriptions, newest first; in any of these states, and to any of these events. */
export async function listWebhooks(
  ctx: Ctx,
  { limit, cursor, state, event_type: events, demo }: WebhookFilters & Partial<WebhookListFilters>,
): Promise<Page<WebhookResource>> {
  const narrow = [
    Prisma.sql`w.organization_id = ${ctx.organizationId}`,
    ...(state
      ? [
          Prisma.sql`(${Prisma.join(
            state.map((each) => inState[each]),
            " or ",
          )})`,
        ]
      : []),
    ...(events ? [Prisma.sql`w.events && ${events}::text[]`] : []),
  ];
  const page = await keysetPage<WebhookResource>(ctx, {
    name: "webhooks",
    filters: { state, events, demo },
    page: { limit, cursor },
    order: { columns: ["w.uid"], direction: "desc" },
    key: (webhook) => [webhook.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        webhookRow,
        Prisma.sql`select ${columns} from webhook_subscriptions w
        where ${Prisma.join(narrow, " and ")} and ${where} ${demoFilter("w", demo)} order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map((webhook) => show(ctx, webhook)) };
}

/** One subscription, without its secret. Throws `not_found`. */
export async function getWebhook(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<WebhookResource> {
  const [row] = await query(
    ctx,
    webhookRow,
    Prisma.sql`select ${columns} from webhook_subscriptions w where w.uid = ${uid} and w.organization_id = ${ctx.organizationId} ${lock}`,
  );
  if (!row) throw notFound();
  return show(ctx, {
    ...row,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    previous_secret_until: row.previous_secret_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  });
}

/** The normalized URL. Throws `invalid("target_url")` for an address that is not allowed. */
async function normalizeUrl(targetUrl: string, of: { demo: boolean }): Promise<string> {
  const checked = await checkReceiver(targetUrl, of);
  if (!checked.ok) throw invalid("target_url", checked.message);
  return checked.url.href;
}

const takenMessage = "A webhook with this target URL already exists.";
/** Whether a URL could be the target of a webhook now, `uid` being the webhook that is changed. */
export async function checkTarget(ctx: Ctx, { target_url: url, uid }: CheckTarget): Promise<UrlVerdict> {
  const verdict = await judgeUrl(url, "nothing can be delivered to it");
  const checked = checkUrl(url);
  if (verdict.result === "refused" || !checked.ok) return verdict;
  const normalizedUrl = checked.url.href;
  const other = await ctx.db.webhookSubscription.findUnique({
    where: { organizationId_normalizedUrl: { organizationId: ctx.organizationId, normalizedUrl } },
    select: { uid: true },
  });
  return other && other.uid !== uid ? { result: "refused", message: takenMessage } : verdict;
}

const taken = () => invalid("target_url", takenMessage);

/**
 * Subscribes an address to events. Only this response contains the secret, given or generated. Throws
 * `invalid("target_url")` for an address that is not allowed or already subscribed.
 */
export async function createWebhook(ctx: Ctx, input: CreateWebhook & { demo?: boolean }): Promise<WebhookWithSecret> {
  const { demo = false } = input;
  const uid = uuidv7();
  const normalizedUrl = await normalizeUrl(input.target_url, { demo });
  const secret = input.secret ?? newWebhookSecret();
  return transaction(ctx, async (tx) => {
    const { organizationId } = tx;
    const { count } = await tx.db.webhookSubscription.createMany({
      data: [
        {
          uid,
          organizationId,
          targetUrl: input.target_url,
          normalizedUrl,
          events: input.events,
          isActive: input.is_active ?? true,
          secretSealed: seal(secret, webhookSecretOwner(tx, uid)),
          createdById: tx.actor.userId,
          demo,
        },
      ],
      skipDuplicates: true,
    });
    if (count === 0) throw taken();
    await audit(tx, {
      action: "webhook.created",
      targetType: "webhook",
      targetId: uid,
      targetName: input.target_url,
      after: { events: input.events },
    });
    await announce(tx, "webhook", uid, "created");
    return { ...(await getWebhook(tx, uid)), secret };
  });
}

/**
 * Changes the given fields; turning a subscription on again clears why it was turned off. Throws `not_found`,
 * `invalid("target_url")`.
 */
export async function updateWebhook(ctx: Ctx, uid: string, input: UpdateWebhook): Promise<WebhookResource> {
  return transaction(ctx, async (tx) => {
    const before = await getWebhook(tx, uid, Prisma.sql`for no key update`);
    const data: Prisma.WebhookSubscriptionUpdateInput = {};
    if (input.target_url !== undefined) {
      const normalizedUrl = await normalizeUrl(input.target_url, before);
      const other = await tx.db.webhookSubscription.findUnique({
        where: { organizationId_normalizedUrl: { organizationId: tx.organizationId, normalizedUrl } },
        select: { uid: true },
      });
      if (other && other.uid !== uid) throw taken();
      Object.assign(data, { targetUrl: input.target_url, normalizedUrl });
    }
    if (input.events !== undefined) data.events = input.events;
    if (input.is_active !== undefined && input.is_active !== before.is_active) {
      Object.assign(data, { isActive: input.is_active, disabledReason: "", disabledAt: null, failingSince: null });
    }
    if (Object.keys(data).length === 0) return before;
    await tx.db.webhookSubscription.update({ where: { uid }, data });
    if (input.is_active === false) await endPending(tx, uid, "The subscription was turned off.");
    const after = await getWebhook(tx, uid);
    const changed = difference({ ...before, updated_at: "" }, { ...after, updated_at: "" });
    await audit(tx, {
      action: "webhook.updated",
      targetType: "webhook",
      targetId: uid,
      targetName: after.target_url,
      ...changed,
    });
    await announce(tx, "webhook", uid, "updated");
    return after;
  });
}

/** Marks the pending deliveries of a subscription as failed; the rows stay. */
export const endPending = (tx: Pick<Ctx, "db">, uid: string, why: string): Promise<number> =>
  execute(
    tx,
    Prisma.sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, error = ${why}, updated_at = now()
      where subscription_id = ${uid} and status = 'pending'`,
  );

/** Deletes a subscription. Its pending deliveries fail and stay on record. Throws `not_found`. */
export async function deleteWebhook(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const webhook = await getWebhook(tx, uid, Prisma.sql`for update`);
    await endPending(tx, uid, "The subscription was deleted.");
    await tx.db.webhookSubscription.delete({ where: { uid } });
    await audit(tx, {
      action: "webhook.deleted",
      targetType: "webhook",
      targetId: uid,
      targetName: webhook.target_url,
    });
    await announce(tx, "webhook", uid, "deleted");
  });
}

/**
 * Gives a subscription a new secret, which only this response contains; the previous one also signs for 24 hours.
 * Throws `not_found`.
 */
export async function rotateWebhookSecret(ctx: Ctx, uid: string): Promise<WebhookWithSecret> {
  const secret = newWebhookSecret();
  return transaction(ctx, async (tx) => {
    const webhook = await getWebhook(tx, uid, Prisma.sql`for no key update`);
    await execute(
      tx,
      Prisma.sql`update webhook_subscriptions set previous_sealed = secret_sealed, previous_until = ${new Date(databaseMs() + overlapMs)},
          secret_sealed = ${seal(secret, webhookSecretOwner(tx, uid))}, updated_at = now() where uid = ${uid}`,
    );
    await audit(tx, {
      action: "webhook.secret_rotated",
      targetType: "webhook",
      targetId: uid,
      targetName: webhook.target_url,
    });
    await announce(tx, "webhook", uid, "updated");
    return { ...(await getWebhook(tx, uid)), secret };
  });
}
