import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** Public by number, yet answered by the cloud's own host: credentials are to be had there. */
const cloudHosts = new Set(["168.63.129.16"]);

/** The only part of IPv6 that is the public internet; ipaddr.js calls a few ranges beside it "unicast". */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/**
 * The same function, which remembers its last thousand answers: each delivery asks of the same few addresses and
 * ranges.
 */
function remembering<T>(of: (text: string) => T): (text: string) => T {
  const known = new LRUCache<string, { answer: T }>({ max: 1_000 });
  return (text) => {
    let entry = known.get(text);
    if (!entry) known.set(text, (entry = { answer: of(text) }));
    return entry.answer;
  };
}

const parse = remembering((address): ipaddr.IPv4 | ipaddr.IPv6 | null => {
  const bare = address.replace(/^\[|\]$/g, "").split("%")[0] ?? "";
  // `process` turns an IPv4-mapped address into the IPv4 one, which is where its packets go.
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
});

const parseRange = remembering((range) => ipaddr.parseCIDR(range));

/** Whether an address lies in one of the ranges (CIDR). An IPv4-mapped IPv6 address counts as the IPv4 one. */
export function insideRanges(address: string, ranges: readonly string[]): boolean {
  const parsed = parse(address);
  if (!parsed) return false;
  return ranges.some((range) => {
    const [base, bits] = parseRange(range);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

/**
 * Whether an address is on the public internet. Private, loopback, link-local (and with it the clouds' metadata),
 * shared, multicast and reserved ranges are not, nor are the IPv6 forms that wrap an IPv4 address (NAT64, 6to4, Teredo,
 * translated).
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (!parsed || parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(globalUnicast);
  return !cloudHosts.has(parsed.toString());
}

/** Whether text is an IP address as a URL's host names it (IPv6 in brackets or not). */
export const isAddress = (host: string): boolean => parse(host) !== null;
