import { toSentPayload } from "@/server/features/event-payloads/payload-service";
import { updateSubscriptionHealth } from "@/server/features/webhooks/health-service";
import { countAttempts } from "@/server/features/webhooks/hours-service";
import { openSecrets } from "@/server/features/webhooks/service";
import { databaseMs } from "@/server/platform/clock";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { failure, postJson, type Outcome } from "@/server/platform/http-client/post";
import { signHeaders } from "@/server/platform/http-client/signature";
import { identifier, type Claim, type OutboxDefinition } from "@/server/platform/outbox/definition";
import { Outbox } from "@/server/platform/outbox/outbox";
import { defaultRetryPolicy } from "@/server/platform/outbox/retry";
import { processWide } from "@/server/platform/process-wide";
import { announceSoon } from "@/server/platform/realtime/changes";
import { bool, jsonObject, type Native, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";

const deliveryRow = { event_type: text, payload: jsonObject };
type DeliveryRow = Wire<typeof deliveryRow>;

const subscriptionRow = {
  uid: text,
  target_url: text,
  is_active: bool,
  secret_sealed: text,
  previous_sealed: nullable(text),
  previous_until: nullable(timestamptz),
};
type Subscription = Native<typeof subscriptionRow>;

/** The outbox definition of webhook deliveries. */
export const webhookDeliveries: OutboxDefinition<DeliveryRow, Subscription> = {
  name: "webhooks",
  table: identifier("webhook_deliveries"),
  target: identifier("subscription_id"),
  sequence: null,
  columns: Prisma.sql`r.event_type, r.payload`,
  row: deliveryRow,
  received: "delivered",
  assignments: Prisma.sql`response_status = a.status_code, response_body = a.response, error = a.error,
    duration_ms = a.duration_ms`,
  attemptLog: {
    table: identifier("webhook_attempts"),
    row: identifier("delivery_id"),
    requestHeaders: identifier("request_headers"),
  },
  retry: defaultRetryPolicy,
  concurrency: { total: 256, initial: 8, max: 64 },
  unsent: "The delivery could not be sent.",
  loadTargets: loadSubscriptions,
  send,
  whileNoting: countAttempts,
  afterNoting: async (noted) => {
    const subscriptions = new Map(noted.map(({ claim }) => [claim.target, claim.organization_id]));
    for (const [uid, organizationId] of subscriptions) {
      const attempts = noted.filter(({ claim }) => claim.target === uid);
      await updateSubscriptionHealth({ uid, organizationId }, attempts);
      announceSoon(systemContext(prisma, organizationId), "webhook", uid, "updated");
    }
  },
};

async function loadSubscriptions(uids: string[]): Promise<Map<string, Subscription>> {
  const rows = await query(
    { db: prisma },
    subscriptionRow,
    Prisma.sql`select uid, target_url, is_active, secret_sealed, previous_sealed, previous_until
      from webhook_subscriptions where uid = any(${uids})`,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

async function send(claim: Claim<DeliveryRow>, subscription: Subscription): Promise<Outcome> {
  const { uid, organization_id: organizationId, event_type: event, payload } = claim;
  // Rejects deliveries queued while the subscription was being turned off; a ping is sent on request.
  if (!subscription.is_active && event !== "test.ping")
    return failure("The subscription is turned off.", { final: true });
  const secrets = openSecrets({ organizationId }, subscription);
  const body = JSON.stringify(await toSentPayload(systemContext(prisma, organizationId), payload));
  const timestamp = Math.floor(databaseMs() / 1_000);
  const headers = signHeaders({ ...secrets, id: uid, timestamp, body, event, deliveryId: uid });
  return postJson(subscription.target_url, body, { headers });
}

/** The webhook outbox of this process. */
export const webhookOutbox = (): Outbox<DeliveryRow, Subscription> =>
  processWide("webhookOutbox", () => new Outbox(webhookDeliveries));
