import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { crc32 } from "node:zlib";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

const keys = processWide("keys", () => new Map<string, Buffer>());

/** A 32-byte key for one purpose, derived from a secret, so that no key serves two purposes. */
function deriveKey(purpose: string, secret: string): Buffer {
  const name = `${purpose}\0${secret}`;
  let key = keys.get(name);
  if (!key) keys.set(name, (key = Buffer.from(hkdfSync("sha256", secret, "muster", purpose, 32))));
  return key;
}

/** The key of the first secret, which seals and signs. */
function keyFor(purpose: string): Buffer {
  if (!env.AUTH_SECRET) throw new Error("AUTH_SECRET is not set; the launcher generates it");
  return deriveKey(purpose, env.AUTH_SECRET);
}

/** The keys of all secrets, which open and verify; that of the first one first. */
const keysFor = (purpose: string): Buffer[] => env.AUTH_SECRETS.map((secret) => deriveKey(purpose, secret));

const hmac = (key: Buffer, text: string): string => createHmac("sha256", key).update(text).digest("base64url");

/** HMAC-SHA256 under a key of that purpose, base64url. */
export const sign = (purpose: string, text: string): string => hmac(keyFor(purpose), text);

/** Whether `signature` is what `sign` returns under any of the secrets, of which its first `length` characters count. */
export const isSignature = (purpose: string, text: string, signature: string, length = 43): boolean =>
  keysFor(purpose).some((key) => sameText(hmac(key, text).slice(0, length), signature));

/** Compares in constant time; false for different lengths. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Cryptographically random lower-case hexadecimal digits. */
export const randomText = (digits: number): string =>
  randomBytes(Math.ceil(digits / 2))
    .toString("hex")
    .slice(0, digits);

/** SHA-256 in hex; the form in which keys and tokens are stored. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Encrypts with AES-256-GCM, bound to `owner` (row and organization), so that it cannot be decrypted in another row.
 * Format: `v1.<iv>.<ciphertext and tag>`, base64url.
 */
export function seal(plain: string, owner: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyFor("seal"), iv);
  cipher.setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1.${iv.toString("base64url")}.${sealed.toString("base64url")}`;
}

/**
 * Decrypts a value that `seal` made for the same owner under any of the secrets. Throws when it or the owner was
 * changed, or its secret is missing.
 */
export function open(sealed: string, owner: string): string {
  for (const key of keysFor("seal")) {
    const plain = openWith(key, sealed, owner);
    if (plain !== null) return plain;
  }
  throw new Error("a sealed value cannot be opened with these secrets");
}

export type Resealed = { state: "current" | "unreadable" } | { state: "resealed"; sealed: string };

/** Seals a value with the first secret when another one sealed it. */
export function reseal(sealed: string, owner: string): Resealed {
  const [first, ...others] = keysFor("seal").map((key) => openWith(key, sealed, owner));
  if (typeof first === "string") return { state: "current" };
  const plain = others.find((text) => text !== null);
  return typeof plain === "string" ? { state: "resealed", sealed: seal(plain, owner) } : { state: "unreadable" };
}

/** Null for another key, another owner, a changed value and one that is not sealed. */
function openWith(key: Buffer, sealed: string, owner: string): string | null {
  const [version, iv, body] = sealed.split(".");
  if (version !== "v1" || !iv || !body) return null;
  const bytes = Buffer.from(body, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"));
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(bytes.length - 16));
  const plain = decipher.update(bytes.subarray(0, bytes.length - 16));
  try {
    return Buffer.concat([plain, decipher.final()]).toString("utf8");
  } catch {
    return null; // not authentic
  }
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
function encode62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = base62[Number(rest % 62n)]! + text;
  return text;
}
const checksum = (text: string): string => encode62(BigInt(crc32(text)), 6);

export type TokenPrefix = "svk_" | "svd_";

/** A new key (`svk_`) or device token (`svd_`): prefix, 43 random base62 characters, 6 characters of CRC32. */
export function newToken(prefix: TokenPrefix): string {
  const body = prefix + encode62(BigInt(`0x${randomBytes(32).toString("hex")}`), 43);
  return body + checksum(body);
}

const tokenShape = /^sv[kd]_[0-9A-Za-z]{49}$/;

/** Whether a token has the shape and checksum of Muster's own; rejects garbage without a database query. */
export function isToken(prefix: TokenPrefix, token: string): boolean {
  return token.startsWith(prefix) && tokenShape.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);
}
