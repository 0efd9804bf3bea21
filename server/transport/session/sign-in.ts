import type { NextAuthOptions } from "next-auth";
import CredentialsModule from "next-auth/providers/credentials";
import { sha256 } from "@/server/platform/crypto";
import { logFor } from "@/server/platform/log";
import { verifyCredentials } from "@/server/platform/password";
import { countRequest } from "@/server/platform/rate-limit/rate-limit";
import { unavailable } from "@/server/platform/unavailable";

const log = logFor("auth");

// next-auth is CommonJS; bundlers differ in what its default export is.
const Credentials =
  (CredentialsModule as unknown as { default?: typeof CredentialsModule }).default ?? CredentialsModule;

declare module "next-auth/jwt" {
  interface JWT {
    version?: number;
  }
}

/** The sign-in library shows an error's text to whoever signs in, and the database's words are not theirs to read. */
function failed(error: unknown): never {
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
        // Guessing is slow, but no stranger's guesses keep the account's owner out from elsewhere.
        const from = String(request.headers?.["x-muster-client"] ?? "");
        const guessed = `sign-in:${from}:${sha256(email.trim().toLowerCase())}`;
        const { retryAfterSeconds } = await countRequest("anonymous", guessed).catch(failed);
        if (retryAfterSeconds !== null)
          throw new Error(`Too many attempts. Try again in ${retryAfterSeconds} seconds.`);
        const user = await verifyCredentials(email, given?.password ?? "").catch(failed);
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
