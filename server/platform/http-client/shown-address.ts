import { mayCall, type Scope } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";

const dots = "••••••••";

/** The last characters of a secret, by which people recognize it; none of a short one. */
const tail = (secret: string): string => (secret.length >= 16 ? secret.slice(-4) : "");

/** A secret as it is shown: recognizable, but not usable. Of an address the origin stays, because it is no secret. */
export function maskSecret(secret: string): string {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return dots + tail(secret);
  const { origin, pathname, search } = new URL(secret);
  const rest = pathname + search;
  return rest === "/" ? `${origin}/` : `${origin}/${dots}${tail(rest)}`;
}

/**
 * The address of a receiver as this caller may see it: many receivers authenticate by a token in the path, so only
 * those who may change it see all of it. `scope` is what changing it needs.
 */
export const showAddress = (ctx: Pick<Ctx, "permissions">, scope: Scope | "full", address: string): string =>
  address === "" || mayCall(ctx.permissions, { permission: [scope], role: "admin", changes: "organization" })
    ? address
    : maskSecret(address);
