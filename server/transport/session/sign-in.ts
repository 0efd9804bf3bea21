import type { NextAuthOptions, User } from "next-auth";
import CredentialsModule from "next-auth/providers/credentials";
import type { SignInRefusal } from "@/domain/organizations/sign-in-refusal";
import type { AdmitIdentity, IdentityClaims } from "@/server/platform/auth/identity-claims";
import { verifyCredentials } from "@/server/platform/auth/password";
import { acceptSecondFactor, hasSecondFactor } from "@/server/platform/auth/second-factor";
import { sessionDays } from "@/server/platform/auth/session-life";
import { sha256 } from "@/server/platform/crypto";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { noticeAccountChange } from "@/server/platform/mail/account-notice";
import {
  noteFailedSecondFactor,
  noteFailedSignIn,
  noteRecoveryCode,
  noteSignIn,
  noteSignOut,
} from "@/server/platform/observability/access-notes";
import { countAttempt, type Attempt } from "@/server/platform/rate-limit/sign-in-attempts";
import { unavailable } from "@/server/platform/unavailable";
import { createIssuerProvider, issuerProviderId, readIdentity } from "@/server/transport/session/issuer";
import {
  awaitSecondFactor,
  readAwaitingSignIn,
  readSessionUid,
  sessionCookie,
  sessionOfToken,
} from "@/server/transport/session/session";
import {
  endSession,
  findAccount,
  isKnownAddress,
  startSession,
  type Browser,
} from "@/server/transport/session/session-queries";
import { decodeToken } from "@/server/transport/session/session-token";

const log = logFor("auth");

// next-auth is CommonJS, whose default export differs between bundlers.
const Credentials =
  "default" in CredentialsModule ? (CredentialsModule.default as typeof CredentialsModule) : CredentialsModule;

/** Replaces the error, because next-auth shows its message to the user. */
function throwPublicError(error: unknown): never {
  if (!unavailable(error)) log.error({ err: error }, "sign-in failed");
  throw new Error("Signing in does not work at the moment. Try again in a minute.");
}

/** Where a sign-in by OpenID Connect continues that failed for no fault of the person. */
function reportFailure(error: unknown): string {
  if (!unavailable(error)) log.error({ err: error }, "sign-in failed");
  return "/login?error=OAuthSignin";
}

/** Headers as next-auth passes them. */
type GivenHeaders = Record<string, unknown> | undefined;

const readHeader = (headers: GivenHeaders, name: string): string | null =>
  typeof headers?.[name] === "string" ? headers[name] : null;

/** The browser of a request. */
const readBrowser = (headers: GivenHeaders): Browser => ({
  userAgent: readHeader(headers, "user-agent"),
  ip: readHeader(headers, "x-muster-client"),
});

const formatThrottled = (seconds: number): string => {
  const [count, unit] = seconds < 120 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return `Too many attempts. Try again in ${count} ${unit}${count === 1 ? "" : "s"}.`;
};

/** Counts an attempt to sign in, as failed until it succeeds. Throws the text for a throttled one. */
async function countSignIn(email: string, ip: string | null): Promise<Attempt> {
  const address = ip ?? "unknown";
  const count = async () => countAttempt({ address, email, isKnownAddress: await isKnownAddress(email, address) });
  const attempt = await count().catch(throwPublicError);
  if (attempt.retryAfterSeconds !== null) throw new Error(formatThrottled(attempt.retryAfterSeconds));
  return attempt;
}

function logRefused(email: string, ip: string | null, step: "password" | "second factor"): void {
  log.info({ address: ip, account: sha256(email.trim().toLowerCase()).slice(0, 12), step }, "sign-in refused");
}

/** An address of this site as it is, else its start page: any text may be sent, and the library would throw for some. */
function ownAddress(url: string, baseUrl: string): string {
  const own = URL.canParse(url, baseUrl) ? new URL(url, baseUrl) : null;
  return own?.origin === new URL(baseUrl).origin ? own.href : baseUrl;
}

const unknownBrowser: Browser = { userAgent: null, ip: null };

interface Account {
  uid: string;
  username: string;
  email: string;
  sessionVersion: number;
}

/** A user as next-auth passes it to the token: with a session, or with what awaits the second factor. */
type SignedInUser = User & ({ sid: string } | { awaiting: ReturnType<typeof awaitSecondFactor> });

const toUser = ({ uid, email, username }: Account) => ({ id: uid, email, name: username });

/**
 * Starts the session of a user who showed everything but perhaps a second factor, which is then awaited. Null when their
 * sessions were ended meanwhile. Ends the session that the browser had: its cookie is replaced, and nobody could sign it
 * out.
 */
async function signInOrAwait(account: Account, headers: GivenHeaders, hasShown: boolean): Promise<SignedInUser | null> {
  const browser = readBrowser(headers);
  if (!hasShown && (await hasSecondFactor({ db: prisma }, account.uid))) {
    return { ...toUser(account), awaiting: awaitSecondFactor(account.sessionVersion) };
  }
  const sid = await startSession(account, browser, hasShown);
  if (!sid) return null;
  noteSignIn(account.uid, browser.ip);
  const replaced = await readSessionUid(readHeader(headers, "cookie"));
  if (replaced) await endSession(replaced);
  return { ...toUser(account), sid };
}

/** The first step: e-mail address and password. */
const createPasswordProvider = () =>
  Credentials({
    credentials: { email: {}, password: {} },
    authorize: async (given, request) => {
      const email = given?.email ?? "";
      const browser = readBrowser(request.headers);
      const attempt = await countSignIn(email, browser.ip);
      const account = await verifyCredentials(email, given?.password ?? "").catch(throwPublicError);
      if (!account) {
        noteFailedSignIn(email, browser.ip);
        logRefused(email, browser.ip, "password");
        return null;
      }
      const user = await signInOrAwait(account, request.headers, false).catch(throwPublicError);
      if (user) await attempt.succeeded().catch(throwPublicError);
      return user;
    },
  });

/** The second step: a code of the authenticator app, or a recovery code. */
const createCodeProvider = () =>
  Credentials({
    id: "second-factor",
    credentials: { code: {} },
    authorize: async (given, request) => {
      const awaiting = await readAwaitingSignIn(readHeader(request.headers, "cookie"));
      const account = awaiting && (await findAccount(awaiting.userId).catch(throwPublicError));
      if (!account) throw new Error("The sign-in took too long. Start again.");
      const browser = readBrowser(request.headers);
      const attempt = await countSignIn(account.email, browser.ip);
      const ctx = { db: prisma };
      const accepted = await acceptSecondFactor(ctx, account.uid, given?.code ?? "").catch(throwPublicError);
      if (!accepted) {
        noteFailedSecondFactor(account.uid, browser.ip);
        logRefused(account.email, browser.ip, "second factor");
        return null;
      }
      if (accepted === "recovery") {
        noteRecoveryCode(account.uid, browser.ip);
        await noticeAccountChange(ctx, account.uid, "recovery_code_used").catch(throwPublicError);
      }
      const checked = { ...account, sessionVersion: awaiting.sessionVersion };
      const user = await signInOrAwait(checked, request.headers, true).catch(throwPublicError);
      if (user) await attempt.succeeded().catch(throwPublicError);
      return user;
    },
  });

const toRefusal = (refused: SignInRefusal): string => `/login?refused=${refused}`;

export interface SignInParts {
  admitIdentity: AdmitIdentity;
  /** The headers of the request. Sign-in by OpenID Connect reads them, because next-auth does not pass them there. */
  headers?: Headers;
}

/** next-auth's options for one request, by the settings of the process. */
export function createAuthOptions({ admitIdentity, headers }: SignInParts): NextAuthOptions {
  const settings = env.OIDC;
  const given = Object.fromEntries(headers ?? []);
  const browser = readBrowser(given);

  /** Signs a person in whom the issuer vouches for. The user is changed in place, as next-auth passes it on. */
  async function signInByIssuer(user: User, claims: IdentityClaims): Promise<true | string> {
    if (claims.issuer !== settings?.issuer) {
      log.error({ issuer: claims.issuer }, "the issuer names itself differently from OIDC_ISSUER");
      return "/login?error=OAuthCallback";
    }
    const result = await admitIdentity({ db: prisma, ip: browser.ip, requestId: null }, claims);
    if ("refused" in result) {
      noteFailedSignIn(claims.email, browser.ip);
      log.info({ address: browser.ip, reason: result.refused }, "sign-in by OpenID Connect refused");
      return toRefusal(result.refused);
    }
    const signedIn = await signInOrAwait(result.user, given, claims.withSecondFactor);
    if (!signedIn) return toRefusal("disabled");
    Object.assign(user, signedIn);
    return true;
  }

  return {
    session: { strategy: "jwt", maxAge: sessionDays * 24 * 60 * 60 },
    // Tokens are encrypted with the first secret, by the library itself.
    ...(env.AUTH_SECRET !== undefined && { secret: env.AUTH_SECRET }),
    jwt: { decode: ({ token }) => decodeToken(token) },
    cookies: { sessionToken: sessionCookie() },
    pages: { signIn: "/login", error: "/login" },
    providers: [createPasswordProvider(), createCodeProvider(), ...(settings ? [createIssuerProvider(settings)] : [])],
    callbacks: {
      redirect: ({ url, baseUrl }) => ownAddress(url, baseUrl),
      signIn: async ({ user, account, profile }) => {
        if (account?.provider !== issuerProviderId || !settings) return true;
        return signInByIssuer(user, readIdentity({ ...profile }, settings)).catch(reportFailure);
      },
      jwt: async ({ token, user }) => {
        // At sign-in `user` is what `authorize` returned. Later the library makes a new token of the old one, which
        // must name the same row, or await the same second factor.
        if (user) {
          const signedIn = user as SignedInUser;
          return "sid" in signedIn ? { ...token, sid: signedIn.sid } : { ...token, awaiting: signedIn.awaiting };
        }
        const sid = await sessionOfToken(token, unknownBrowser);
        return sid ? { ...token, sid } : token;
      },
    },
    events: {
      signOut: async ({ token }) => {
        const sid = await sessionOfToken(token, unknownBrowser);
        if (sid) await endSession(sid);
        if (token.sub && !token.awaiting) noteSignOut(token.sub, null);
      },
    },
  };
}
