import type { DeleteAccount } from "@/domain/organizations/schema";
import { roles } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { requireUser } from "@/server/features/membership/access-service";
import { createMemberContext } from "@/server/features/membership/founding-service";
import { passwordMatches } from "@/server/platform/auth/password";
import type { PersonCtx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { conflict, invalidInput, notFound } from "@/server/platform/errors";
import { countRequest, throttled } from "@/server/platform/rate-limit/rate-limit";
import { announce } from "@/server/platform/realtime/changes";
import { bool, oneOf, text } from "@/server/platform/rows";

const membershipRow = {
  uid: text,
  organization_id: text,
  organization_name: text,
  role: oneOf(roles),
  deleted: bool,
};

const noPassword = 'Your account has no password. Set one first by "Forgot password?" on the sign-in page.';

/**
 * Deletes the caller's account with its keys, sessions, memberships and saved views, for good. What they made stays in
 * their organizations, under their name. Throws `conflict` while they own an organization that is not being deleted,
 * and `invalid` for an address or password that is not the account's.
 */
export async function deleteAccount(ctx: PersonCtx, input: DeleteAccount): Promise<void> {
  const user = requireUser(ctx);
  const { retryAfterSeconds } = await countRequest("anonymous", `password:${user.uid}`);
  if (retryAfterSeconds !== null) throw throttled(retryAfterSeconds);
  const account = await ctx.db.user.findUnique({
    where: { uid: user.uid },
    select: { email: true, passwordHash: true, passwordSet: true },
  });
  if (!account) throw notFound();
  const issues = [];
  if (account.email !== input.email)
    issues.push({ path: ["email"], message: "This is not the address of your account." });
  if (!account.passwordSet) issues.push({ path: ["password"], message: noPassword });
  else if (!(await passwordMatches(account.passwordHash, input.password)))
    issues.push({ path: ["password"], message: "The password is not right." });
  if (issues.length > 0) throw invalidInput(issues);
  await transaction(ctx, async (tx) => {
    // No transfer of ownership can make them an owner meanwhile.
    await execute(
      tx,
      Prisma.sql`select 1 from organizations o join memberships m on m.organization_id = o.uid
        where m.user_id = ${user.uid} order by o.uid for no key update of o`,
    );
    const memberships = await query(
      tx,
      membershipRow,
      Prisma.sql`select m.uid, m.organization_id, o.name as organization_name, m.role, o.deletes_at is not null as deleted
        from memberships m join organizations o on o.uid = m.organization_id where m.user_id = ${user.uid} order by m.uid`,
    );
    const owned = memberships.filter(({ role, deleted }) => role === "owner" && !deleted);
    if (owned.length > 0) {
      const names = owned.slice(0, 5).map(({ organization_name }) => organization_name);
      throw conflict(`You own ${names.join(", ")}. Transfer or delete what you own first.`);
    }
    for (const { uid, organization_id: organizationId, role } of memberships) {
      const member = { ...createMemberContext(tx, user, organizationId, role), actor: tx.actor };
      const target = { targetType: "user", targetId: user.uid, targetName: user.username };
      await audit(member, { action: "user.deleted", ...target, before: { role, email: account.email } });
      await announce(member, "member", uid, "deleted");
    }
    // A name that is an organization's as well stays taken.
    await execute(
      tx,
      Prisma.sql`update name_claims set user_id = null where user_id = ${user.uid} and organization_id is not null`,
    );
    await tx.db.user.delete({ where: { uid: user.uid } });
  });
}
