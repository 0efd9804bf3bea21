import { env } from "@/server/platform/env";

export const httpsRequired = { detail: "HTTPS is required." };

/**
 * Whether a request must be refused (403) because PUBLIC_URL is https and the client used plain http. Muster itself
 * serves plain http only, so the X-Forwarded-Proto header of a trusted proxy decides.
 */
export function lacksHttps(forwardedProto: string | string[] | null | undefined): boolean {
  if (!env.PUBLIC_URL.startsWith("https:")) return false;
  return env.TRUSTED_PROXY_HOPS === 0 || String(forwardedProto).split(",").at(-1)?.trim() !== "https";
}
