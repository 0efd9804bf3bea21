import type { Browser } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import type { Product } from "@/bench/product";

const deliveries = 1_000_000;
const executions = 100_000;
/** Nine of ten rows belong to the first webhook or agent, the others are shared by the rest. */
const targets = 10;

export interface Consoles {
  webhook: string;
  agent: string;
}

/** SQL: uids that sort by `at`, as the product's own do. */
export const uidAt = (at: string): string =>
  `overlay(overlay(overlay(overlay(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
     || 'a' || substr(md5(n::text), 4, 3) || substr(md5(n::text), 7, 12) placing '-' from 9 for 0) placing '-' from 14 for 0)
     placing '-' from 19 for 0) placing '-' from 24 for 0)`;

/** Webhooks with 1,000,000 deliveries of a month and agents with 100,000 executions, as an organization with much traffic has. */
export async function addConsoles(product: Product): Promise<Consoles> {
  const hooks: string[] = [];
  const agents: string[] = [];
  for (let n = 0; n < targets; n++) {
    // Nothing is sent to them, because the rows that wait are not due for a day.
    const at = `https://receiver-${n}.example.com/muster`;
    const webhook = { target_url: at, events: ["task.completed", "result.submitted"] };
    hooks.push((await product.call<{ uid: string }>("POST", "/webhooks/", webhook)).uid);
    const agent = { name: `agent-${n}`, events: ["result.submitted"], callback_url: n % 2 ? at : "" };
    agents.push((await product.call<{ uid: string }>("POST", "/agents/", agent)).uid);
  }
  await addDeliveries(product, hooks);
  await addExecutions(product, agents);
  for (const table of ["webhook_deliveries", "webhook_attempts", "webhook_hours", "agent_executions"])
    await product.database.query(`vacuum analyze ${table}`);
  return { webhook: hooks[0] ?? "", agent: agents[0] ?? "" };
}

async function addDeliveries({ database, organizationId }: Product, hooks: readonly string[]): Promise<void> {
  const at = `now() - (n * 2592000.0 / ${deliveries}) * interval '1 second'`;
  await database.query(
    `insert into webhook_deliveries (uid, organization_id, subscription_id, event_type, payload, object_id, status, attempts,
       next_attempt_at, response_status, response_body, error, duration_ms, created_at, updated_at)
     select ${uidAt("t.at")}, $1, ($2::text[])[1 + case when n % 10 = 0 then 1 + n / 10 % ${targets - 1} else 0 end],
       (array['task.completed','result.submitted'])[1 + n % 2],
       json_build_object('event', (array['task.completed','result.submitted'])[1 + n % 2], 'task_uid', md5(n::text)::uuid,
         'task_name', 'frame ' || n, 'task_type', 'image-annotation', 'task_status', 'completed', 'project_uid', md5((n % 7)::text)::uuid),
       md5(n::text)::uuid::text, s.status, case s.status when 'delivered' then 1 when 'pending' then 3 else 9 end,
       case s.status when 'pending' then now() + interval '1 day' end, s.code,
       case when s.code is not null then 'ok' end,
       case when s.status <> 'delivered' then case when s.code is null then 'no response in time' else 'The receiver answered ' || s.code || '.' end end,
       20 + n % 400, t.at, t.at
     from generate_series(1, $3::int) n, lateral (select ${at} as at) t,
       lateral (select case when n % 50 not in (7, 10) then 'delivered' when n <= 2000 then 'pending' else 'failed' end as status,
         case when n % 50 not in (7, 10) then 200 when n % 3 = 0 then null when n % 100 < 50 then 503 else 404 end as code) s`,
    [organizationId, hooks, deliveries],
  );
  await database.query(
    `insert into webhook_attempts (uid, delivery_id, started_at, duration_ms, ok, status_code, error, response)
     select gen_random_uuid(), uid, created_at, duration_ms, status = 'delivered', response_status, error, response_body
     from webhook_deliveries where organization_id = $1`,
    [organizationId],
  );
  await database.query(
    `insert into webhook_hours (subscription_id, organization_id, hour, ok, bucket, count)
     select subscription_id, organization_id, date_trunc('hour', created_at), status = 'delivered',
       case when response_status is null then -1 else duration_ms % 6 end, count(*)
     from webhook_deliveries where organization_id = $1 group by 1, 2, 3, 4, 5`,
    [organizationId],
  );
}

async function addExecutions({ database, organizationId }: Product, agents: readonly string[]): Promise<void> {
  const at = `now() - (n * 2592000.0 / ${executions}) * interval '1 second'`;
  await database.query(
    `insert into agent_executions (uid, organization_id, agent_id, event_type, event_payload, status, action, reason, acted_by,
       error_message, attempts, deadline, started_at, completed_at, created_at, updated_at)
     select ${uidAt("t.at")}, $1, ($2::text[])[1 + case when n % 10 = 0 then 1 + n / 10 % ${targets - 1} else 0 end], 'result.submitted',
       json_build_object('event', 'result.submitted', 'task_name', 'frame ' || n, 'task_uid', md5(n::text)::uuid, 'result_uid', md5(n::text)::uuid),
       s.status, case when s.status = 'completed' then (array['approve','reject','flag','skip'])[1 + n % 4] end,
       case when s.status = 'completed' then (n % 5 + 1) || ' annotated' else '' end, case when s.status = 'completed' then 'agent' end,
       case s.status when 'timed_out' then 'Nobody acted on it in time.' when 'failed' then 'The connection was refused.' end,
       1, case when s.status = 'pending' then now() + interval '1 day' else t.at + interval '5 minutes' end,
       t.at, case when s.status <> 'pending' then t.at + (n % 240) * interval '1 second' end, t.at, t.at
     from generate_series(1, $3::int) n, lateral (select ${at} as at) t,
       lateral (select case when n <= 20 then 'pending' when n % 25 = 3 then 'timed_out' when n % 40 in (4, 10) then 'failed' else 'completed' end as status) s`,
    [organizationId, agents, executions],
  );
}

/** Milliseconds until the dashboard knows that a replay would send 10,000 deliveries, of several requests. */
export async function timeReplayCounts(browser: Browser, product: Product, webhook: string): Promise<number[]> {
  const page = await freshPage(browser, product);
  const input = encodeURIComponent(JSON.stringify({ uid: webhook, since: "-30d" }));
  const times: number[] = [];
  try {
    for (let n = 0; n < 6; n++) {
      const started = performance.now();
      const response = await page.request.get(`/api/trpc/webhooks.replayPreview?input=${input}`);
      const { result } = (await response.json()) as { result: { data: { count: number } } };
      if (result.data.count !== 10_000) throw new Error(`${result.data.count} deliveries were counted`);
      // The first one warms the server up.
      if (n > 0) times.push(performance.now() - started);
    }
  } finally {
    await page.context().close();
  }
  return times;
}
