import { type CreateKey, type KeyFilters, type RegenerateKey, keyStates } from "@/domain/api-keys/schema";
import { canOnlyRead, hasRole } from "@/domain/permissions";
import { computeExpiry, getMaxLifeDays } from "@/server/features/api-keys/expiry-service";
import { issueKey } from "@/server/features/api-keys/issue-service";
import type { CreatedKey, KeyResource, KeyUse } from "@/server/features/api-keys/resource";
import { audit } from "@/server/features/audit/service";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, int4, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

const hourMs = 60 * 60_000;

const state = Prisma.sql`case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'active' end`;
const columns = Prisma.sql`
  k.uid, k.name, k.prefix, k.last_four, k.scopes, k.user_id as user_uid, u.username, ${state} as state, k.expires_at, k.revoked_at,
  k.last_used_at, k.last_used_ip, k.created_at`;

/** SQL for the keys that the caller may see: admins and owners all of the organization, members their own. */
const visible = (ctx: Ctx, ownOnly = false): Prisma.Sql =>
  ownOnly || !hasRole(ctx.permissions, "admin")
    ? Prisma.sql`k.organization_id = ${ctx.organizationId} and k.user_id = ${ctx.actor.userId ?? ""}`
    : Prisma.sql`k.organization_id = ${ctx.organizationId}`;

const keyRow = {
  uid: text,
  name: text,
  prefix: text,
  last_four: text,
  scopes: notNull(arrayOf(text)),
  user_uid: text,
  username: text,
  state: oneOf(keyStates),
  expires_at: nullable(timestamptz),
  revoked_at: nullable(timestamptz),
  last_used_at: nullable(timestamptz),
  last_used_ip: nullable(text),
  created_at: timestamptz,
};

/** Keys, newest first, including revoked and expired ones unless `state` is given. */
export async function listKeys(ctx: Ctx, filters: KeyFilters): Promise<Page<KeyResource>> {
  const { limit, cursor, ...narrow } = filters;
  const scope = visible(ctx, filters.mine);
  return keysetPage<KeyResource>(ctx, {
    name: "api-keys",
    // A cursor of one person's keys is not valid for the keys of all.
    filters: { ...narrow, of: scope.values },
    page: { limit, cursor },
    order: { columns: ["k.uid"], direction: "desc" },
    key: (key) => [key.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        keyRow,
        Prisma.sql`
        select ${columns} from api_keys k join users u on u.uid = k.user_id
        where ${scope} and ${where}
        ${filters.state ? Prisma.sql`and ${state} = any(${filters.state})` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One key. Throws `not_found` for another member's, unless the caller is an admin. */
export async function getKey(ctx: Ctx, uid: string): Promise<KeyResource> {
  const [row] = await query(
    ctx,
    keyRow,
    Prisma.sql`select ${columns} from api_keys k join users u on u.uid = k.user_id where k.uid = ${uid} and ${visible(ctx)}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** Locks and reads a key inside a transaction. Throws `not_found`. */
async function lockKey(tx: Ctx, uid: string): Promise<KeyResource> {
  await execute(
    tx,
    Prisma.sql`select 1 from api_keys where uid = ${uid} and organization_id = ${tx.organizationId} for update`,
  );
  return getKey(tx, uid);
}

const toAuditState = (key: Pick<KeyResource, "name" | "scopes" | "expires_at" | "username">) => ({
  name: key.name,
  scopes: key.scopes,
  expires_at: key.expires_at,
  username: key.username,
});

/** Read-only members have keys that only read. */
function requireScopes(ctx: Ctx, scopes: readonly string[]): void {
  if (ctx.permissions.readOnly && !canOnlyRead(scopes)) throw forbidden();
}

/**
 * Creates a key of the caller, or of `userId` when the platform acts. The key is in this response only. Throws
 * `forbidden` for a read-only member's key that could do more than read, `invalid("expiry")` for an expiry beyond the organization's limit.
 */
export async function createKey(ctx: Ctx, input: CreateKey & { userId?: string }): Promise<CreatedKey> {
  const userId = ctx.actor.type === "system" ? input.userId : ctx.actor.userId;
  if (!userId) throw forbidden();
  requireScopes(ctx, input.scopes ?? []);
  return transaction(ctx, async (tx) => {
    const expiresAt = computeExpiry(input.expiry, await getMaxLifeDays(tx), databaseNow());
    const { uid, key } = await issueKey(tx, { userId, name: input.name, scopes: input.scopes ?? [], expiresAt });
    const created = await getKey(tx, uid);
    await audit(tx, {
      action: "api_key.created",
      targetType: "api_key",
      targetId: uid,
      targetName: input.name,
      after: toAuditState(created),
    });
    await announce(tx, "api_key", uid, "created");
    return { ...created, key };
  });
}

/** Revokes a key: the next request with it is refused. A revoked key is returned unchanged. Throws `not_found`. */
export async function revokeKey(ctx: Ctx, uid: string): Promise<KeyResource> {
  return transaction(ctx, async (tx) => {
    const key = await lockKey(tx, uid);
    if (key.revoked_at !== null) return key;
    await tx.db.apiKey.update({ where: { uid }, data: { revokedAt: databaseNow() } });
    await audit(tx, {
      action: "api_key.revoked",
      targetType: "api_key",
      targetId: uid,
      targetName: key.name,
      before: toAuditState(key),
    });
    await announce(tx, "api_key", uid, "updated");
    return getKey(tx, uid);
  });
}

/**
 * Replaces one of the caller's keys; the old one is revoked immediately or expires after 1 or 24 hours. The new key is
 * in this response only. Another person's key is 403 even for an admin, who could act as that person with it.
 */
export async function regenerateKey(
  ctx: Ctx,
  { uid, keep_old_hours: keepOldHours }: RegenerateKey,
): Promise<CreatedKey> {
  return transaction(ctx, async (tx) => {
    const old = await lockKey(tx, uid);
    if (old.user_uid !== tx.actor.userId) throw forbidden();
    requireScopes(tx, old.scopes);
    if (old.state !== "active") throw invalid("uid", "Only an active key can be regenerated.");
    const now = databaseNow();
    const limitDays = await getMaxLifeDays(tx);
    const expiresAt = renewedExpiry(old, limitDays, now);
    const { uid: newUid, key } = await issueKey(tx, {
      userId: old.user_uid,
      name: old.name,
      scopes: old.scopes,
      expiresAt,
    });
    const oldEnd = new Date(now.getTime() + keepOldHours * hourMs);
    const keepsOwnEnd = old.expires_at !== null && new Date(old.expires_at) < oldEnd;
    await tx.db.apiKey.update({
      where: { uid },
      data: keepOldHours === 0 ? { revokedAt: now } : keepsOwnEnd ? {} : { expiresAt: oldEnd },
    });
    const created = await getKey(tx, newUid);
    await audit(tx, {
      action: "api_key.regenerated",
      targetType: "api_key",
      targetId: uid,
      targetName: old.name,
      after: {
        replaced_by: newUid,
        old_ends_at: (keepsOwnEnd ? new Date(old.expires_at ?? now) : oldEnd).toISOString(),
      },
    });
    await announce(tx, "api_key", uid, "updated");
    await announce(tx, "api_key", newUid, "created");
    return { ...created, key };
  });
}

/** The expiry of a key that replaces `old`: the same lifetime, within the organization's limit. */
function renewedExpiry(old: KeyResource, limitDays: number | null, now: Date): Date | null {
  const latest = computeExpiry(undefined, limitDays, now);
  if (old.expires_at === null) return latest;
  const same = new Date(now.getTime() + (Date.parse(old.expires_at) - Date.parse(old.created_at)));
  return latest && latest < same ? latest : same;
}

/** The use of a key in the last 24 hours, shown before it is revoked. Throws `not_found`. */
export async function getKeyUse(ctx: Ctx, uid: string): Promise<KeyUse> {
  const key = await getKey(ctx, uid);
  const since = databaseMs() - 24 * hourMs;
  const callers = await sql(
    { ip: nullable(text), writes: int4, last_at: timestamptz },
    Prisma.sql`
    select ip, count(*)::int as writes, max(created_at) as last_at from audit_entries
    where organization_id = ${ctx.organizationId} and actor_id = ${uid} and uid >= ${uidFloor(null, since)}
    group by ip order by last_at desc limit 50`,
  );
  return {
    used_in_last_day: callers.length > 0 || (key.last_used_at !== null && Date.parse(key.last_used_at) >= since),
    last_used_at: key.last_used_at,
    last_used_ip: key.last_used_ip,
    callers,
  };
}
