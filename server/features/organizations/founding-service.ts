import { systemPermissions } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { createBuiltinRules } from "@/server/features/organizations/builtin-rules-service";
import { nameCandidates } from "@/server/features/organizations/names";
import type { Actor, AnonymousCtx, Ctx } from "@/server/platform/context";
import { randomText } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/**
 * Takes a free name near `base` for a user or an organization to come. Two who want the same one get different ones.
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

/** A person as an actor. */
const userActor = (user: { uid: string; username: string }): Actor => ({
  type: "user",
  id: user.uid,
  name: user.username,
  userId: user.uid,
  username: user.username,
});

/**
 * Makes an organization with its owner and everything each one begins with. The name `slug` must be claimed. Answers
 * the context of the owner in it.
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
  const ctx: Ctx = { ...tx, organizationId: uid, actor: userActor(owner), permissions: systemPermissions };
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
