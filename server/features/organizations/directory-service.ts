import { audit } from "@/server/features/audit/service";
import { systemContext } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";

/** A user with all their organizations, for the operator of the installation. */
export interface KnownUser {
  uid: string;
  username: string;
  email: string;
  staff: boolean;
  organizations: { uid: string; slug: string }[];
}

/** The user with that username or e-mail address, in any organization, or null. For the command line only. */
export async function findUser(nameOrEmail: string): Promise<KnownUser | null> {
  const wanted = nameOrEmail.trim().toLowerCase();
  const user = await prisma.user.findFirst({
    where: wanted.includes("@") ? { email: wanted } : { username: wanted },
    include: {
      memberships: { orderBy: { uid: "asc" }, include: { organization: { select: { uid: true, slug: true } } } },
    },
  });
  if (!user) return null;
  const { uid, username, email, isStaff, memberships } = user;
  return { uid, username, email, staff: isStaff, organizations: memberships.map(({ organization }) => organization) };
}

/** The organization a key belongs to; null for an unknown uid. For the command line only. */
export async function organizationOfKey(
  key: { uid: string } | { hash: string },
): Promise<{ uid: string; organizationId: string } | null> {
  return prisma.apiKey.findUnique({
    where: "uid" in key ? { uid: key.uid } : { hash: key.hash },
    select: { uid: true, organizationId: true },
  });
}

/** Grants or revokes a user's staff access to the installation; audited in every organization the user is in. */
export async function setStaff(user: KnownUser, staff: boolean, by: string): Promise<void> {
  await transaction({ db: prisma }, async (tx) => {
    await tx.db.user.update({ where: { uid: user.uid }, data: { isStaff: staff } });
    for (const { uid } of user.organizations) {
      await audit(systemContext(tx.db, uid, by), {
        action: staff ? "user.made_staff" : "user.staff_ended",
        targetType: "user",
        targetId: user.uid,
        targetName: user.username,
        before: { staff: user.staff },
        after: { staff },
      });
    }
  });
}
