import { jsonSize } from "@/domain/fields";
import type { ChangePassword, UpdatePreferences, UpdateProfile } from "@/domain/organizations/schema";
import { hashNewPassword } from "@/server/features/accounts/new-password-service";
import type { ProfileResource } from "@/server/features/accounts/resource";
import { endUserSessions } from "@/server/features/accounts/session-service";
import { audit, difference } from "@/server/features/audit/service";
import { requireUser } from "@/server/features/membership/access-service";
import { passwordMatches } from "@/server/platform/auth/password";
import type { Ctx, PersonCtx } from "@/server/platform/context";
import type { Prisma } from "@/server/platform/database/generated/client";
import { prisma, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { noticeAccountChange } from "@/server/platform/mail/account-notice";

/** The caller's own account. */
export async function getProfile(ctx: PersonCtx): Promise<ProfileResource> {
  const user = await ctx.db.user.findUnique({ where: { uid: requireUser(ctx).uid } });
  if (!user) throw notFound();
  return {
    uid: user.uid,
    username: user.username,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    is_staff: user.isStaff,
    email_verified: user.emailVerifiedAt !== null,
    password_set: user.passwordSet,
    preferences: user.preferences as Record<string, unknown>,
    created_at: user.createdAt.toISOString(),
  };
}

/** A user's address; null for an account that was deleted meanwhile. */
export const findEmail = async (userId: string): Promise<string | null> =>
  (await prisma.user.findUnique({ where: { uid: userId }, select: { email: true } }))?.email ?? null;

const target = (user: { uid: string; username: string }) => ({
  targetType: "user",
  targetId: user.uid,
  targetName: user.username,
});

/** Changes the caller's names that are given. */
export async function updateProfile(ctx: Ctx, input: UpdateProfile): Promise<ProfileResource> {
  const user = requireUser(ctx);
  return transaction(ctx, async (tx) => {
    const before = await getProfile(tx);
    await tx.db.user.update({
      where: { uid: user.uid },
      data: {
        ...(input.first_name !== undefined && { firstName: input.first_name }),
        ...(input.last_name !== undefined && { lastName: input.last_name }),
      },
    });
    const after = await getProfile(tx);
    const changed = difference(before, after);
    if (changed) await audit(tx, { action: "user.updated", ...target(user), ...changed });
    return after;
  });
}

/** Merges dashboard preferences of the caller one level deep; a null removes its key. At most 16 KiB in total. */
export async function updatePreferences(ctx: Ctx, { preferences }: UpdatePreferences): Promise<ProfileResource> {
  const user = requireUser(ctx);
  return transaction(ctx, async (tx) => {
    await tx.db.$executeRaw`select 1 from users where uid = ${user.uid} for no key update`;
    const before = await getProfile(tx);
    const merged = Object.fromEntries(
      Object.entries({ ...before.preferences, ...preferences }).filter(([, value]) => value !== null),
    );
    if (jsonSize(merged) > 16 * 1024) throw invalid("preferences", "Ensure this field is no larger than 16384 bytes.");
    await tx.db.user.update({ where: { uid: user.uid }, data: { preferences: merged as Prisma.InputJsonObject } });
    const changed = difference({ ...before.preferences }, merged);
    if (changed) await audit(tx, { action: "user.preferences_changed", ...target(user), ...changed });
    return { ...before, preferences: merged };
  });
}

/**
 * Changes the caller's password and ends every session but the current one. Throws `invalid("current_password")`.
 */
export async function changePassword(ctx: Ctx, input: ChangePassword, currentSession: string): Promise<void> {
  const user = requireUser(ctx);
  const { uid } = user;
  const { passwordHash: current, email } = await ctx.db.user.findUniqueOrThrow({
    where: { uid },
    select: { passwordHash: true, email: true },
  });
  if (!(await passwordMatches(current, input.current_password))) {
    throw invalid("current_password", "The current password is not right.");
  }
  const passwordHash = await hashNewPassword("new_password", input.new_password, [email, user.username]);
  await transaction(ctx, async (tx) => {
    await tx.db.user.update({ where: { uid }, data: { passwordHash, passwordSet: true } });
    await endUserSessions(tx, uid, currentSession);
    await audit(tx, { action: "user.password_changed", ...target(user) });
    await noticeAccountChange(tx, uid, "password_changed");
  });
}

/** Ends every session of the caller, including the current one. API keys stay valid. */
export async function signOutEverywhere(ctx: Ctx): Promise<void> {
  const user = requireUser(ctx);
  await transaction(ctx, async (tx) => {
    await endUserSessions(tx, user.uid, null);
    await audit(tx, { action: "user.signed_out_everywhere", ...target(user) });
  });
}
