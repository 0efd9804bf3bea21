import { randomBytes } from "node:crypto";
import type { ProtectedBySecondFactor, StartSecondFactor } from "@/domain/organizations/second-factor";
import { recoveryCodeCount } from "@/domain/organizations/second-factor";
import type { PendingSecondFactor, RecoveryCodes, SecondFactorState } from "@/server/features/accounts/resource";
import { endUserSessions } from "@/server/features/accounts/session-service";
import { audit } from "@/server/features/audit/service";
import { requireUser } from "@/server/features/membership/access-service";
import { passwordMatches } from "@/server/platform/auth/password";
import {
  acceptSecondFactor,
  confirmSecondFactor,
  hashRecoveryCode,
  hasSecondFactor,
  totpSecretOwner,
} from "@/server/platform/auth/second-factor";
import { formatTotpUri, newTotpSecret, toBase32 } from "@/server/platform/auth/totp";
import type { Ctx } from "@/server/platform/context";
import { seal } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { conflict, invalid, type ServiceError } from "@/server/platform/errors";
import { noticeAccountChange } from "@/server/platform/mail/account-notice";
import { noteFailedSecondFactor } from "@/server/platform/observability/access-notes";
import { bool, int4, nullable, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const stateRow = { enabled_at: nullable(timestamptz), recovery_codes_left: int4, needs_password: bool };

/** Whether the caller has a second factor, and which of their organizations require one. */
export async function getSecondFactor(ctx: Ctx): Promise<SecondFactorState> {
  const { uid } = requireUser(ctx);
  const [row] = await query(
    ctx,
    stateRow,
    Prisma.sql`select u.password_set as needs_password,
        (select f.confirmed_at from second_factors f where f.user_id = u.uid) as enabled_at,
        (select count(*)::int from recovery_codes r where r.user_id = u.uid and r.used_at is null) as recovery_codes_left
      from users u where u.uid = ${uid}`,
  );
  const required = await query(
    ctx,
    { name: text },
    Prisma.sql`select o.name from memberships m join organizations o on o.uid = m.organization_id
      where m.user_id = ${uid} and o.settings @> '{"require_second_factor": true}' order by o.name limit 20`,
  );
  return {
    enabled_at: row?.enabled_at?.toISOString() ?? null,
    recovery_codes_left: row?.recovery_codes_left ?? 0,
    needs_password: row?.needs_password ?? true,
    required_by: required.map(({ name }) => name),
  };
}

const target = (user: { uid: string; username: string }) => ({
  targetType: "user",
  targetId: user.uid,
  targetName: user.username,
});

/** Throws `invalid("password")` unless it is the user's; an account made by OpenID Connect has none. */
async function checkPassword(ctx: Ctx, userId: string, password: string | undefined): Promise<void> {
  const { passwordHash, passwordSet } = await ctx.db.user.findUniqueOrThrow({
    where: { uid: userId },
    select: { passwordHash: true, passwordSet: true },
  });
  if (!passwordSet || (await passwordMatches(passwordHash, password ?? ""))) return;
  throw invalid("password", "The password is not right.");
}

const alreadyOn = () => conflict("The second factor is on already. Turn it off to set up another one.");

/** Begins to set up an authenticator app, in place of one that was not confirmed. Throws `invalid("password")`. */
export async function startSecondFactor(ctx: Ctx, { password }: StartSecondFactor): Promise<PendingSecondFactor> {
  const { uid: userId } = requireUser(ctx);
  await checkPassword(ctx, userId, password);
  return transaction(ctx, async (tx) => {
    await tx.db.$executeRaw`select 1 from users where uid = ${userId} for no key update`;
    if (await hasSecondFactor(tx, userId)) throw alreadyOn();
    await tx.db.secondFactor.deleteMany({ where: { userId } });
    const [uid, secret] = [uuidv7(), newTotpSecret()];
    const secretSealed = seal(secret, totpSecretOwner(userId, uid));
    await tx.db.secondFactor.create({ data: { uid, userId, secretSealed } });
    const { email } = await tx.db.user.findUniqueOrThrow({ where: { uid: userId }, select: { email: true } });
    return { secret, uri: formatTotpUri(secret, email) };
  });
}

/** Replaces a user's recovery codes. Only their hashes are stored. */
async function makeRecoveryCodes(tx: Ctx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => toBase32(randomBytes(15)).toLowerCase());
  await tx.db.recoveryCode.deleteMany({ where: { userId } });
  await tx.db.recoveryCode.createMany({
    data: codes.map((code) => ({ uid: uuidv7(), userId, codeHash: hashRecoveryCode(code) })),
  });
  return codes.map((code) => code.match(/.{4}/g)?.join("-") ?? code);
}

/** Records a wrong code, which somebody who has the session may have guessed, and returns the refusal. */
function refuseCode(ctx: Ctx, userId: string): ServiceError {
  noteFailedSecondFactor(userId, ctx.ip);
  return invalid("code", "The code is not right, or was used already.");
}

/**
 * Turns the second factor on by a first code of the app, ends every other session, and returns the recovery codes,
 * which cannot be read again. Throws `invalid("code")`.
 */
export async function enableSecondFactor(ctx: Ctx, code: string, currentSession: string): Promise<RecoveryCodes> {
  const user = requireUser(ctx);
  return transaction(ctx, async (tx) => {
    if (!(await confirmSecondFactor(tx, user.uid, code))) throw refuseCode(ctx, user.uid);
    const codes = await makeRecoveryCodes(tx, user.uid);
    await endUserSessions(tx, user.uid, currentSession);
    await audit(tx, { action: "user.second_factor_enabled", ...target(user) });
    await noticeAccountChange(tx, user.uid, "second_factor_enabled");
    return { recovery_codes: codes };
  });
}

/**
 * Runs `change` after the password and a code were accepted. A failure is counted by the caller's limit. Throws
 * `invalid("password")` and `invalid("code")`.
 */
async function withSecondFactor<T>(
  ctx: Ctx,
  { password, code }: ProtectedBySecondFactor,
  change: (tx: Ctx, user: { uid: string; username: string }) => Promise<T>,
): Promise<T> {
  const user = requireUser(ctx);
  await checkPassword(ctx, user.uid, password);
  return transaction(ctx, async (tx) => {
    const accepted = await acceptSecondFactor(tx, user.uid, code);
    if (accepted === null) throw refuseCode(ctx, user.uid);
    if (accepted === "recovery") await audit(tx, { action: "user.recovery_code_used", ...target(user) });
    return change(tx, user);
  });
}

/** Turns the caller's second factor off and ends every other session. Throws like `withSecondFactor`. */
export const disableSecondFactor = (ctx: Ctx, input: ProtectedBySecondFactor, currentSession: string): Promise<void> =>
  withSecondFactor(ctx, input, async (tx, user) => {
    await removeSecondFactor(tx, user.uid);
    await endUserSessions(tx, user.uid, currentSession);
    await audit(tx, { action: "user.second_factor_disabled", ...target(user) });
    await noticeAccountChange(tx, user.uid, "second_factor_disabled");
  });

/** Replaces the caller's recovery codes, which cannot be read again. Throws like `withSecondFactor`. */
export const renewRecoveryCodes = (ctx: Ctx, input: ProtectedBySecondFactor): Promise<RecoveryCodes> =>
  withSecondFactor(ctx, input, async (tx, user) => {
    const codes = await makeRecoveryCodes(tx, user.uid);
    await audit(tx, { action: "user.recovery_codes_renewed", ...target(user) });
    await noticeAccountChange(tx, user.uid, "recovery_codes_renewed");
    return { recovery_codes: codes };
  });

/** Removes a user's second factor, with its recovery codes. Returns whether there was one. */
export async function removeSecondFactor(tx: Pick<Ctx, "db">, userId: string): Promise<boolean> {
  await tx.db.recoveryCode.deleteMany({ where: { userId } });
  return (await execute(tx, Prisma.sql`delete from second_factors where user_id = ${userId}`)) > 0;
}

/** Throws `invalid("settings")` unless the person who requires a second factor of all has one. */
export async function checkMayRequire(ctx: Ctx): Promise<void> {
  const { uid } = requireUser(ctx);
  if (await hasSecondFactor(ctx, uid)) return;
  throw invalid(["settings", "require_second_factor"], "Set up a second factor of your own first.");
}
