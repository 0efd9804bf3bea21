import { decode, type JWT } from "next-auth/jwt";
import { databaseMs } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

declare module "next-auth/jwt" {
  interface JWT {
    /** The uid of the session's row. */
    sid?: string;
    /** Before the second factor was shown, in place of `sid`: the account's session version, and until when (Unix s). */
    awaiting?: { version: number; until: number };
    /** Only in tokens made before sessions had rows. */
    version?: number;
    jti?: string;
    iat?: number;
    exp?: number;
  }
}

interface Decoded {
  claims: JWT;
  secrets: readonly string[];
}

const maxDecoded = 1_000;

/** By token, the least recently used first. A page and each request of it read the same token, some several times. */
const recent = processWide("session-tokens", () => new Map<string, Decoded>());

/** The claims of a session token that any of the secrets encrypted; null for none, and for one that has expired. */
export async function decodeToken(token: string | undefined): Promise<JWT | null> {
  if (!token) return null;
  const claims = recall(token) ?? (await decrypt(token));
  return claims && { ...claims }; // next-auth changes what it is given
}

function recall(token: string): JWT | null {
  const known = recent.get(token);
  if (!known) return null;
  recent.delete(token);
  if (known.secrets !== env.AUTH_SECRETS || (known.claims.exp ?? 0) * 1_000 <= databaseMs()) return null;
  recent.set(token, known);
  return known.claims;
}

async function decrypt(token: string): Promise<JWT | null> {
  const secrets = env.AUTH_SECRETS;
  for (const secret of secrets) {
    const claims = await decode({ token, secret }).catch(() => null);
    if (!claims) continue;
    recent.set(token, { claims, secrets });
    for (const [oldest] of recent) {
      if (recent.size <= maxDecoded) break;
      recent.delete(oldest);
    }
    return claims;
  }
  return null;
}
