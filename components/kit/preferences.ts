/**
 * What a person chose about the interface, kept in cookies named `ui.<name>` so that the server draws the first frame
 * right: no flash of the wrong theme, density or time zone.
 */
export type Preferences = Readonly<Record<string, string>>;

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const densities = ["compact", "regular", "comfortable"] as const;
export type Density = (typeof densities)[number];

const prefix = "ui.";
const allowedName = /^[a-z][a-z0-9_.-]{0,63}$/i;
const oneYearInSeconds = 31_536_000;

/** Picks the interface's preferences out of a request's cookies; anything malformed is left out. */
export function readPreferences(cookies: Iterable<{ name: string; value: string }>): Preferences {
  const preferences: Record<string, string> = {};
  for (const { name, value } of cookies) {
    if (!name.startsWith(prefix) || value.length > 512) continue;
    const key = name.slice(prefix.length);
    if (allowedName.test(key)) preferences[key] = value;
  }
  return preferences;
}

/** The `document.cookie` assignment that keeps a value for a year, sent over https only on a page of https. */
export const lastingCookie = (name: string, value: string, protocol: string): string =>
  `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${oneYearInSeconds}; SameSite=Lax${protocol === "https:" ? "; Secure" : ""}`;

/** The same for one preference. */
export const preferenceCookie = (name: string, value: string, protocol: string): string =>
  lastingCookie(prefix + name, value, protocol);

/** The value as one of `allowed`, else `fallback`. */
export function parseOneOf<T extends string>(value: string | undefined, allowed: readonly T[], fallback: T): T {
  return allowed.find((candidate) => candidate === value) ?? fallback;
}
