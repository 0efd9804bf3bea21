import type { Ctx } from "@/server/platform/context";
import { forbidden } from "@/server/platform/errors";
import { sendsMail } from "@/server/platform/mail/send";

/**
 * Whether the caller may cause mails to people other than themselves: while mail can be sent, an account of which
 * nobody has shown that its address is theirs may not.
 */
export async function mayMailOthers(ctx: Pick<Ctx, "db" | "actor">): Promise<boolean> {
  if (!sendsMail() || ctx.actor.userId === null) return true;
  const user = await ctx.db.user.findUnique({
    where: { uid: ctx.actor.userId },
    select: { emailVerifiedAt: true },
  });
  return user?.emailVerifiedAt != null;
}

/** Throws `forbidden` for a caller that may not cause mails to others. */
export async function requireMailToOthers(ctx: Pick<Ctx, "db" | "actor">): Promise<void> {
  if (await mayMailOthers(ctx)) return;
  throw forbidden("Confirm your e-mail address first. Until then this account sends no mail to others.");
}
