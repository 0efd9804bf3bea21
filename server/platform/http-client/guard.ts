import type { LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { insideRanges, isAddress, isPublicAddress } from "@/server/platform/http-client/address";
import { egressSettings } from "@/server/platform/http-client/settings";

export type EgressFault = "blocked" | "refused_url" | "dns" | "connect" | "tls" | "timeout" | "protocol";

/** Why there is no response. `blocked`: the address is not permitted; nothing was sent. */
export class EgressError extends Error {
  constructor(
    readonly fault: EgressFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "EgressError";
  }
}

/** Whether the same request may succeed soon: the receiver was unreachable, slow, or closed the connection. */
export function isTransient({ fault, cause }: EgressError): boolean {
  if (fault === "connect" || fault === "timeout") return true;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (fault === "dns") return code !== "" && code !== "ENOTFOUND" && code !== "ENODATA";
  return fault === "protocol" && /^(UND_ERR_SOCKET|ECONN|EPIPE)/.test(code);
}

const blocked = () => new EgressError("blocked", "blocked address");

/** Over http only ranges that the operator permits; over https the public internet as well. */
function allowed(address: string, protocol: string): boolean {
  if (insideRanges(address, egressSettings().allow)) return true;
  return protocol === "https:" && isPublicAddress(address);
}

/** Resolves a name once per connection, and refuses it when any of its addresses is blocked. */
const guardedLookup =
  (protocol: string): LookupFunction =>
  (hostname, options, callback) => {
    egressSettings()
      .resolve(hostname)
      .then(
        (addresses) => {
          const first = addresses[0];
          if (!first) return callback(new EgressError("dns", "the name has no address"), "", 0);
          if (!addresses.every(({ address }) => allowed(address, protocol))) return callback(blocked(), "", 0);
          if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(new EgressError("dns", "the name could not be resolved", { cause: error }), "", 0),
      );
  };

/**
 * Opens connections for the outbound client. Addresses are checked three times: a literal before connecting (it is not
 * looked up), every address that the name server returns, and the address to which the socket is connected.
 */
export function guardedConnector(timeoutMs: number): buildConnector.connector {
  const connectors = new Map(
    ["http:", "https:"].map((protocol) => [
      protocol,
      buildConnector({ timeout: timeoutMs, lookup: guardedLookup(protocol) }),
    ]),
  );
  return (options, callback) => {
    const connect = connectors.get(options.protocol);
    const refuse = (error: Error) => queueMicrotask(() => callback(error, null));
    if (!connect) return refuse(new EgressError("refused_url", "not an http address"));
    if (isAddress(options.hostname) && !allowed(options.hostname, options.protocol)) return refuse(blocked());
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      if (!allowed(socket.remoteAddress ?? "", options.protocol)) {
        socket.destroy();
        return callback(blocked(), null);
      }
      callback(null, socket);
    });
  };
}
