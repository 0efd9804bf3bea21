/** Where to go after signing in: a path of this site and nothing else, so that a link cannot send people elsewhere. */
export function safePath(next: string | string[] | undefined, otherwise = "/"): string {
  if (typeof next !== "string" || !next.startsWith("/")) return otherwise;
  const origin = "http://muster.invalid";
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  return url?.origin === origin ? url.pathname + url.search + url.hash : otherwise;
}
