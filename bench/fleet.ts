import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { newToken, sha256 } from "@/server/platform/crypto";
import { int4, queryRows } from "@/server/platform/rows";

/** How many devices return. */
export const devices = 10_000;
/** Connections that the devices share; each of a real fleet has its own. */
const connections = 400;

interface Returned {
  /** Milliseconds of each response, ascending. */
  times: number[];
  statuses: Map<number, number>;
  /** Seconds until the last device was acknowledged. */
  seconds: number;
}

/** Registers the fleet, offline. Resolves to the tokens of its devices. */
export async function addOfflineFleet({ database, organizationId }: Product): Promise<string[]> {
  const tokens = Array.from({ length: devices }, () => newToken("svd_"));
  await database.query(
    `insert into devices (uid, organization_id, name, status, token_hash, token_last_four, updated_at)
     select 'dev_' || gen_random_uuid(), $1, 'returning-' || n, 'offline', hash, 'none', now()
     from unnest($2::text[]) with ordinality as t(hash, n)`,
    [organizationId, tokens.map(sha256)],
  );
  await database.query("analyze devices");
  return tokens;
}

/** How many devices of the fleet are online. */
async function countOnline({ database }: Product): Promise<number> {
  const [online] = await queryRows(
    database,
    { count: int4 },
    "select count(*)::int from devices where name like 'returning-%' and status = 'online'",
  );
  return online?.count ?? 0;
}

/** What a robot kept while it was away: a heartbeat each half minute with ten numbers, the newest now. */
function writeKept(count: number): string {
  const now = Date.now();
  const metrics = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`kept_${n}`, n + 0.5]));
  const heartbeats = Array.from({ length: count }, (_, n) => ({
    timestamp: new Date(now - (count - 1 - n) * 30_000).toISOString(),
    metrics,
  }));
  return JSON.stringify({ heartbeats });
}

/**
 * Sends a heartbeat of every device over `seconds`, each until it is acknowledged, as devices do; with `kept`, a batch of
 * so many.
 */
export async function sendHeartbeats(
  { url }: Product,
  tokens: readonly string[],
  seconds: number,
  kept = 0,
): Promise<Returned> {
  const dispatcher = new Agent({ connections });
  const returned: Returned = { times: [], statuses: new Map(), seconds: 0 };
  const began = performance.now();
  await Promise.all(
    tokens.map(async (token, n) => {
      await sleep((n / tokens.length) * seconds * 1_000);
      for (;;) {
        const sent = performance.now();
        const { statusCode, headers, body } = await request(
          `${url}/api/v1/fleet/devices/me/heartbeat/${kept > 0 ? "batch/" : ""}`,
          {
            method: "POST",
            headers: { "x-service-device-token": token, "content-type": "application/json" },
            body: kept > 0 ? writeKept(kept) : "{}",
            dispatcher,
          },
        );
        await body.dump();
        returned.times.push(performance.now() - sent);
        returned.statuses.set(statusCode, (returned.statuses.get(statusCode) ?? 0) + 1);
        if (statusCode === 200) return;
        if (statusCode !== 429 && statusCode !== 503) throw new Error(`a heartbeat got ${statusCode}`);
        await sleep(Number(headers["retry-after"]) * 1_000);
      }
    }),
  );
  returned.seconds = (performance.now() - began) / 1_000;
  returned.times.sort((a, b) => a - b);
  await dispatcher.close();
  return returned;
}

/** A fleet that comes back: 10,000 offline devices send a heartbeat within a minute, then within ten seconds. */
export async function benchFleet(product: Product): Promise<void> {
  const { database } = product;
  const tokens = await addOfflineFleet(product);
  for (const seconds of [60, 10]) {
    await database.query("update devices set status = 'offline' where name like 'returning-%'");
    const { times, statuses, seconds: took } = await sendHeartbeats(product, tokens, seconds);
    const online = await countOnline(product);
    if (online !== devices) throw new Error(`${online} of ${devices} devices are online`);
    const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
    report({
      name: `fleet: p99 of ${devices.toLocaleString("en")} returning devices over ${seconds} s`,
      measured: p99,
      anchor: times[Math.floor(times.length / 2)] ?? 0,
      unit: "ms",
      ratio: 1,
      under: 3_000,
      note: `all online after ${took.toFixed(1)} s; responses ${JSON.stringify(Object.fromEntries(statuses))}`,
    });
  }
}
