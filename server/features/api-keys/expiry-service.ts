import type { CreateKey, KeyLimit } from "@/domain/api-keys/schema";
import { OrganizationSettings } from "@/domain/organizations/schema";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { int4, jsonbObject } from "@/server/platform/rows";

const dayMs = 24 * 60 * 60_000;

/**
 * The maximum lifetime of the organization's keys in days; null when it sets no limit. Locks the limit until the
 * transaction of `tx` ends, so that no key is created beyond a new one.
 */
export async function getMaxLifeDays(tx: Pick<Ctx, "db" | "organizationId">): Promise<number | null> {
  const [row] = await query(
    tx,
    { settings: jsonbObject },
    Prisma.sql`select settings from organizations where uid = ${tx.organizationId} for share`,
  );
  return OrganizationSettings.catch({}).parse(row?.settings).key_expiry_days ?? null;
}

/**
 * When a key requested at `now` expires, or null for never. Throws `invalid("expiry")` for a past time and for one
 * beyond the organization's limit.
 */
export function computeExpiry(requested: CreateKey["expiry"], limitDays: number | null, now: Date): Date | null {
  const after = (days: number) => new Date(now.getTime() + days * dayMs);
  const latest = limitDays === null ? null : after(limitDays);
  const expiry =
    requested === undefined
      ? latest
      : requested === "never"
        ? null
        : requested instanceof Date
          ? requested
          : after(Number(requested));
  if (expiry && expiry <= now) throw invalid("expiry", "Ensure this time is in the future.");
  if (latest && (!expiry || expiry > latest)) {
    throw invalid(
      "expiry",
      `The keys of this organization live at most ${limitDays} day${limitDays === 1 ? "" : "s"}.`,
    );
  }
  return expiry;
}

/** The keys that a limit concerns: those that live beyond it, counted from now. */
const beyond = (ctx: Pick<Ctx, "organizationId">, limitDays: number): Prisma.Sql =>
  Prisma.sql`organization_id = ${ctx.organizationId} and revoked_at is null
    and (expires_at is null or expires_at > now() + make_interval(days => ${limitDays}::int))`;

/** How many keys a limit would end sooner. */
export async function countKeysEndingUnder(ctx: Ctx, { days }: KeyLimit): Promise<{ keys: number }> {
  const [row] = await sql(
    { keys: int4 },
    Prisma.sql`select count(*)::int as keys from api_keys where ${beyond(ctx, days)}`,
  );
  return { keys: row?.keys ?? 0 };
}

/**
 * Applies a new limit to existing keys: each expires no later than a key created now would. Returns how many changed.
 */
export function shortenKeys(tx: Pick<Ctx, "db" | "organizationId">, limitDays: number): Promise<number> {
  return execute(
    tx,
    Prisma.sql`update api_keys set expires_at = now() + make_interval(days => ${limitDays}::int)
      where ${beyond(tx, limitDays)}`,
  );
}
