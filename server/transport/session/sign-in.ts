import type { NextAuthOptions } from "next-auth";
import CredentialsModule from "next-auth/providers/credentials";
import { noteFailedSignIn, noteSignIn, noteSignOut } from "@/server/platform/access-notes";
import { sha256 } from "@/server/platform/crypto";
import { logFor } from "@/server/platform/log";
import { verifyCredentials } from "@/server/platform/password";
import { countRequest } from "@/server/platform/rate-limit/rate-limit";
import { unavailable } from "@/server/platform/unavailable";

const log = logFor("auth");

// next-auth is CommonJS, whose default export differs between bundlers.
const Credentials =
  (CredentialsModule as unknown as { default?: typeof CredentialsModule }).default ?? CredentialsModule;

declare module "next-auth/jwt" {
  interface JWT {
    version?: number;
  }
}

/** Replaces the error, because next-auth shows its message to the user. */
function throwPublicError(error: unknown): never {
  if (!unavailable(error)) log.error({ err: error }, "sign-in failed");
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
        // Limited by address and account: slows guessing without locking out the account's owner elsewhere.
        const address = String(request.headers?.["x-muster-client"] ?? "");
        const limitKey = `sign-in:${address}:${sha256(email.trim().toLowerCase())}`;
        const { retryAfterSeconds } = await countRequest("anonymous", limitKey).catch(throwPublicError);
        if (retryAfterSeconds !== null)
          throw new Error(`Too many attempts. Try again in ${retryAfterSeconds} seconds.`);
        const user = await verifyCredentials(email, given?.password ?? "").catch(throwPublicError);
        if (user) noteSignIn(user.uid, address);
        else {
          noteFailedSignIn(email, address);
          log.info({ address, account: sha256(email.trim().toLowerCase()).slice(0, 12) }, "sign-in refused");
        }
        return user ? { id: user.uid, email: user.email, name: user.username, version: user.sessionVersion } : null;
      },
    }),
  ],
  events: {
    signOut: ({ token }) => {
      if (token.sub) noteSignOut(token.sub, null);
    },
  },
  callbacks: {
    jwt: ({ token, user }) => {
      // At sign-in `user` is what `authorize` returned.
      if (user) token.version = (user as unknown as { version: number }).version;
      return token;
    },
  },
};
