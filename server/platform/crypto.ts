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

/** A 32-byte key for one purpose, derived from AUTH_SECRET, so that no key serves two purposes. */
function keyFor(purpose: string): Buffer {
  let key = keys.get(purpose);
  if (!key) {
    if (!env.AUTH_SECRET) throw new Error("AUTH_SECRET is not set; the launcher generates it");
    key = Buffer.from(hkdfSync("sha256", env.AUTH_SECRET, "muster", purpose, 32));
    keys.set(purpose, key);
  }
  return key;
}

/** HMAC-SHA256 under a key of that purpose, base64url. */
export const sign = (purpose: string, text: string): string =>
  createHmac("sha256", keyFor(purpose)).update(text).digest("base64url");

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

/** Decrypts a value that `seal` made for the same owner. Throws when it, the owner or AUTH_SECRET was changed. */
export function open(sealed: string, owner: string): string {
  const [version, iv, body] = sealed.split(".");
  if (version !== "v1" || !iv || !body) throw new Error("not a sealed value");
  const bytes = Buffer.from(body, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", keyFor("seal"), Buffer.from(iv, "base64url"));
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(bytes.length - 16));
  return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - 16)), decipher.final()]).toString("utf8");
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
