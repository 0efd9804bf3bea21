import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** Public addresses that clouds route to their own host, where credentials are served. */
const cloudHosts = new Set(["168.63.129.16"]);

/** The only public part of IPv6; ipaddr.js also classifies a few other ranges as "unicast". */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** Caches the last thousand results of a function: deliveries check the same few addresses and ranges. */
function memoize<T>(compute: (text: string) => T): (text: string) => T {
  const cache = new LRUCache<string, { result: T }>({ max: 1_000 });
  return (text) => {
    let entry = cache.get(text);
    if (!entry) cache.set(text, (entry = { result: compute(text) }));
    return entry.result;
  };
}

const parse = memoize((address): ipaddr.IPv4 | ipaddr.IPv6 | null => {
  const bare = address.replace(/^\[|\]$/g, "").split("%")[0] ?? "";
  // `process` turns an IPv4-mapped address into the IPv4 address to which its packets are sent.
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
});

const parseRange = memoize((range) => ipaddr.parseCIDR(range));

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

/** Whether a URL's host is an IP address (IPv6 with or without brackets). */
export const isAddress = (host: string): boolean => parse(host) !== null;
