import type { SignUp } from "@/domain/organizations/schema";
import { issueKey } from "@/server/features/api-keys/issue-service";
import { audit } from "@/server/features/audit/service";
import { claimName, foundOrganization } from "@/server/features/organizations/founding-service";
import { toSlug } from "@/server/features/organizations/names";
import type { SignedUp } from "@/server/features/organizations/resource";
import type { AnonymousCtx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { hashPassword } from "@/server/platform/password";
import { uuidv7 } from "@/server/platform/uid";

const emailTaken = () => invalid("email", "A user with this email address already exists.");

/** Whether a write violated the unique constraint of a column. */
const violates = (error: unknown, column: string): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError &&
  error.code === "P2002" &&
  JSON.stringify(error.meta).includes(column);

/**
 * Creates a user, their personal organization (its slug is the username) and one unscoped key, which only this response
 * contains. Throws `invalid("email")` when the address has an account, also for concurrent sign-ups.
 */
export async function signUp(ctx: AnonymousCtx, input: SignUp): Promise<SignedUp> {
  const { email, first_name: firstName = "", last_name: lastName = "" } = input;
  if (await ctx.db.user.findUnique({ where: { email }, select: { uid: true } })) throw emailTaken();
  const passwordHash = await hashPassword(input.password);
  const uid = uuidv7();
  try {
    return await transaction(ctx, async (tx) => {
      const username = await claimName(tx, toSlug(email.slice(0, email.lastIndexOf("@"))) ?? "user");
      await tx.db.user.create({ data: { uid, username, email, firstName, lastName, passwordHash } });
      await tx.db.nameClaim.update({ where: { name: username }, data: { userId: uid } });
      const name = input.organization_name ?? username;
      const owner = await foundOrganization(tx, { uid, username }, { name, slug: username });
      const { key, uid: keyUid } = await issueKey(owner, {
        userId: uid,
        name: "First key",
        scopes: [],
        expiresAt: null,
      });
      await audit(owner, { action: "user.signed_up", targetType: "user", targetId: uid, targetName: username });
      await audit(owner, {
        action: "api_key.created",
        targetType: "api_key",
        targetId: keyUid,
        targetName: "First key",
      });
      return { user: { uid, username, email, first_name: firstName, last_name: lastName }, api_key: key };
    });
  } catch (error) {
    if (violates(error, "email")) throw emailTaken();
    throw error;
  }
}
