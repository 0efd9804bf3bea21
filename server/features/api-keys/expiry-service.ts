import type { CreateKey } from "@/domain/api-keys/schema";
import { OrganizationSettings } from "@/domain/organizations/schema";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jsonbObject } from "@/server/platform/rows";

const dayMs = 24 * 60 * 60_000;

/**
 * How many days a key of the organization may live at most; null when it sets no limit. Keeps the limit from changing
 * until the transaction of `tx` ends, so that no key slips past a new one.
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
 * When a key asked for at `now` ends, or null for never. Throws `invalid("expiry")` for a time that is past and for
 * more than the organization allows.
 */
export function computeExpiry(asked: CreateKey["expiry"], limitDays: number | null, now: Date): Date | null {
  const after = (days: number) => new Date(now.getTime() + days * dayMs);
  const latest = limitDays === null ? null : after(limitDays);
  const wanted =
    asked === undefined ? latest : asked === "never" ? null : asked instanceof Date ? asked : after(Number(asked));
  if (wanted && wanted <= now) throw invalid("expiry", "Ensure this time is in the future.");
  if (latest && (!wanted || wanted > latest)) {
    throw invalid(
      "expiry",
      `The keys of this organization live at most ${limitDays} day${limitDays === 1 ? "" : "s"}.`,
    );
  }
  return wanted;
}

/** Brings the keys that are there below a new limit: each ends, counted from now, no later than a new one would. */
export function shortenKeys(tx: Pick<Ctx, "db" | "organizationId">, limitDays: number): Promise<number> {
  return execute(
    tx,
    Prisma.sql`update api_keys set expires_at = now() + make_interval(days => ${limitDays}::int)
      where organization_id = ${tx.organizationId} and revoked_at is null
        and (expires_at is null or expires_at > now() + make_interval(days => ${limitDays}::int))`,
  );
}
