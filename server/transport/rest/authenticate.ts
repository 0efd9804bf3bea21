import { devicePermissions, type Role } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";
import { isToken, sha256 } from "@/server/platform/crypto";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import type { LimitedAs } from "@/server/platform/rate-limit/rate-limit";

const log = logFor("rest");

/** Who calls, as far as the key or token tells; `refusal` says why there is no context. */
export type Caller =
  | { ctx: Ctx; limitedAs: LimitedAs; limitKey: string; refusal: null }
  | { ctx: null; limitedAs: "anonymous"; limitKey: string; refusal: "missing" | "invalid" | "expired" };

/** Header names that carry an API key. */
const keyHeaders = ["x-service-api-key"];
const deviceHeader = "x-service-device-token";

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

const lastUse = processWide("apiKeyLastUse", () => new Map<string, number>());
/** Remembers, at most once a minute, when and from where a key was used. Never delays the request. */
function noteUse(uid: string, ip: string | null): void {
  const now = Date.now();
  if (now - (lastUse.get(uid) ?? 0) < 60_000) return;
  if (lastUse.size > 10_000) lastUse.clear();
  lastUse.set(uid, now);
  pool
    .query(
      `update api_keys set last_used_at = now(), last_used_ip = $2
       where uid = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
      [uid, ip],
    )
    .catch((error: unknown) => log.warn({ err: error }, "could not note the use of a key"));
}

export interface RequestOrigin {
  ip: string | null;
  requestId: string;
}

async function byKey(key: string, origin: RequestOrigin): Promise<Caller> {
  const anonymous = (refusal: "invalid" | "expired"): Caller => ({
    ctx: null,
    limitedAs: "anonymous",
    limitKey: origin.ip ?? "unknown",
    refusal,
  });
  if (!isToken("svk_", key)) return anonymous("invalid");
  const { rows } = await pool.query<KeyRow>({ name: "api-key", text: keyStatement, values: [sha256(key)] });
  const row = rows[0];
  if (!row || row.revoked) return anonymous("invalid");
  if (row.expired) return anonymous("expired");
  noteUse(row.uid, origin.ip);
  const ctx: Ctx = {
    organizationId: row.organization_id,
    actor: { type: "api_key", id: row.uid, name: row.name, userId: row.user_id, username: row.username },
    permissions: {
      scopes: row.scopes.length === 0 ? "all" : new Set(row.scopes),
      role: row.role,
      staff: row.is_staff && row.scopes.length === 0,
      device: false,
    },
    db: prisma,
    ...origin,
  };
  return { ctx, limitedAs: "user", limitKey: row.user_id, refusal: null };
}

async function byDeviceToken(token: string, origin: RequestOrigin): Promise<Caller> {
  const refused: Caller = { ctx: null, limitedAs: "anonymous", limitKey: origin.ip ?? "unknown", refusal: "invalid" };
  if (!isToken("svd_", token)) return refused;
  const { rows } = await pool.query<{ uid: string; name: string; organization_id: string }>({
    name: "device-token",
    text: "select uid, name, organization_id from devices where token_hash = $1",
    values: [sha256(token)],
  });
  const row = rows[0];
  if (!row) return refused;
  const ctx: Ctx = {
    organizationId: row.organization_id,
    actor: { type: "device", id: row.uid, name: row.name, userId: null, username: null },
    permissions: devicePermissions,
    db: prisma,
    ...origin,
  };
  return { ctx, limitedAs: "device", limitKey: row.uid, refusal: null };
}

/** Tells who calls from an API key (`X-Service-Api-Key`) or a device token (its header, or `Authorization: Bearer`). */
export async function identify(headers: Headers, origin: RequestOrigin): Promise<Caller> {
  for (const header of keyHeaders) {
    const key = headers.get(header);
    if (key !== null) return byKey(key, origin);
  }
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const token = headers.get(deviceHeader) ?? (bearer?.startsWith("svd_") ? bearer : undefined);
  if (token !== undefined) return byDeviceToken(token, origin);
  return { ctx: null, limitedAs: "anonymous", limitKey: origin.ip ?? "unknown", refusal: "missing" };
}

/** The client's address: the socket's, or the k-th from the right of X-Forwarded-For behind k trusted proxies. */
export function clientAddress(headers: Headers, socketAddress: string | null): string | null {
  const hops = env.TRUSTED_PROXY_HOPS;
  if (hops === 0) return socketAddress;
  const chain = (headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  return chain.at(-hops) ?? socketAddress;
}
