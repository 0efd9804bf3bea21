import { parse } from "hono/utils/cookie";
import { decode } from "next-auth/jwt";
import type { Role } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { retryRead, unavailable } from "@/server/platform/unavailable";
import { findSession, noteMemberActivity } from "@/server/transport/session/session-queries";

/** Who is signed in, in which organization, as read from the session cookie and checked against the database. */
export interface Session {
  userId: string;
  username: string;
  email: string;
  staff: boolean;
  organizationId: string;
  organizationSlug: string;
  organizationName: string;
  role: Role;
}

/**
 * The name next-auth gives the session cookie. No other is accepted: under https the prefix keeps whoever can only
 * answer plain http from planting a session of their own in somebody's browser.
 */
const sessionCookieName = (): string =>
  env.PUBLIC_URL.startsWith("https:") ? "__Secure-next-auth.session-token" : "next-auth.session-token";

/** The organization chosen in the shell; a cookie of its own, so that switching needs no new session. */
export const organizationCookie = "muster-organization";

/**
 * The session of a Cookie header, or null: signed out, ended by a newer session version, or in no organization. Throws
 * `unavailable` where the database cannot tell, which is not the same as signed out.
 */
export async function readSession(cookieHeader: string | null): Promise<Session | null> {
  const cookies = parse(cookieHeader ?? "");
  const token = cookies[sessionCookieName()];
  if (!token || !env.AUTH_SECRET) return null;
  const claims = await decode({ token, secret: env.AUTH_SECRET }).catch(() => null);
  if (!claims?.sub || typeof claims.version !== "number") return null;
  const { sub, version } = claims;
  const find = () => findSession(sub, version, cookies[organizationCookie] ?? "");
  const row = await retryRead(find).catch((error: unknown) => Promise.reject(unavailable(error) ?? error));
  if (row) noteMemberActivity(row.membership_id);
  return row
    ? {
        userId: row.user_id,
        username: row.username,
        email: row.email,
        staff: row.is_staff,
        organizationId: row.organization_id,
        organizationSlug: row.slug,
        organizationName: row.name,
        role: row.role,
      }
    : null;
}

/** The context in which a signed-in person acts. */
export function createSessionContext(session: Session, origin: { ip: string | null; requestId: string | null }): Ctx {
  return {
    organizationId: session.organizationId,
    actor: {
      type: "user",
      id: session.userId,
      name: session.username,
      userId: session.userId,
      username: session.username,
    },
    permissions: { scopes: "all", role: session.role, staff: session.staff, device: false },
    db: prisma,
    ...origin,
  };
}
