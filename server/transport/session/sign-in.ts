import type { NextAuthOptions } from "next-auth";
import CredentialsModule from "next-auth/providers/credentials";
import { noteFailedSignIn, noteSignIn, noteSignOut } from "@/server/platform/access-notes";
import { sha256 } from "@/server/platform/crypto";
import { logFor } from "@/server/platform/log";
import { verifyCredentials } from "@/server/platform/password";
import { countAttempt, type Attempt } from "@/server/platform/rate-limit/sign-in-attempts";
import { sessionDays } from "@/server/platform/session-life";
import { unavailable } from "@/server/platform/unavailable";
import { decodeToken, readSessionUid, sessionCookie, sessionOfToken } from "@/server/transport/session/session";
import { endSession, isKnownAddress, startSession, type Browser } from "@/server/transport/session/session-queries";

const log = logFor("auth");

// next-auth is CommonJS, whose default export differs between bundlers.
const Credentials =
  (CredentialsModule as unknown as { default?: typeof CredentialsModule }).default ?? CredentialsModule;

/** Replaces the error, because next-auth shows its message to the user. */
function throwPublicError(error: unknown): never {
  if (!unavailable(error)) log.error({ err: error }, "sign-in failed");
  throw new Error("Signing in does not work at the moment. Try again in a minute.");
}

/** The browser of a request, from the headers as next-auth passes them. */
function readBrowser(headers: Record<string, unknown> | undefined): Browser {
  const read = (name: string) => (typeof headers?.[name] === "string" ? headers[name] : null);
  return { userAgent: read("user-agent"), ip: read("x-muster-client") };
}

const countSignIn = async (email: string, address: string): Promise<Attempt> =>
  countAttempt({ address, email, isKnownAddress: await isKnownAddress(email, address) });

const formatThrottled = (seconds: number): string => {
  const [count, unit] = seconds < 120 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return `Too many attempts. Try again in ${count} ${unit}${count === 1 ? "" : "s"}.`;
};

/** An address of this site as it is, else its start page: any text may be sent, and the library would throw for some. */
function ownAddress(url: string, baseUrl: string): string {
  const own = URL.canParse(url, baseUrl) ? new URL(url, baseUrl) : null;
  return own?.origin === new URL(baseUrl).origin ? own.href : baseUrl;
}

/** Ends the session of the browser that signs in again: its cookie is replaced, and nobody could sign it out. */
async function endReplaced(headers: Record<string, unknown> | undefined): Promise<void> {
  const sid = await readSessionUid(typeof headers?.cookie === "string" ? headers.cookie : null);
  if (sid) await endSession(sid);
}

const unknownBrowser: Browser = { userAgent: null, ip: null };

export const authOptions: NextAuthOptions = {
  session: { strategy: "jwt", maxAge: sessionDays * 24 * 60 * 60 },
  // Tokens are encrypted with the first secret, by the library itself.
  jwt: { decode: ({ token }) => decodeToken(token) },
  // A getter, because importing this file must not read the settings.
  get cookies() {
    return { sessionToken: sessionCookie() };
  },
  pages: { signIn: "/login" },
  providers: [
    Credentials({
      credentials: { email: {}, password: {} },
      authorize: async (given, request) => {
        const email = given?.email ?? "";
        const browser = readBrowser(request.headers);
        const attempt = await countSignIn(email, browser.ip ?? "unknown").catch(throwPublicError);
        if (attempt.retryAfterSeconds !== null) throw new Error(formatThrottled(attempt.retryAfterSeconds));
        const user = await verifyCredentials(email, given?.password ?? "").catch(throwPublicError);
        if (user) noteSignIn(user.uid, browser.ip);
        else {
          noteFailedSignIn(email, browser.ip);
          log.info(
            { address: browser.ip, account: sha256(email.trim().toLowerCase()).slice(0, 12) },
            "sign-in refused",
          );
        }
        const sid = user && (await startSession(user, browser).catch(throwPublicError));
        if (!sid) return null;
        await endReplaced(request.headers).catch(throwPublicError);
        await attempt.succeeded().catch(throwPublicError);
        return { id: user.uid, email: user.email, name: user.username, sid };
      },
    }),
  ],
  callbacks: {
    redirect: ({ url, baseUrl }) => ownAddress(url, baseUrl),
    jwt: async ({ token, user }) => {
      // At sign-in `user` is what `authorize` returned. Later the library makes a new token of the old one, which must
      // name the same row.
      const sid = user ? (user as unknown as { sid: string }).sid : await sessionOfToken(token, unknownBrowser);
      return sid ? { ...token, sid } : token;
    },
  },
  events: {
    signOut: async ({ token }) => {
      const sid = await sessionOfToken(token, unknownBrowser);
      if (sid) await endSession(sid);
      if (token.sub) noteSignOut(token.sub, null);
    },
  },
};
