/** Why an attempt had no response: the causes beside the receiver's own statuses, which are texts like `503`. */
export const faultCauses = ["timeout", "connect", "dns", "tls", "blocked", "broken", "turned_off", "other"] as const;
export type FaultCause = (typeof faultCauses)[number];

const texts: Readonly<Record<FaultCause, string>> = {
  timeout: "No response in time",
  connect: "Connection refused",
  dns: "Name not found",
  tls: "TLS failed",
  blocked: "Private address",
  broken: "Connection broke off",
  turned_off: "Turned off before it was sent",
  other: "Not sent",
};

/** A cause in a few words: `503`, `No response in time`. */
export const causeText = (cause: string): string =>
  faultCauses.includes(cause as FaultCause) ? texts[cause as FaultCause] : cause;

/** What to do about a cause, as one sentence. */
export function causeAdvice(cause: string): string {
  switch (cause) {
    case "timeout":
      return "Respond within 15 seconds: queue the work and return 2xx first.";
    case "connect":
      return "Nothing listens at this address, or a firewall refuses the connection.";
    case "dns":
      return "Check the name in the URL and its DNS records.";
    case "tls":
      return "Check the certificate: its name, its chain and when it expires.";
    case "blocked":
      return "The address is private. The operator can allow its network in EGRESS_ALLOW_CIDRS.";
    case "broken":
      return "The receiver closed the connection before it responded.";
    case "turned_off":
      return "They were waiting when the webhook was turned off.";
    case "401":
    case "403":
      return "The receiver refuses the message. Check its secret and how it verifies the signature.";
    case "404":
      return "There is nothing at this path. Check the URL.";
    case "410":
      return "The receiver said that it is gone for good, which turns the webhook off.";
    case "413":
      return "The receiver accepts smaller bodies only. Raise its limit.";
    case "429":
      return "The receiver limits its rate. Replay at a lower one.";
    default:
      if (/^5\d\d$/.test(cause)) return "The receiver failed. Its own log says why.";
      if (/^3\d\d$/.test(cause)) return "Redirects are not followed. Use the final address.";
      if (/^4\d\d$/.test(cause)) return "The receiver refuses the message.";
      return "";
  }
}
