import { devicePermissions } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";
import { isToken, sha256 } from "@/server/platform/crypto";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import type { LimitedAs } from "@/server/platform/rate-limit/rate-limit";
import { findDeviceByToken, findKey, noteKeyUse } from "@/server/transport/rest/identity-queries";

/** The caller identified by a key or token; `refusal` is the reason when there is no context. */
export type Caller =
  | { ctx: Ctx; limitedAs: LimitedAs; limitKey: string; refusal: null }
  | {
      ctx: null;
      limitedAs: "anonymous";
      limitKey: string;
      refusal: "missing" | "invalid" | "expired";
      /** Whose key it was that is not valid any more. */
      known?: Pick<Ctx, "organizationId" | "actor">;
    };

const deviceHeader = "x-service-device-token";

/** Reads the headers of a request by their lower-case names. */
export type HeaderReader = Pick<Headers, "get" | "has">;

export interface RequestOrigin {
  ip: string | null;
  requestId: string;
}

async function byKey(key: string, origin: RequestOrigin): Promise<Caller> {
  const anonymous = (refusal: "invalid" | "expired") =>
    ({ ctx: null, limitedAs: "anonymous", limitKey: origin.ip ?? "unknown", refusal }) as const;
  if (!isToken("svk_", key)) return anonymous("invalid");
  const row = await findKey(sha256(key));
  if (!row) return anonymous("invalid");
  const owner: Pick<Ctx, "organizationId" | "actor"> = {
    organizationId: row.organization_id,
    actor: { type: "api_key", id: row.uid, name: row.name, userId: row.user_id, username: row.username },
  };
  if (row.revoked || row.expired) return { ...anonymous(row.revoked ? "invalid" : "expired"), known: owner };
  noteKeyUse(row.uid, origin.ip);
  const ctx: Ctx = {
    ...owner,
    permissions: {
      scopes: row.scopes.length === 0 ? "all" : new Set(row.scopes),
      role: row.role,
      readOnly: row.read_only,
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
  const row = await findDeviceByToken(sha256(token));
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

/**
 * Identifies the caller by API key (a header of API_KEY_HEADERS) or device token (its header or `Authorization: Bearer`).
 * With `bearerKeys`, other bearer tokens are API keys.
 */
export async function identify(headers: HeaderReader, origin: RequestOrigin, bearerKeys = false): Promise<Caller> {
  for (const header of env.API_KEY_HEADERS) {
    const key = headers.get(header);
    if (key !== null) return byKey(key, origin);
  }
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const token = headers.get(deviceHeader) ?? (bearer?.startsWith("svd_") ? bearer : undefined);
  if (token !== undefined) return byDeviceToken(token, origin);
  if (bearerKeys && bearer !== undefined) return byKey(bearer, origin);
  return { ctx: null, limitedAs: "anonymous", limitKey: origin.ip ?? "unknown", refusal: "missing" };
}

/** The client's address: the socket's, or the k-th from the right of X-Forwarded-For behind k trusted proxies. */
export function clientAddress(headers: HeaderReader, socketAddress: string | null): string | null {
  const hops = env.TRUSTED_PROXY_HOPS;
  if (hops === 0) return socketAddress;
  const chain = (headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  return chain.at(-hops) ?? socketAddress;
}
