import { env } from "@/server/env";

/** What the lean path of server/main.ts adds to a request: the socket's address and whether it is encrypted. */
export interface Bindings {
  incoming?: { socket: { remoteAddress?: string | undefined; encrypted?: boolean } };
}

/** Whether a request reached us (or the proxy we trust) encrypted. */
export function overHttps(request: Request, bindings: Bindings | undefined): boolean {
  if (bindings?.incoming?.socket.encrypted) return true;
  return env.TRUSTED_PROXY_HOPS > 0 && request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim() === "https";
}

/** Whether a request must be refused: the service is published over https and this came without. */
export const lacksHttps = (request: Request, bindings: Bindings | undefined): boolean =>
  env.PUBLIC_URL.startsWith("https:") && !overHttps(request, bindings);
