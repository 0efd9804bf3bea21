import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Product } from "@/bench/product";
import type { PlatformEventType } from "@/domain/platform-events/schema";
import { startReceiver, type Received } from "@/server/testing/receiver";

/** A webhook subscription as its receiver knows it. */
export interface Subscription {
  uid: string;
  secret: string;
  events: readonly PlatformEventType[];
  /** Deliveries that got a 2xx, by id: how often, and with which bodies. */
  arrived: Map<string, { times: number; bodies: Set<string> }>;
  /** Deliveries whose sender had ended before the response; they do not count as arrived and must be repeated. */
  brokenOff: Set<string>;
}

export interface Subscriptions {
  list: readonly Subscription[];
  /** Requests without a valid signature, or to an unknown path. */
  refused: string[];
  /** Number of deliveries without a response yet. */
  unanswered: () => number;
  /**
   * How many deliveries a kill at `moment` (of `performance.now()`) may have cut off: those whose response was not sent
   * or not yet recorded, and those sent before but read here afterwards. To be called a second later.
   */
  cutOffAt: (moment: number) => number;
  close: () => Promise<void>;
}

const interests: readonly (readonly PlatformEventType[])[] = [
  ["dataset.created", "dataset.updated", "dataset.deleted", "export.completed", "export.failed"],
  ["dataset.created", "dataset.updated"],
  ["export.completed", "dataset.deleted"],
];
/** Long enough to notice that a killed sender has closed the connection, and short compared with a delivery's lease. */
const responseDelayMs = 300;
const notedAfterMs = 500;
const readWithinMs = 1_000;

function findFault({ secret }: Subscription, { body, headers }: Received): string | null {
  const hex = createHmac("sha256", Buffer.from(secret, "utf8")).update(body).digest("hex");
  if (headers["x-service-signature"] !== hex) return "X-Service-Signature does not sign its body";
  if (headers["x-service-delivery"] !== headers["webhook-id"]) return "webhook-id is not the delivery's";
  try {
    const { event } = new Webhook(secret).verify(body, headers) as { event: string };
    return headers["x-service-event"] === event ? null : "X-Service-Event is not the body's event";
  } catch (error) {
    return `webhook-signature: ${String(error)}`;
  }
}

/** Subscribes `count` webhooks to a receiver that checks every signature before it responds. */
export async function subscribe(product: Product, count: number): Promise<Subscriptions> {
  const list: Subscription[] = [];
  const refused: string[] = [];
  const arrivals: number[] = [];
  let unanswered = 0;
  const receiver = await startReceiver((received, response) => {
    const subscription = list[Number(/^\/hook-(\d+)$/.exec(received.path)?.[1])];
    const fault = subscription ? findFault(subscription, received) : "no subscription has this path";
    const id = received.headers["webhook-id"] ?? "";
    if (!subscription || fault !== null) {
      refused.push(`${received.path} ${id}: ${fault}`);
      response.writeHead(400).end();
      return;
    }
    unanswered++;
    arrivals.push(performance.now());
    setTimeout(() => {
      unanswered--;
      if (response.destroyed) {
        subscription.brokenOff.add(id);
        return;
      }
      const known = subscription.arrived.get(id) ?? { times: 0, bodies: new Set() };
      known.times++;
      known.bodies.add(received.body);
      subscription.arrived.set(id, known);
      response.end("ok");
    }, responseDelayMs);
  });
  for (let n = 0; n < count; n++) {
    const events = interests[n % interests.length] ?? [];
    const made = await product.call<{ uid: string; secret: string }>("POST", "/webhooks/", {
      target_url: `${receiver.url}/hook-${n}`,
      events,
    });
    list.push({ uid: made.uid, secret: made.secret, events, arrived: new Map(), brokenOff: new Set() });
  }
  const cutOffAt = (moment: number) =>
    arrivals.filter((at) => at > moment - responseDelayMs - notedAfterMs && at < moment + readWithinMs).length;
  return { list, refused, unanswered: () => unanswered, cutOffAt, close: () => receiver.close() };
}
