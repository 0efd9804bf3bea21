import { isUuid } from "@/domain/uid";
import { toLatin } from "@/server/features/membership/latin-letters";

/** Path segments that stand where a user or organization name could. */
const reservedNames: ReadonlySet<string> = new Set(["dataset", "list", "invitations", "create-from-existing"]);

const maxLength = 60;

/** Converts text to a path segment of lower-case letters, digits and single hyphens; null when nothing is left. */
export function toSlug(text: string): string | null {
  const slug = toLatin(text)
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? null : slug;
}

/** Whether a name is reserved: a path segment of Muster, or text that could be read as an identifier. */
export const isReserved = (name: string): boolean => reservedNames.has(name) || isUuid(name);

/** Candidates for a name near `base`, best first; the last are random, so that one of them is free. */
export function* nameCandidates(base: string, random: () => string): Generator<string> {
  if (!isReserved(base)) yield base;
  for (let suffix = 2; suffix <= 9; suffix++) yield `${base}-${suffix}`;
  for (let tries = 0; tries < 20; tries++) yield `${base}-${random()}`;
}
