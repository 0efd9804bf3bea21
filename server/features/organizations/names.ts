import { isUuid } from "@/domain/uid";

/** Words that stand in paths where a name could; nobody may be called so. */
const reservedNames: ReadonlySet<string> = new Set(["dataset", "list", "invitations", "create-from-existing"]);

const maxLength = 60;

/**
 * Text as a name that fits a path: lower case, letters and digits in runs joined by hyphens; null when nothing is left.
 */
export function toSlug(text: string): string | null {
  const slug = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? null : slug;
}

/** Whether a name is kept from everybody: a word of our paths, or something that could be read as an identifier. */
export const isReserved = (name: string): boolean => reservedNames.has(name) || isUuid(name);

/** The names to try for someone who would be `base`, best first; the last ones are random, so one of them is free. */
export function* nameCandidates(base: string, random: () => string): Generator<string> {
  if (!isReserved(base)) yield base;
  for (let suffix = 2; suffix <= 9; suffix++) yield `${base}-${suffix}`;
  for (let tries = 0; tries < 20; tries++) yield `${base}-${random()}`;
}
