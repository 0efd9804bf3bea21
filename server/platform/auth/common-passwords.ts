import { processWide } from "@/server/platform/process-wide";

/** Loaded with the first new password, because few processes see one. Those below the minimum length are left out. */
const listed = () =>
  processWide("commonPasswords", async () => {
    const { dictionary } = await import("@zxcvbn-ts/language-common");
    return new Set(dictionary.passwords.filter((password) => String(password).length >= 8).map(String));
  });

/** Whether a password is among the most common ones, in letters of either case: 18,000 that are long enough. */
export async function isCommonPassword(password: string): Promise<boolean> {
  const common = await listed();
  return common.has(password) || common.has(password.trim().toLowerCase());
}
