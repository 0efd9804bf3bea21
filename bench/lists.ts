import type { Product } from "@/bench/product";
import { report } from "@/bench/report";

/** Inserts rows as the product writes them, in one statement. */
export async function addEvents(
  product: Product,
  count: number,
  target: { recordingId: string; deviceId: string },
): Promise<void> {
  await product.database.query(
    `with written as (
       insert into events (uid, organization_id, recording_id, device_id, type, severity, label, timestamp_ns, tags, metadata, source)
       select 'evt_' || gen_random_uuid(), $2, $3, $4,
         (array['error','warning','info','state_change','anomaly','custom'])[1 + n % 6],
         (array['info','warning','error','critical'])[1 + n % 4],
         'event ' || n, 1700000000000000000 + n::bigint * 1000000,
         case when n % 100 = 0 then array['rare'] when n % 3 = 0 then array['common'] else '{}' end,
         jsonb_build_object('n', n), 'api_key'
       from generate_series(1, $1::int) n
       returning organization_id, tags, timestamp_ns, uid)
     insert into event_tags (organization_id, tag, timestamp_ns, event_id)
     select organization_id, tag, timestamp_ns, uid from written, unnest(tags) as tag`,
    [count, product.organizationId, target.recordingId, target.deviceId],
  );
  await product.database.query("vacuum analyze events");
  await product.database.query("vacuum analyze event_tags");
}

const at = (n: number) => new Date(1_700_000_000_000 + n).toISOString();
const queries = (target: { recordingId: string; deviceId: string }): string[] => [
  "",
  "order_by=timestamp",
  "type=error",
  "severity=critical,error",
  "type=anomaly&severity=info",
  "tags=rare",
  "tags=common",
  `since=${at(4_000)}&until=${at(9_000)}`,
  `recording_id=${target.recordingId}`,
  `device_id=${target.deviceId}&type=error`,
];

/** p95 in milliseconds over all filters and the first three pages of each. */
async function latency(product: Product, target: { recordingId: string; deviceId: string }): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 12; round++) {
    for (const query of queries(target)) {
      let url: string | null = `${product.url}/api/v1/fleet/events/?${query}`;
      for (let page = 0; page < 3 && url; page++) {
        const started = performance.now();
        const response: Response = await fetch(url, { headers: { "x-service-api-key": product.key } });
        const body = (await response.json()) as { next: string | null };
        if (round > 1) times.push(performance.now() - started);
        url = body.next;
      }
    }
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.95)] ?? 0;
}

/** The latency of a list does not grow with its table: the same pages at 1,000,000 events as at 10,000. */
export async function benchLists(product: Product): Promise<void> {
  const device = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "long-runner" });
  const recording = await product.call<{ uid: string }>("POST", "/fleet/recordings/", { device_id: device.uid });
  const target = { recordingId: recording.uid, deviceId: device.uid };
  await addEvents(product, 10_000, target);
  const few = await latency(product, target);
  await addEvents(product, 990_000, target);
  const many = await latency(product, target);
  report({
    name: "p95 of the events list at 1,000,000 rows beside 10,000",
    measured: many,
    anchor: few,
    unit: "ms",
    ratio: many / few,
    below: 1.5,
  });
}
