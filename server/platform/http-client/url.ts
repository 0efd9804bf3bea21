import { setTimeout as sleep } from "node:timers/promises";
import { isDemoReceiver } from "@/domain/demo/receiver";
import { atMost } from "@/domain/field-messages";
import { maxUrlLength } from "@/domain/limits";
import { insideRanges, isAddress, isPublicAddress } from "@/server/platform/http-client/address";
import { egressSettings } from "@/server/platform/http-client/settings";

/** Ports above 1023 of well-known services other than web servers. Below 1024, only 80 and 443 are accepted. */
const otherServices = new Set([
  1080, 1194, 1433, 1521, 1701, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3269, 3306,
  3389, 3659, 4045, 4190, 4369, 5060, 5061, 5432, 5672, 5900, 5901, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667,
  6668, 6669, 6679, 6697, 8125, 9042, 9092, 9418, 10080, 10250, 11211, 27017,
]);

const refusedPort = (port: number): boolean => (port < 1_024 ? port !== 80 && port !== 443 : otherServices.has(port));

export type CheckedUrl = { ok: true; url: URL } | { ok: false; message: string };

const refuse = (message: string): CheckedUrl => ({ ok: false, message });
const notAUrl = "Enter a valid URL.";
const needsHttps = "Only https:// is accepted for this address.";
const onlyDemo = "This address belongs to the demo fleet.";
const notPublic = "This address is not reachable from here: it is not on the public internet.";

/** `localhost` and its subdomains always mean this machine, independent of name servers. */
const isLocalName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost");

/**
 * Checks a user's URL for outbound requests when it is saved; the connection is checked again. Names are not resolved
 * here, because their addresses change. The returned URL is normalized: host in lower case and without its final dot,
 * no default port, no dot segments.
 */
export function checkUrl(text: string): CheckedUrl {
  if (text.length > maxUrlLength) return refuse(atMost(maxUrlLength));
  // The URL parser would silently repair these, so that the checked URL would differ from the entered one.
  if (!/^https?:\/\/[^/\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return refuse(/^https?:/i.test(text) ? notAUrl : "Enter a valid URL that begins with https://.");
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return refuse("A URL with a user name or password is not accepted.");
  if (text.includes("#")) return refuse("A URL with a fragment is not accepted.");
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (url.hostname === "" || url.hostname.endsWith(".")) return refuse(notAUrl);
  if (isDemoReceiver(url.href)) return refuse(onlyDemo);
  if (url.port !== "" && refusedPort(Number(url.port))) return refuse(`Port ${url.port} is not accepted.`);

  const { allow } = egressSettings();
  const address = isLocalName(url.hostname) ? "127.0.0.1" : url.hostname;
  const allowed = isAddress(address) ? insideRanges(address, allow) : null;
  if (allowed === false && !isPublicAddress(address)) return refuse(notPublic);
  // A name may resolve into a permitted range; over http the connection is refused otherwise.
  const httpAllowed = allowed ?? allow.length > 0;
  if (url.protocol === "http:" && !httpAllowed) return refuse(needsHttps);
  return { ok: true, url };
}

const resolveMs = 3_000;

/** The addresses of a name now; none when it has none or does not resolve in time. */
async function resolveNow(host: string): Promise<string[]> {
  const timeout = new AbortController();
  const late = sleep(resolveMs, [], { signal: timeout.signal, ref: false }).catch(() => []);
  const addresses = await Promise.race([
    egressSettings()
      .resolve(host)
      .catch(() => []),
    late,
  ]);
  timeout.abort();
  return addresses.map(({ address }) => address);
}

/** Whether a name resolves, now, to nothing but addresses that the operator permits. */
async function resolvesInside(host: string): Promise<boolean> {
  const { allow } = egressSettings();
  const addresses = await resolveNow(host);
  return addresses.length > 0 && addresses.every((address) => insideRanges(address, allow));
}

/** What a request to a permitted URL would meet now: a refused private address, or a name without an address. */
export async function lookUpReceiver({ protocol, hostname }: URL): Promise<"reachable" | "private" | "unresolved"> {
  const { allow } = egressSettings();
  if (isLocalName(hostname) || isAddress(hostname)) return "reachable";
  const addresses = await resolveNow(hostname);
  if (addresses.length === 0) return "unresolved";
  const permitted = (address: string) =>
    insideRanges(address, allow) || (protocol === "https:" && isPublicAddress(address));
  return addresses.every(permitted) ? "reachable" : "private";
}

/**
 * Checks the URL of a receiver when it is saved, like `checkUrl`, and resolves a name over http: outside of the ranges
 * that the operator permits, no delivery could succeed. Rows of the demo fleet alone may hold the demo's own receiver.
 */
export async function checkReceiver(text: string, { demo = false } = {}): Promise<CheckedUrl> {
  if (demo && isDemoReceiver(text)) return { ok: true, url: new URL(text) };
  const checked = checkUrl(text);
  if (!checked.ok || checked.url.protocol === "https:") return checked;
  const { hostname } = checked.url;
  if (isAddress(hostname) || isLocalName(hostname)) return checked;
  return (await resolvesInside(hostname)) ? checked : refuse(needsHttps);
}
