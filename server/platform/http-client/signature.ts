import { createHmac, randomBytes } from "node:crypto";

export interface Signed {
  secret: string;
  /** The secret before a rotation, which also signs for a while. */
  previousSecret?: string | undefined;
  /** Identifies the message; the same in every attempt, so that a receiver can detect duplicates. */
  id: string;
  /** The time of this attempt, in seconds since 1970. */
  timestamp: number;
  /** The raw body, exactly as it is sent. */
  body: string;
  event: string;
  deliveryId: string;
}

const prefix = "whsec_";
const base64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString("base64");

/**
 * The keys of the Standard Webhooks signature. `whsec_` secrets contain their key in base64. Any other secret is used
 * as it is; since the scheme's libraries decode such a secret as base64 if possible, the decoded key signs as well.
 */
function standardKeys(secret: string): Buffer[] {
  const bare = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  const decoded = base64.test(bare) ? [Buffer.from(bare, "base64")] : [];
  return bare === secret || decoded.length === 0 ? [Buffer.from(secret, "utf8"), ...decoded] : decoded;
}

/**
 * The headers with which a receiver verifies a message: `X-Service-Signature` (lower-case hex HMAC-SHA256 of the raw
 * body with the secret's UTF-8 bytes), the three Standard Webhooks headers, which sign `id.timestamp.body`, the event
 * and the delivery.
 */
export function signHeaders({
  secret,
  previousSecret,
  id,
  timestamp,
  body,
  event,
  deliveryId,
}: Signed): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`;
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const standard = secrets
    .flatMap(standardKeys)
    .map((key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`);
  const plain = (key: string) => createHmac("sha256", Buffer.from(key, "utf8")).update(body).digest("hex");
  return {
    "X-Service-Signature": plain(secret),
    ...(previousSecret !== undefined && { "X-Service-Signature-Previous": plain(previousSecret) }),
    "X-Service-Event": event,
    "X-Service-Delivery": deliveryId,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.join(" "),
  };
}
