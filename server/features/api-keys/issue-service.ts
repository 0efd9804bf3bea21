import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { newToken, sha256 } from "@/server/platform/crypto";
import { uuidv7 } from "@/server/platform/uid";

export interface NewKey {
  userId: string;
  name: string;
  scopes: readonly string[];
  expiresAt: Date | null;
}

/** Creates a key of a user in the organization of `tx`. Only its hash is stored: `key` cannot be read again. */
export async function issueKey(
  tx: Pick<Ctx, "db" | "organizationId">,
  input: NewKey,
): Promise<{ uid: string; key: string }> {
  const uid = uuidv7();
  const key = newToken("svk_");
  await tx.db.apiKey.create({
    data: {
      uid,
      organizationId: tx.organizationId,
      userId: input.userId,
      name: input.name,
      hash: sha256(key),
      prefix: key.slice(0, 8),
      lastFour: key.slice(-4),
      scopes: [...input.scopes],
      expiresAt: input.expiresAt,
    },
  });
  return { uid, key };
}

/** Revokes every key of a user in the organization of `tx`. Returns how many. */
export async function revokeKeysOfUser(tx: Pick<Ctx, "db" | "organizationId">, userId: string): Promise<number> {
  const { count } = await tx.db.apiKey.updateMany({
    where: { organizationId: tx.organizationId, userId, revokedAt: null },
    data: { revokedAt: databaseNow() },
  });
  return count;
}
