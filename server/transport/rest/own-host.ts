import { isIP } from "node:net";
import { env } from "@/server/platform/env";

/** Names that no public name server answers for: one label, or below a suffix of local networks. */
const localName = /^[a-z0-9_-]+$|\.(localhost|local|lan|internal|home\.arpa)$/i;

/**
 * Whether a Host header is one of this installation: that of PUBLIC_URL, an address, or a name of a local network. A
 * public name that somebody else resolves to this machine is not, so that its pages cannot act or appear as ours.
 */
export function isOwnHost(host: string): boolean {
  if (host.toLowerCase() === new URL(env.PUBLIC_URL).host) return true;
  if (!URL.canParse(`http://${host}/`)) return false;
  const { hostname } = new URL(`http://${host}/`);
  return isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0 || localName.test(hostname);
}

/** The origin for absolute links: PUBLIC_URL if it is set, else that of the request if it is ours. */
export const getOrigin = (requested: URL): string =>
  !env.PUBLIC_URL_GIVEN && isOwnHost(requested.host) ? requested.origin : env.PUBLIC_URL;

/**
 * The origin at which a browser that sent this Host header sees Muster, for what a page shows of it; PUBLIC_URL when the
 * host is not ours. `scheme` is what the browser speaks to the proxy before us: `http` or `https`.
 */
export function getVisitedOrigin(host: string, scheme: string): string {
  const isPublic = env.PUBLIC_URL_GIVEN && host.toLowerCase() === new URL(env.PUBLIC_URL).host;
  if (isPublic || !isOwnHost(host)) return env.PUBLIC_URL;
  return new URL(`${scheme === "https" ? "https" : "http"}://${host}`).origin;
}
