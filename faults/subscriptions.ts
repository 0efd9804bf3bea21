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
  /** What was answered with a 2xx, by the delivery's id: how often, and each body it came with. */
  arrived: Map<string, { times: number; bodies: Set<string> }>;
  /** What came whose sender was gone before the answer: the receiver keeps nothing of it, so it has to come again. */
  brokenOff: Set<string>;
}

export interface Subscriptions {
  list: readonly Subscription[];
  /** Requests that were not signed as the contract says, or were addressed to nobody. */
  refused: string[];
  /** Deliveries that have come and are not answered yet. */
  unanswered: () => number;
  /**
   * What a kill at this moment (of `performance.now()`) cut off, to be asked a second later: deliveries that were not
   * answered, or so lately that it may not have been noted, and those that were sent before it and read here after it.
   */
  cutOffAt: (moment: number) => number;
  close: () => Promise<void>;
}

const interests: readonly (readonly PlatformEventType[])[] = [
  ["dataset.created", "dataset.updated", "dataset.deleted", "export.completed", "export.failed"],
  ["dataset.created", "dataset.updated"],
  ["export.completed", "dataset.deleted"],
];
/**
 * Long enough for a killed sender, which takes a while to be gone, to be missed, and short beside the lease of a
 * delivery.
 */
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

/** Subscribes `count` webhooks to a receiver that checks every signature before it answers. */
export async function subscribe(product: Product, count: number): Promise<Subscriptions> {
  const list: Subscription[] = [];
  const refused: string[] = [];
  const arrivals: number[] = [];
  let unanswered = 0;
  const receiver = await startReceiver((received, response) => {
    const subscription = list[Number(/^\/hook-(\d+)$/.exec(received.path)?.[1])];
    const fault = subscription ? findFault(subscription, received) : "nobody subscribed with this path";
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
