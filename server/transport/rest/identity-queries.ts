import { LRUCache } from "lru-cache";
import { roles } from "@/domain/permissions";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { arrayOf, bool, notNull, nullable, oneOf, queryRows, text, type Wire } from "@/server/platform/rows";

const log = logFor("rest");

const keyStatement = `
  select k.uid, k.name, k.organization_id, k.scopes, k.expires_at <= now() as expired, k.revoked_at is not null or o.deletes_at is not null as revoked,
         u.uid as user_id, u.username, u.is_staff, m.role, m.read_only
  from api_keys k
  join users u on u.uid = k.user_id
  join memberships m on m.organization_id = k.organization_id and m.user_id = k.user_id
  join organizations o on o.uid = k.organization_id
  where k.hash = $1 and u.disabled_at is null`;
const keyRow = {
  uid: text,
  name: text,
  organization_id: text,
  scopes: notNull(arrayOf(text)),
  expired: nullable(bool),
  revoked: bool,
  user_id: text,
  username: text,
  is_staff: bool,
  role: oneOf(roles),
  read_only: bool,
};

/**
 * Finds the key with that hash, with its user and their role; undefined for none and for that of a disabled user. The
 * keys of an organization that is being deleted count as revoked.
 */
export async function findKey(hash: string): Promise<Wire<typeof keyRow> | undefined> {
  return (await queryRows(pool, keyRow, { name: "api-key", text: keyStatement }, [hash]))[0];
}

const deviceStatement = `
  select d.uid, d.name, d.organization_id from devices d join organizations o on o.uid = d.organization_id
  where d.token_hash = $1 and o.deletes_at is null`;
const deviceRow = { uid: text, name: text, organization_id: text };

/** Finds the device whose token has that hash; undefined for none, and while its organization is being deleted. */
export async function findDeviceByToken(hash: string): Promise<Wire<typeof deviceRow> | undefined> {
  return (await queryRows(pool, deviceRow, { name: "device-token", text: deviceStatement }, [hash]))[0];
}

const recentlyUsed = processWide("apiKeyUse", () => new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }));
/** Records, at most once a minute, the time and address of a key's use. Does not delay the request. */
export function noteKeyUse(uid: string, ip: string | null): void {
  if (recentlyUsed.has(uid)) return;
  recentlyUsed.set(uid, true);
  pool
    .query(
      `update api_keys set last_used_at = now(), last_used_ip = $2
       where uid = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
      [uid, ip],
    )
    .catch((error: unknown) => warnRepeated(log, { err: error }, "could not record the use of a key"));
}
