import { hash, verify } from "@node-rs/argon2";
import { prisma } from "@/server/platform/db";
import { processWide } from "@/server/platform/process-wide";

// Argon2id with the parameters OWASP recommends (19 MiB, 2 passes, 1 lane); the library's default algorithm is
// Argon2id.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password for storage. Callers have checked its length (8 to 128), which bounds the work. */
export const hashPassword = (password: string): Promise<string> => hash(password, cost);

/** Whether a password matches the stored hash. One longer than the maximum length is refused without hashing it. */
export const passwordMatches = async (stored: string, password: string): Promise<boolean> =>
  password.length <= 128 && verify(stored, password).catch(() => false);

const decoy = () => processWide("passwordDecoy", () => hashPassword("no such user, same work"));

/** The user of these credentials, or null, also for a disabled one. Takes as long for an unknown address as for a wrong password. */
export async function verifyCredentials(email: string, password: string) {
  if (password.length > 128 || email.length > 254 || email.includes("\0")) return null;
  const user = await prisma.user.findUnique({ where: { email: email.trim().toLowerCase() } });
  const matches = await passwordMatches(user?.passwordHash ?? (await decoy()), password);
  return user && matches && user.disabledAt === null ? user : null;
}
