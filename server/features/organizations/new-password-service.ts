import { isCommonPassword } from "@/server/platform/common-passwords";
import { invalid } from "@/server/platform/errors";
import { hashPassword } from "@/server/platform/password";

/** Hashes the new password of an account. Throws `invalid(field)` for one that many people have. */
export async function hashNewPassword(field: string, password: string): Promise<string> {
  if (await isCommonPassword(password)) throw invalid(field, "This password is too common.");
  return hashPassword(password);
}
