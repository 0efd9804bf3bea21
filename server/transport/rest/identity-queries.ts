import { LRUCache } from "lru-cache";
import type { Role } from "@/domain/permissions";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

const log = logFor("rest");

const keyStatement = `
  select k.uid, k.name, k.organization_id, k.scopes, k.expires_at <= now() as expired, k.revoked_at is not null as revoked,
         u.uid as user_id, u.username, u.is_staff, m.role
  from api_keys k
  join users u on u.uid = k.user_id
  join memberships m on m.organization_id = k.organization_id and m.user_id = k.user_id
  where k.hash = $1`;
interface KeyRow {
  uid: string;
  name: string;
  organization_id: string;
  scopes: string[];
  expired: boolean | null;
  revoked: boolean;
  user_id: string;
  username: string;
  is_staff: boolean;
  role: Role;
}

/** The key of that hash, with the person behind it and their role; undefined for none. */
export async function findKey(hash: string): Promise<KeyRow | undefined> {
  const { rows } = await pool.query<KeyRow>({ name: "api-key", text: keyStatement, values: [hash] });
  return rows[0];
}

interface DeviceRow {
  uid: string;
  name: string;
  organization_id: string;
}

/** The device whose token has that hash; undefined for none. */
export async function findDeviceByToken(hash: string): Promise<DeviceRow | undefined> {
  const text = "select uid, name, organization_id from devices where token_hash = $1";
  const { rows } = await pool.query<DeviceRow>({ name: "device-token", text, values: [hash] });
  return rows[0];
}

const recentlyUsed = processWide("apiKeyUse", () => new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }));
/** Remembers, at most once a minute, when and from where a key was used. Never delays the request. */
export function noteKeyUse(uid: string, ip: string | null): void {
  if (recentlyUsed.has(uid)) return;
  recentlyUsed.set(uid, true);
  pool
    .query(
      `update api_keys set last_used_at = now(), last_used_ip = $2
       where uid = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
      [uid, ip],
    )
    .catch((error: unknown) => log.warn({ err: error }, "could not note the use of a key"));
}
