import type { NextAuthOptions } from "next-auth";
import { decode } from "next-auth/jwt";
import CredentialsModule from "next-auth/providers/credentials";
import type { Role } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";
import { sha256 } from "@/server/platform/crypto";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { verifyCredentials } from "@/server/platform/password";
import { processWide } from "@/server/platform/process-wide";
import { countRequest } from "@/server/platform/rate-limit/rate-limit";

const log = logFor("auth");

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

const sessionStatement = `
  select m.uid as membership_id, u.uid as user_id, u.username, u.email, u.is_staff, o.uid as organization_id, o.slug, o.name, m.role
  from users u
  join memberships m on m.user_id = u.uid
  join organizations o on o.uid = m.organization_id
  where u.uid = $1 and u.session_version = $2
  order by (o.slug = $3) desc, m.uid
  limit 1`;

/** Parses a Cookie header; the last of repeated names wins. */
export function readCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at < 1) continue;
    try {
      cookies.set(part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim()));
    } catch {
      // A cookie that is not ours and does not decode.
    }
  }
  return cookies;
}

const lastNoted = processWide("membershipActivity", () => new Map<string, number>());
/** Remembers, at most once a minute, that a member was here. Never delays the request. */
function noteActivity(membershipId: string): void {
  const now = Date.now();
  if (now - (lastNoted.get(membershipId) ?? 0) < 60_000) return;
  if (lastNoted.size > 10_000) lastNoted.clear();
  lastNoted.set(membershipId, now);
  pool
    .query(
      `update memberships set last_active_at = now()
       where uid = $1 and (last_active_at is null or last_active_at < now() - interval '1 minute')`,
      [membershipId],
    )
    .catch((error: unknown) => log.warn({ err: error }, "could not note a member's activity"));
}

/** The session of a Cookie header, or null: signed out, ended by a newer session version, or in no organization. */
export async function sessionOf(cookieHeader: string | null): Promise<Session | null> {
  const cookies = readCookies(cookieHeader);
  const token = cookies.get(sessionCookieName());
  if (!token || !env.AUTH_SECRET) return null;
  const claims = await decode({ token, secret: env.AUTH_SECRET }).catch(() => null);
  if (!claims?.sub || typeof claims.version !== "number") return null;
  const { rows } = await pool.query<{
    membership_id: string;
    user_id: string;
    username: string;
    email: string;
    is_staff: boolean;
    organization_id: string;
    slug: string;
    name: string;
    role: Role;
  }>({
    name: "session",
    text: sessionStatement,
    values: [claims.sub, claims.version, cookies.get(organizationCookie) ?? ""],
  });
  const row = rows[0];
  if (row) noteActivity(row.membership_id);
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
export function contextOf(session: Session, origin: { ip: string | null; requestId: string | null }): Ctx {
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

// next-auth is CommonJS; bundlers differ in what its default export is.
const Credentials =
  (CredentialsModule as unknown as { default?: typeof CredentialsModule }).default ?? CredentialsModule;

declare module "next-auth/jwt" {
  interface JWT {
    version?: number;
  }
}

/** The sign-in library shows an error's text to whoever signs in, and the database's words are not theirs to read. */
function unavailable(error: unknown): never {
  log.error({ err: error }, "sign-in failed");
  throw new Error("Signing in does not work at the moment. Try again in a minute.");
}

export const authOptions: NextAuthOptions = {
  session: { strategy: "jwt", maxAge: 30 * 24 * 60 * 60 },
  pages: { signIn: "/login" },
  providers: [
    Credentials({
      credentials: { email: {}, password: {} },
      authorize: async (given, request) => {
        const email = given?.email ?? "";
        // Guessing is slow, but no stranger's guesses keep the account's owner out from elsewhere.
        const from = String(request.headers?.["x-muster-client"] ?? "");
        const { retryAfterSeconds } = await countRequest(
          "anonymous",
          `sign-in:${from}:${sha256(email.trim().toLowerCase())}`,
        ).catch(unavailable);
        if (retryAfterSeconds !== null)
          throw new Error(`Too many attempts. Try again in ${retryAfterSeconds} seconds.`);
        const user = await verifyCredentials(email, given?.password ?? "").catch(unavailable);
        return user ? { id: user.uid, email: user.email, name: user.username, version: user.sessionVersion } : null;
      },
    }),
  ],
  callbacks: {
    jwt: ({ token, user }) => {
      // At sign-in `user` is what `authorize` returned.
      if (user) token.version = (user as unknown as { version: number }).version;
      return token;
    },
  },
};
