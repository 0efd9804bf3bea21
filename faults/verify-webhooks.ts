import type { Product } from "@/bench/product";
import { toEventKey, type Caused } from "@/faults/curate";
import type { Subscription, Subscriptions } from "@/faults/subscriptions";
import { promise } from "@/faults/verdict";
import { queryRows, text, type Wire } from "@/server/platform/rows";

interface Evidence {
  product: Product;
  subscriptions: Subscriptions;
  caused: Caused;
  /** Deliveries that kills of the worker or of the database may have cut off. */
  cutOff: number;
}

/** A delivery as stored by the product. */
const deliveryRow = { uid: text, event_type: text, body: text, name: text, status: text };
type Delivery = Wire<typeof deliveryRow>;

/** Share of deliveries that may be duplicated. Below `fewDeliveries`, as many as the kills may have cut off. */
const maxDuplicateShare = 0.1;
const fewDeliveries = 1_000;

/**
 * Compares what arrived at the subscriptions with the deliveries that the product stored, and those with what was
 * caused.
 */
export async function verifyWebhooks({ product, subscriptions, caused, cutOff }: Evidence): Promise<void> {
  const rows = new Map<Subscription, Delivery[]>();
  for (const subscription of subscriptions.list) rows.set(subscription, await listDeliveries(product, subscription));
  const each = <T>(find: (subscription: Subscription, deliveries: Delivery[]) => T[]) =>
    [...rows].flatMap(([subscription, deliveries]) => find(subscription, deliveries));
  const total = each((_, deliveries) => deliveries).length;

  verifyEmitted(rows, caused);
  const brokenOff = each(({ brokenOff: ids }) => [...ids]).length;
  promise(
    `each of ${total} deliveries to ${rows.size} subscriptions got a 2xx, including ${brokenOff} whose sender was killed before`,
    each(({ uid, arrived }, deliveries) =>
      deliveries.filter((row) => !arrived.has(row.uid)).map((row) => `${row.uid} to ${uid}: ${row.status}`),
    ),
  );
  promise(
    "each of them is recorded as delivered",
    each((_, deliveries) =>
      deliveries.filter(({ status }) => status !== "delivered").map(({ uid, status }) => `${uid} is ${status}`),
    ),
  );
  promise("each request was signed with its subscription's secret", subscriptions.refused);
  const bodyByUid = new Map(
    each((_, deliveries) => deliveries.map(({ uid, body }): [string, string] => [uid, asStored(body)])),
  );
  promise(
    "each body is that of its delivery, also in duplicates",
    each(({ arrived }) =>
      [...arrived]
        .filter(([id, { bodies }]) => [...bodies].some((body) => asStored(body) !== bodyByUid.get(id)))
        .map(([id]) => id),
    ),
  );
  verifyDuplicates(
    each(({ arrived }) => [...arrived.values()]),
    total,
    cutOff,
  );
}

/** A body without what every attempt adds and no delivery stores: links to exports, and the data of results. */
function asStored(body: string): string {
  if (!/"(export\.completed|result\.\w+)"/.test(body)) return body;
  const {
    download_url: _,
    result_data: __,
    result_metadata: ___,
    ...rest
  } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(rest);
}

const listDeliveries = ({ database }: Product, { uid }: Subscription): Promise<Delivery[]> =>
  queryRows(
    database,
    deliveryRow,
    `select uid, event_type, payload::text as body, payload->>'name' as name, status from webhook_deliveries where subscription_id = $1`,
    [uid],
  );

/** Acknowledged changes are emitted once to each subscriber; those without a response to all subscribers or to none. */
function verifyEmitted(rows: Map<Subscription, Delivery[]>, { certain, possible }: Caused): void {
  const counts = new Map<Subscription, Map<string, number>>();
  for (const [subscription, deliveries] of rows) {
    const count = new Map<string, number>();
    for (const { event_type, name } of deliveries)
      count.set(toEventKey(event_type, name), (count.get(toEventKey(event_type, name)) ?? 0) + 1);
    counts.set(subscription, count);
  }
  const interested = (key: string) =>
    [...counts].filter(([{ events }]) => events.some((type) => key.startsWith(`${type} `)));
  const countEach = (key: string) => interested(key).map(([, count]) => count.get(key) ?? 0);
  const lost = [...certain].filter((key) => countEach(key).some((count) => count !== 1));
  promise(
    `each of ${certain.size} acknowledged platform events is emitted once to each subscriber`,
    lost.map((key) => `${key}: ${countEach(key).join()}`),
  );
  const partial = [...possible].filter(
    (key) => new Set(countEach(key)).size > 1 || countEach(key).some((count) => count > 1),
  );
  promise(
    `each of ${possible.size} whose request got no response is emitted to all or none`,
    partial.map((key) => `${key}: ${countEach(key).join()}`),
  );
  const unexpected = [...counts].flatMap(([{ uid, events }, count]) =>
    [...count.keys()]
      .filter((key) => !(certain.has(key) || possible.has(key)) || !events.some((type) => key.startsWith(`${type} `)))
      .map((key) => `${key} to ${uid}`),
  );
  promise("no platform event is emitted without a cause or a subscriber", unexpected);
}

function verifyDuplicates(arrivals: { times: number }[], total: number, cutOff: number): void {
  const duplicated = arrivals.filter(({ times }) => times > 1).length;
  const share = ((100 * duplicated) / Math.max(1, total)).toFixed(1);
  const max = Math.max(Math.floor(total * maxDuplicateShare), total < fewDeliveries ? cutOff : 0);
  promise(
    `${duplicated} deliveries (${share} %) were duplicated, at most ${max} may; the kills cut off up to ${cutOff}`,
    duplicated > max ? [`${duplicated} of ${total}`] : [],
  );
}
