import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

/** A member of the organization by username or uid; `me` is the caller. Throws `invalid(field)` for others. */
export async function findMember(tx: Ctx, name: string, field: string): Promise<{ uid: string; username: string }> {
  const identifier = name === "me" ? (tx.actor.userId ?? "") : name;
  const [user] = await query(
    tx,
    { uid: text, username: text },
    Prisma.sql`select u.uid, u.username from users u join memberships m on m.user_id = u.uid
      where m.organization_id = ${tx.organizationId} and (u.uid = ${identifier} or u.username = ${identifier})`,
  );
  if (!user) throw invalid(field, "No member of this organization has this name.");
  return user;
}
