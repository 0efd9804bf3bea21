/** Which of five things differs when a signature is not valid. */
export type Mistake = "secret" | "body" | "timestamp" | "header" | "encoding";

export interface Verification {
  /** Null when the signature is valid and would be accepted. */
  mistake: Mistake | null;
  title: string;
  /** What is the matter and what to do, in a sentence or two. */
  text: string;
}

/** A message as its receiver has it. */
export interface ReceivedMessage {
  secret: string;
  /** One `Name: value` in a line. */
  headers: string;
  body: string;
}

/** The message as it was sent, where that is known. */
export interface SentMessage {
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** Seconds that the libraries of Standard Webhooks tolerate. */
const toleranceSeconds = 300;

const encoder = new TextEncoder();
const base64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const prefix = "whsec_";

type Bytes = Uint8Array<ArrayBuffer>;

const toBytes = (binary: string): Bytes => Uint8Array.from(binary, (character) => character.charCodeAt(0));
const decodeBase64 = (text: string): Bytes => toBytes(atob(text));

/** The headers of a text, by lower-case name; a signature alone is taken as one. */
function parseHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  const alone = text.trim();
  if (/^[0-9a-f]{64}$/i.test(alone)) return headers.set("x-service-signature", alone);
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*["']?([A-Za-z0-9-]+)["']?\s*:\s*(.*?)\s*,?\s*$/.exec(line);
    if (match?.[1] && match[2] !== undefined) headers.set(match[1].toLowerCase(), match[2].replace(/^["']|["']$/g, ""));
  }
  return headers;
}

async function hmac(key: Bytes, content: Bytes): Promise<Bytes> {
  // An empty key is not importable; no secret is empty.
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, content));
}

const toHex = (bytes: Bytes): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const toBase64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes));

function standardKeys(secret: string): Bytes[] {
  const bare = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  const decoded = base64.test(bare) ? [decodeBase64(bare)] : [];
  return bare === secret || decoded.length === 0 ? [encoder.encode(secret), ...decoded] : decoded;
}

interface Match {
  plain: boolean;
  standard: boolean;
  /** The signature is the right one, but written in another way than it is sent. */
  otherwise: boolean;
}

const concat = (text: string, body: Bytes): Bytes => {
  const head = encoder.encode(text);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
};

async function match(headers: ReadonlyMap<string, string>, secret: string, body: Bytes): Promise<Match> {
  const none = { plain: false, standard: false, otherwise: false };
  if (secret === "") return none;
  const digest = await hmac(encoder.encode(secret), body);
  const given = ["x-service-signature", "x-service-signature-previous"].flatMap((name) => headers.get(name) ?? []);
  const plain = given.includes(toHex(digest));
  const loose = given.map((value) => value.replace(/^sha256=/i, ""));
  const otherwise =
    !plain && loose.some((value) => value.toLowerCase() === toHex(digest) || value === toBase64(digest));
  const signatures = (headers.get("webhook-signature") ?? "").split(" ").filter(Boolean);
  const content = concat(`${headers.get("webhook-id") ?? ""}.${headers.get("webhook-timestamp") ?? ""}.`, body);
  const own: string[] = [];
  for (const key of standardKeys(secret)) own.push(`v1,${toBase64(await hmac(key, content))}`);
  return { plain, otherwise, standard: signatures.some((signature) => own.includes(signature)) };
}

const isMatch = ({ plain, standard }: Match): boolean => plain || standard;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Equal as JSON, whatever the order of members. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isEqual(value, right.get(name)))
  );
}

const reserialized: Verification = {
  mistake: "body",
  title: "The body was re-serialized",
  text: "It has the same content but not the same bytes: something parsed the JSON and wrote it again. Verify the raw body, before any parser.",
};
const notAsSent: Verification = {
  mistake: "body",
  title: "The body is not the one that was sent",
  text: "Its content differs. Take the raw body of this very request.",
};
const edges: Verification = {
  mistake: "body",
  title: "The body has additional blanks or line breaks",
  text: "Without them the signature is valid. Reading it from a file or a log may add a line break at its end.",
};
const wrongEncoding: Verification = {
  mistake: "encoding",
  title: "The body was decoded in another encoding",
  text: "It is UTF-8. Sign the bytes as they arrive, or read them as UTF-8.",
};

async function findBodyMistake(
  headers: ReadonlyMap<string, string>,
  secret: string,
  body: string,
): Promise<Verification | null> {
  const fits = async (bytes: Bytes) => isMatch(await match(headers, secret, bytes));
  const trimmed = [body.trim(), body.replaceAll("\r\n", "\n"), body.replace(/^\uFEFF/, "")];
  for (const text of trimmed) if (text !== body && (await fits(encoder.encode(text)))) return edges;
  const parsed = parseJson(body);
  if (parsed !== undefined && (await fits(encoder.encode(JSON.stringify(parsed))))) return reserialized;
  // "Ã©" where "é" was sent: the bytes of UTF-8 read as Latin-1.
  if (/[\u0080-\u00FF]/.test(body) && !/[^\u0000-\u00FF]/.test(body) && (await fits(toBytes(body))))
    return wrongEncoding;
  const bare = body.trim();
  if (base64.test(bare) && (await fits(decodeBase64(bare))))
    return { ...wrongEncoding, title: "The body is encoded in base64", text: "Decode it before you verify it." };
  return null;
}

const secretVariants: readonly (readonly [string, (secret: string) => string])[] = [
  ["It has blanks or line breaks around it.", (secret) => secret.trim()],
  ["It is in quotation marks.", (secret) => secret.trim().replace(/^["']|["']$/g, "")],
  ["Its beginning, whsec_, is missing.", (secret) => prefix + secret.trim()],
  ["It does not begin with whsec_.", (secret) => secret.trim().replace(/^whsec_/, "")],
];

async function findSecretMistake(
  headers: ReadonlyMap<string, string>,
  secret: string,
  body: Bytes,
): Promise<Verification | null> {
  for (const [what, change] of secretVariants) {
    const variant = change(secret);
    if (variant !== secret && isMatch(await match(headers, variant, body)))
      return {
        mistake: "secret",
        title: "The secret is not complete",
        text: `${what} Use it exactly as it was shown.`,
      };
  }
  return null;
}

const wrongSecret: Verification = {
  mistake: "secret",
  title: "The secret is another one",
  text: "The body is as it was sent, so this is not the secret that signed. Each webhook has its own; a rotation replaces it.",
};

function findHeaderMistake(headers: ReadonlyMap<string, string>): Verification | null {
  const has = (name: string) => headers.has(name);
  const header = (title: string, text: string): Verification => ({ mistake: "header", title, text });
  const standard = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  if (has("x-service-signature")) return null;
  const missing = standard.filter((name) => !has(name));
  if (missing.length === 3)
    return header(
      "There is no signature in the headers",
      "Paste X-Service-Signature, or webhook-id, webhook-timestamp and webhook-signature, with their names.",
    );
  if (missing.length > 0)
    return header(
      `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`,
      "All three are signed together.",
    );
  return null;
}

function explainValid(matched: Match, headers: ReadonlyMap<string, string>, now: number, known: boolean): Verification {
  const has = (name: string) => headers.has(name);
  if (has("webhook-signature") && !matched.standard)
    return {
      mistake: "header",
      title: "webhook-id or webhook-timestamp is of another message",
      text: "X-Service-Signature is valid for this body, the signature over id, timestamp and body is not. Take all headers of one request.",
    };
  const age = Math.round(now / 1_000) - Number(headers.get("webhook-timestamp") ?? Number.NaN);
  const minutes = Math.round(Math.abs(age) / 60);
  if (!known && Math.abs(age) > toleranceSeconds)
    return {
      mistake: "timestamp",
      title: age > 0 ? "The timestamp is too old" : "The timestamp is in the future",
      text: `The signature is valid, but it is ${minutes} minutes ${age > 0 ? "old" : "ahead"}, and receivers refuse more than five. Compare the clock of your server; a message that waited in a queue has to be verified before.`,
    };
  return {
    mistake: null,
    title: "The signature is valid",
    text:
      known && age > toleranceSeconds
        ? `The secret, the body and the headers belong together. A receiver would refuse it now, ${minutes} minutes later.`
        : "The secret, the body and the headers belong together.",
  };
}

/**
 * Verifies a message in the browser and names what is wrong. Needs `crypto.subtle`. `now` in milliseconds; `sent` is the
 * message as Muster sent it, where the person looks at that delivery.
 */
export async function verifyMessage(received: ReceivedMessage, now: number, sent?: SentMessage): Promise<Verification> {
  const { secret, body } = received;
  const headers = parseHeaders(received.headers);
  const bytes = encoder.encode(body);
  const missing = findHeaderMistake(headers);
  if (missing) return missing;
  const matched = await match(headers, secret, bytes);
  if (isMatch(matched)) return explainValid(matched, headers, now, sent !== undefined);
  if (matched.otherwise)
    return {
      mistake: "encoding",
      title: "The signature is written in another way",
      text: "It is the right one, but it is sent as lower-case hex without a prefix. Compare it like that.",
    };
  const found = (await findBodyMistake(headers, secret, body)) ?? (await findSecretMistake(headers, secret, bytes));
  if (found) return found;
  const parsed = parseJson(body);
  if (sent) {
    if (body === sent.body) return wrongSecret;
    // The secret may be wrong as well; with the body as it was sent this is seen next.
    return isEqual(parsed, parseJson(sent.body)) ? reserialized : notAsSent;
  }
  // Muster sends JSON without blanks.
  if (parsed === undefined || JSON.stringify(parsed) !== body)
    return parsed === undefined
      ? { ...notAsSent, text: "It is not JSON. Take the raw body of this very request." }
      : reserialized;
  return {
    ...wrongSecret,
    text: "The body looks as it was sent, so this is probably not the secret that signed. Each webhook has its own; a rotation replaces it.",
  };
}
