import type { Ctx } from "@/server/platform/context";
import { newToken, sha256 } from "@/server/platform/crypto";
import { uuidv7 } from "@/server/platform/uid";

export interface NewKey {
  userId: string;
  name: string;
  scopes: readonly string[];
  expiresAt: Date | null;
}

/** Writes a key of a user in the organization of `tx`. Only its hash is kept: `key` exists in this answer alone. */
export async function issueKey(
  tx: Pick<Ctx, "db" | "organizationId">,
  wanted: NewKey,
): Promise<{ uid: string; key: string }> {
  const uid = uuidv7();
  const key = newToken("svk_");
  await tx.db.apiKey.create({
    data: {
      uid,
      organizationId: tx.organizationId,
      userId: wanted.userId,
      name: wanted.name,
      hash: sha256(key),
      prefix: key.slice(0, 8),
      lastFour: key.slice(-4),
      scopes: [...wanted.scopes],
      expiresAt: wanted.expiresAt,
    },
  });
  return { uid, key };
}

/** Ends every key a user has in the organization of `tx`, for good. */
export async function revokeKeysOfUser(tx: Pick<Ctx, "db" | "organizationId">, userId: string): Promise<number> {
  const { count } = await tx.db.apiKey.updateMany({
    where: { organizationId: tx.organizationId, userId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count;
}
