import { isCommonPassword } from "@/server/platform/auth/common-passwords";
import { hashPassword } from "@/server/platform/auth/password";
import { invalid } from "@/server/platform/errors";

/** Letters and digits that a password needs beyond terms that everybody who knows the account would try. */
const minOtherCharacters = 6;
const minTermLength = 4;

/** The parts of texts that are long enough, and each whole without what separates them, the longest first. */
function listTerms(texts: readonly string[]): string[] {
  const lower = texts.map((text) => text.toLowerCase());
  const all = [...lower.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)), ...lower.map(keepLetters)];
  return all.filter((term) => term.length >= minTermLength).sort((a, b) => b.length - a.length);
}

const keepLetters = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "");

/** Whether a password is little more than the product's name or something that names its account. */
function isAboutAccount(password: string, account: readonly string[]): boolean {
  const whole = keepLetters(password.toLowerCase());
  const rest = listTerms(["muster", ...account]).reduce((left, term) => left.replaceAll(term, ""), whole);
  return rest.length < minOtherCharacters && rest.length < whole.length;
}

/**
 * Hashes the new password of an account, which the texts of `account` name: its e-mail address, username, organization.
 * Throws `invalid(field)` for one that many people have, or that these names nearly are.
 */
export async function hashNewPassword(field: string, password: string, account: readonly string[]): Promise<string> {
  if (await isCommonPassword(password)) throw invalid(field, "This password is too common.");
  if (isAboutAccount(password, account)) throw invalid(field, "This password is too much like your name or address.");
  return hashPassword(password);
}
