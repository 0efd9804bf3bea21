import { findStep } from "@/server/platform/auth/totp";
import { open, sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, type OnDb } from "@/server/platform/db";
import { bool, float8, int4, text } from "@/server/platform/rows";

/** What the secret of an authenticator app is sealed for. */
export const totpSecretOwner = (userId: string, uid: string): string => `second-factor:${uid}:${userId}`;

/** How a recovery code is stored. It has 120 random bits, so that a fast hash is enough. */
export const hashRecoveryCode = (code: string): string => sha256(code);

/** A code as it is compared: people type spaces, hyphens and capitals. */
const normalize = (given: string): string => given.replace(/[\s-]/g, "").toLowerCase();

/** The SQL condition under which a row of `second_factors f` counts. */
export const confirmedFactor = "f.confirmed_at is not null";

/** Whether a user has to show a second factor when signing in. */
export async function hasSecondFactor(ctx: OnDb, userId: string): Promise<boolean> {
  const [row] = await query(
    ctx,
    { found: bool },
    Prisma.sql`select exists (select from second_factors f
      where f.user_id = ${userId} and ${Prisma.raw(confirmedFactor)}) as found`,
  );
  return row?.found === true;
}

const factorRow = { uid: text, secret_sealed: text, last_step: int4, seconds: float8 };

/** Accepts the code of an app, by the database's clock, unless it or a later one was accepted before. */
async function acceptAppCode(ctx: OnDb, userId: string, code: string, confirmed: boolean): Promise<boolean> {
  const [factor] = await query(
    ctx,
    factorRow,
    Prisma.sql`select f.uid, f.secret_sealed, f.last_step, extract(epoch from clock_timestamp())::float8 as seconds
      from second_factors f where f.user_id = ${userId} and (f.confirmed_at is not null) = ${confirmed}`,
  );
  if (!factor) return false;
  const step = findStep(open(factor.secret_sealed, totpSecretOwner(userId, factor.uid)), code, factor.seconds);
  if (step === null) return false;
  // Of two concurrent uses of one code, the second finds the step taken.
  const taken = await execute(
    ctx,
    Prisma.sql`update second_factors f set last_step = ${step}, confirmed_at = coalesce(f.confirmed_at, now())
      where f.uid = ${factor.uid} and f.last_step < ${step} and (f.confirmed_at is not null) = ${confirmed}`,
  );
  return taken === 1;
}

async function acceptRecoveryCode(ctx: OnDb, userId: string, code: string): Promise<boolean> {
  const used = await execute(
    ctx,
    Prisma.sql`update recovery_codes r set used_at = now()
      where r.user_id = ${userId} and r.code_hash = ${hashRecoveryCode(code)} and r.used_at is null
        and exists (select from second_factors f where f.user_id = r.user_id and ${Prisma.raw(confirmedFactor)})`,
  );
  return used === 1;
}

/**
 * Accepts a code of a user's app, or one of their recovery codes, and says which it was; null for neither. A code is
 * accepted once.
 */
export async function acceptSecondFactor(ctx: OnDb, userId: string, given: string): Promise<"app" | "recovery" | null> {
  const code = normalize(given);
  if (/^[0-9]{6}$/.test(code)) return (await acceptAppCode(ctx, userId, code, true)) ? "app" : null;
  if (!/^[a-z2-7]{24}$/.test(code)) return null;
  return (await acceptRecoveryCode(ctx, userId, code)) ? "recovery" : null;
}

/** Confirms the app that a user is setting up by its first code, which then is not accepted again. */
export const confirmSecondFactor = (ctx: OnDb, userId: string, given: string): Promise<boolean> =>
  acceptAppCode(ctx, userId, normalize(given), false);
