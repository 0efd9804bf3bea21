import { parse } from "hono/utils/cookie";
import type { JWT } from "next-auth/jwt";
import type { Role } from "@/domain/permissions";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx, PersonCtx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { noteEndedSession } from "@/server/platform/observability/access-notes";
import { currentScope } from "@/server/platform/request-scope";
import { retryRead, unavailable } from "@/server/platform/unavailable";
import {
  adoptToken,
  findSession,
  noteActivity,
  type Browser,
  type TokenWithoutRow,
} from "@/server/transport/session/session-queries";
import { decodeToken } from "@/server/transport/session/session-token";

/** A signed-in user, read from the session cookie and checked against the database. */
export interface SignedIn {
  /** The uid of the session's row in `sessions`. */
  uid: string;
  userId: string;
  username: string;
  email: string;
  staff: boolean;
}

/** A signed-in user in one of their organizations, which none of those is that are being deleted. */
export interface Session extends SignedIn {
  organizationId: string;
  organizationSlug: string;
  organizationName: string;
  role: Role;
  readOnly: boolean;
  /** The organization requires a second factor that the user does not have: they may do nothing but set one up. */
  lacksSecondFactor: boolean;
}

const isSecure = (): boolean => env.PUBLIC_URL.startsWith("https:");

/**
 * The name of the session cookie. No other is accepted: with https, browsers take a cookie of this prefix only from
 * this very host and over https, so that neither a response to plain http nor a sibling host can plant a session.
 */
const sessionCookieName = (): string => `${isSecure() ? "__Host-" : ""}next-auth.session-token`;

/** The session cookie as the library sets it. */
export const sessionCookie = () => ({
  name: sessionCookieName(),
  options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure() } as const,
});

/** The cookie with the organization chosen in the shell; separate, so that switching needs no new session. */
export const organizationCookie = "muster-organization";

/** The uid of the row that a token names, which a token without one gets; null when it names none. */
export async function sessionOfToken(claims: JWT, browser: Browser): Promise<string | null> {
  const { sub, sid, awaiting, version, jti, iat } = claims;
  if (!sub || awaiting) return null;
  if (sid) return sid;
  const isWithoutRow = typeof version === "number" && typeof jti === "string" && typeof iat === "number";
  if (!isWithoutRow) return null;
  await adoptToken({ sub, version, jti, iat } satisfies TokenWithoutRow, browser);
  return jti;
}

const unknownBrowser: Browser = { userAgent: null, ip: null };

/**
 * Reads the session of a Cookie header; null when signed out, ended, expired, or idle for too long. Throws
 * `unavailable` when the database is, because the user may be signed in.
 */
export async function readSignedIn(
  cookieHeader: string | null,
  browser: Browser = unknownBrowser,
): Promise<SignedIn | Session | null> {
  const cookies = parse(cookieHeader ?? "");
  const token = cookies[sessionCookieName()];
  const claims = await decodeToken(token);
  if (!claims?.sub) return null;
  const { sub } = claims;
  const find = async () => {
    const uid = await sessionOfToken(claims, browser);
    return uid ? findSession(uid, sub, cookies[organizationCookie] ?? "") : undefined;
  };
  const row = await retryRead(find).catch((error: unknown) => Promise.reject(unavailable(error) ?? error));
  if (!row) {
    if (claims.sid) noteEndedSession(sub, claims.sid, browser.ip);
    return null;
  }
  noteActivity(row.uid, row.membership_id, browser.ip);
  const scope = currentScope();
  if (scope) scope.caller = { kind: "user", id: row.user_id, organizationId: row.organization_id };
  const { uid, user_id: userId, username, email, is_staff: staff, organization_id, slug, name, role } = row;
  const person: SignedIn = { uid, userId, username, email, staff };
  if (organization_id === null || slug === null || name === null || role === null) return person;
  const organization = { organizationId: organization_id, organizationSlug: slug, organizationName: name };
  const lacksSecondFactor = row.lacks_second_factor === true;
  return { ...person, ...organization, role, readOnly: row.read_only === true, lacksSecondFactor };
}

/** Whether a signed-in user has an organization, in which they act unless they lack its second factor. */
export const hasOrganization = (signedIn: SignedIn | Session | null): signedIn is Session =>
  signedIn !== null && "organizationId" in signedIn;

/** Like `readSignedIn`, but null also for a user without an organization or without the second factor it requires. */
export async function readSession(cookieHeader: string | null, browser?: Browser): Promise<Session | null> {
  const signedIn = await readSignedIn(cookieHeader, browser);
  return hasOrganization(signedIn) && !signedIn.lacksSecondFactor ? signedIn : null;
}

/** The uid of the session that a cookie names, whether or not it was ended; null for none. */
export async function readSessionUid(cookieHeader: string | null): Promise<string | null> {
  const claims = await decodeToken(parse(cookieHeader ?? "")[sessionCookieName()]);
  return claims?.sid ?? null;
}

/** A sign-in whose password was right and that awaits the second factor, at the version of the account's sessions. */
export interface AwaitingSignIn {
  userId: string;
  sessionVersion: number;
}

const awaitingSeconds = 10 * 60;

/** The claim of a token that awaits the second factor. */
export const awaitSecondFactor = (version: number): NonNullable<JWT["awaiting"]> => ({
  version,
  until: Math.floor(databaseMs() / 1_000) + awaitingSeconds,
});

/** The sign-in that awaits its second factor in this browser; null for none, also when it took too long. */
export async function readAwaitingSignIn(cookieHeader: string | null): Promise<AwaitingSignIn | null> {
  const claims = await decodeToken(parse(cookieHeader ?? "")[sessionCookieName()]);
  if (!claims?.sub || !claims.awaiting || claims.awaiting.until * 1_000 <= databaseMs()) return null;
  return { userId: claims.sub, sessionVersion: claims.awaiting.version };
}

/** The user that a session cookie names, without asking the database whether the session was ended; null for none. */
export async function readUserId(cookieHeader: string | null): Promise<string | null> {
  const token = parse(cookieHeader ?? "")[sessionCookieName()];
  return (await decodeToken(token))?.sub ?? null;
}

interface Origin {
  ip: string | null;
  requestId: string | null;
}

/** The context of a signed-in user for what is their own, with or without an organization. */
export function createPersonContext({ userId, username }: SignedIn, origin: Origin): PersonCtx {
  return { actor: { type: "user", id: userId, name: username, userId, username }, db: prisma, ...origin };
}

/** The context of a signed-in user in their organization. */
export function createSessionContext(session: Session, origin: Origin): Ctx {
  return {
    ...createPersonContext(session, origin),
    organizationId: session.organizationId,
    permissions: { scopes: "all", role: session.role, readOnly: session.readOnly, staff: session.staff, device: false },
  };
}
