const origin = "http://muster.invalid";

/**
 * Where to go after signing in: a path of this site and nothing else, so that a link cannot send people elsewhere. The
 * path that is left after parsing is checked too, because it will be parsed again: of `/..//host` that is `//host`.
 */
export function safePath(next: string | string[] | undefined, otherwise = "/"): string {
  if (typeof next !== "string" || !next.startsWith("/") || !URL.canParse(next, origin)) return otherwise;
  const url = new URL(next, origin);
  const path = url.pathname + url.search + url.hash;
  return url.origin === origin && !path.startsWith("//") ? path : otherwise;
}

/** The path of an address, for `safePath`; undefined when it is none. */
export function readPath(address: string | string[] | undefined): string | undefined {
  if (typeof address !== "string" || !URL.canParse(address)) return undefined;
  const { pathname, search, hash } = new URL(address);
  return pathname + search + hash;
}
