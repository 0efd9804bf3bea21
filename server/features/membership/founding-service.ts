import { systemPermissions, type Role } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { createBuiltinRules } from "@/server/features/membership/builtin-rules-service";
import { nameCandidates } from "@/server/features/membership/names";
import type { Actor, AnonymousCtx, Ctx } from "@/server/platform/context";
import { randomText } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/**
 * Reserves a free name near `base` for a new user or organization. Concurrent calls with the same base get different
 * names.
 */
export async function claimName(tx: Pick<Ctx, "db">, base: string): Promise<string> {
  for (const name of nameCandidates(base, () => randomText(6))) {
    const claimed = await query(
      tx,
      { name: text },
      Prisma.sql`insert into name_claims (name) values (${name}) on conflict do nothing returning name`,
    );
    if (claimed.length > 0) return name;
  }
  throw new Error(`no free name near ${base}`);
}

/** A slug for a new organization; `taken` is the one that its name makes, when that is not free. */
export interface FreeSlug {
  slug: string;
  taken: string | null;
}

/** The name near `base` that `claimName` would reserve now. */
export async function findFreeSlug(ctx: Pick<Ctx, "db">, base: string): Promise<FreeSlug> {
  const candidates = [...nameCandidates(base, () => randomText(6))];
  const claims = await ctx.db.nameClaim.findMany({ where: { name: { in: candidates } }, select: { name: true } });
  const claimed = new Set(claims.map(({ name }) => name));
  const slug = candidates.find((name) => !claimed.has(name)) ?? base;
  return { slug, taken: slug === base ? null : base };
}

/** The context of a user in an organization of which they have just become a member. */
export const createMemberContext = (
  tx: AnonymousCtx,
  user: { uid: string; username: string },
  organizationId: string,
  role: Role,
): Ctx => ({ ...tx, organizationId, actor: userActor(user), permissions: { ...systemPermissions, role } });

/** A user as an actor. */
const userActor = (user: { uid: string; username: string }): Actor => ({
  type: "user",
  id: user.uid,
  name: user.username,
  userId: user.uid,
  username: user.username,
});

/**
 * Creates an organization with its owner and built-in rules. `slug` must have been claimed. Returns a context of the
 * owner in the new organization.
 */
export async function foundOrganization(
  tx: AnonymousCtx,
  owner: { uid: string; username: string },
  { name, slug }: { name: string; slug: string },
): Promise<Ctx> {
  const uid = uuidv7();
  await tx.db.organization.create({ data: { uid, name, slug } });
  await tx.db.nameClaim.update({ where: { name: slug }, data: { organizationId: uid } });
  await tx.db.membership.create({ data: { uid: uuidv7(), organizationId: uid, userId: owner.uid, role: "owner" } });
  const ctx = createMemberContext(tx, owner, uid, "owner");
  await createBuiltinRules(ctx);
  await audit(ctx, {
    action: "organization.created",
    targetType: "organization",
    targetId: uid,
    targetName: name,
    after: { name, slug },
  });
  return ctx;
}
