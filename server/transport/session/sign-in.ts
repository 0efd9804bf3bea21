import type { NextAuthOptions } from "next-auth";
import CredentialsModule from "next-auth/providers/credentials";
import { noteFailedSignIn, noteSignIn, noteSignOut } from "@/server/platform/access-notes";
import { sha256 } from "@/server/platform/crypto";
import { logFor } from "@/server/platform/log";
import { verifyCredentials } from "@/server/platform/password";
import { countRequest } from "@/server/platform/rate-limit/rate-limit";
import { sessionDays } from "@/server/platform/session-life";
import { unavailable } from "@/server/platform/unavailable";
import { sessionOfToken } from "@/server/transport/session/session";
import { endSession, startSession, type Browser } from "@/server/transport/session/session-queries";

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

const unknownBrowser: Browser = { userAgent: null, ip: null };

export const authOptions: NextAuthOptions = {
  session: { strategy: "jwt", maxAge: sessionDays * 24 * 60 * 60 },
  pages: { signIn: "/login" },
  providers: [
    Credentials({
      credentials: { email: {}, password: {} },
      authorize: async (given, request) => {
        const email = given?.email ?? "";
        // Limited by address and account: slows guessing without locking out the account's owner elsewhere.
        const browser = readBrowser(request.headers);
        const limitKey = `sign-in:${browser.ip ?? ""}:${sha256(email.trim().toLowerCase())}`;
        const { retryAfterSeconds } = await countRequest("anonymous", limitKey).catch(throwPublicError);
        if (retryAfterSeconds !== null)
          throw new Error(`Too many attempts. Try again in ${retryAfterSeconds} seconds.`);
        const user = await verifyCredentials(email, given?.password ?? "").catch(throwPublicError);
        if (user) noteSignIn(user.uid, address);
        else {
          noteFailedSignIn(email, address);
          log.info({ address, account: sha256(email.trim().toLowerCase()).slice(0, 12) }, "sign-in refused");
        }
        const sid = user && (await startSession(user, browser).catch(throwPublicError));
        return sid ? { id: user.uid, email: user.email, name: user.username, sid } : null;
      },
    }),
  ],
  callbacks: {
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
