import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "@/bench/product";
import type { Fleet } from "@/faults/fleet";
import type { Chance } from "@/faults/random";
import { promise } from "@/faults/verdict";
import { int4, queryRows, text } from "@/server/platform/rows";

export interface Visitors {
  /** Names of devices that were created, and of those whose creation was not acknowledged. */
  acknowledged: Set<string>;
  unknown: Set<string>;
  stop: () => Promise<void>;
}

interface Visit {
  at: string;
  method?: "POST";
  headers: Record<string, string>;
  body?: object;
  /** A device that this creates. */
  name?: string;
}

const pauseMs = 150;

/** Sends every kind of request again and again: of programs, devices and persons, reading and writing. */
export function startVisitors(product: Product, fleet: Fleet, cookie: string, chance: Chance): Visitors {
  const acknowledged = new Set<string>();
  const unknown = new Set<string>();
  const key = { "x-service-api-key": product.key };
  const json = { "content-type": "application/json" };
  const list = encodeURIComponent("{}");
  let names = 0;
  const newName = () => `visitor-${names++}`;
  const kinds: readonly (() => Visit)[] = [
    () => ({ at: "/api/v1/fleet/devices/", headers: key }),
    () => ({ at: "/api/v1/fleet/recordings/", headers: key }),
    () => ({ at: `/api/trpc/devices.list?input=${list}`, headers: { cookie } }),
    () => ({ at: "/", headers: { cookie } }),
    () => ({ at: "/devices/export", headers: { cookie } }),
    () => ({ at: "/healthz", headers: {} }),
    () => ({
      at: "/api/v1/fleet/devices/me/heartbeat/",
      method: "POST",
      headers: { ...json, "x-service-device-token": fleet.devices[0]!.token },
      body: {},
    }),
    () => {
      const name = newName();
      return { at: "/api/v1/fleet/devices/", method: "POST", headers: { ...json, ...key }, body: { name }, name };
    },
    () => {
      const name = newName();
      const headers = { ...json, cookie, "sec-fetch-site": "same-origin" };
      return { at: "/api/trpc/devices.register", method: "POST", headers, body: { name }, name };
    },
  ];

  let stopping = false;
  const visit = async (kind: () => Visit) => {
    while (!stopping) {
      const { at, method = "GET", headers, body, name } = kind();
      const response = await fetch(`${product.url}${at}`, {
        method,
        headers,
        redirect: "manual",
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      }).catch(() => undefined);
      await response?.arrayBuffer().catch(() => {});
      if (name !== undefined) (response?.ok ? acknowledged : unknown).add(name);
      await sleep(chance.between(0.5, 1.5) * pauseMs);
    }
  };
  const running = kinds.map(visit);
  return {
    acknowledged,
    unknown,
    stop: async () => {
      stopping = true;
      await Promise.all(running);
    },
  };
}

/** Checks that each device of the visitors that was acknowledged is there once, and no other twice. */
export async function verifyVisitors({ database }: Product, { acknowledged, unknown }: Visitors): Promise<void> {
  const rows = await queryRows(
    database,
    { name: text, count: int4 },
    "select name, count(*)::int as count from devices where name like 'visitor-%' group by name",
  );
  const counts = new Map(rows.map(({ name, count }) => [name, count]));
  promise(
    `each of ${acknowledged.size} acknowledged devices is there once`,
    [...acknowledged].filter((name) => counts.get(name) !== 1).map((name) => `${name}: ${counts.get(name) ?? 0} times`),
  );
  promise(
    `none of ${unknown.size} devices whose creation was refused is there twice`,
    [...unknown].filter((name) => (counts.get(name) ?? 0) > 1),
  );
}
