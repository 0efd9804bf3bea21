import type { Product } from "@/bench/product";
import { until } from "@/bench/product";
import { report } from "@/bench/report";
import { int4, queryRows } from "@/server/platform/rows";
import { startReceiver } from "@/server/testing/receiver";

const events = 10_000;
const subscriptions = 3;
const targetRate = 1_000;

/** Deliveries per second while a backlog drains to a local receiver, beside the same requests made by `fetch` alone. */
export async function benchWebhooks(product: Product): Promise<void> {
  let arrived = 0;
  const receiver = await startReceiver((_received, response) => {
    arrived++;
    response.end("ok");
  });
  try {
    const hooks: string[] = [];
    for (let n = 0; n < subscriptions; n++) {
      const body = { target_url: `${receiver.url}/hook-${n}`, events: ["task.completed"] };
      hooks.push((await product.call<{ uid: string }>("POST", "/webhooks/", body)).uid);
    }
    const started = performance.now();
    await product.database.query(
      `insert into webhook_deliveries (uid, organization_id, subscription_id, event_type, payload, next_attempt_at)
       select gen_random_uuid(), $1, hook, 'task.completed',
         json_build_object('event', 'task.completed', 'task_uid', gen_random_uuid(), 'task_name', 'frame ' || n, 'task_type', 'image-annotation',
           'task_status', 'completed', 'project_uid', gen_random_uuid()), now()
       from unnest($2::text[]) hook, generate_series(1, $3::int) n`,
      [product.organizationId, hooks, events],
    );
    const open =
      "select count(*)::int as open from webhook_deliveries where status = 'pending' and subscription_id = any($1)";
    await until("the backlog's end", 300, async () => {
      if (arrived < events * subscriptions) return false;
      return (await queryRows(product.database, { open: int4 }, open, [hooks]))[0]?.open === 0;
    });
    const seconds = (performance.now() - started) / 1_000;
    const [first] = await queryRows(
      product.database,
      { delivered: int4 },
      "select count(*)::int as delivered from webhook_deliveries where status = 'delivered' and attempts = 1 and subscription_id = any($1)",
      [hooks],
    );
    if (first?.delivered !== events * subscriptions)
      throw new Error(`${first?.delivered} were delivered at the first attempt`);
    const rate = (events * subscriptions) / seconds;
    const anchor = await bareRate(receiver.url);
    report({
      name: `Draining ${events} events to ${subscriptions} webhooks beside bare requests`,
      measured: rate,
      anchor,
      unit: "deliveries/s",
      ratio: rate / targetRate,
      atLeast: 1,
      note: `ratio to ${targetRate} per second`,
    });
    for (const uid of hooks) await product.call("DELETE", `/webhooks/${uid}/`);
  } finally {
    await receiver.close();
  }
}

/** Requests per second at a concurrency of 64, without signatures or a database. */
async function bareRate(url: string): Promise<number> {
  const total = 5_000;
  let left = total;
  const started = performance.now();
  const lane = async () => {
    while (left-- > 0) await (await fetch(url, { method: "POST", body: '{"event":"task.completed"}' })).text();
  };
  await Promise.all(Array.from({ length: 64 }, lane));
  return total / ((performance.now() - started) / 1_000);
}
