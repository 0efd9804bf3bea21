import { createHmac, randomBytes } from "node:crypto";
import { sameText } from "@/server/platform/crypto";

/** One-time passwords of authenticator apps (RFC 6238) with the parameters that all of them support: SHA-1, 30 s, 6 digits. */

const stepSeconds = 30;
const digits = 6;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 without padding (RFC 4648). */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** A new secret of 160 bits, as apps read it. */
export const newTotpSecret = (): string => toBase32(randomBytes(20));

/** The number of the time step at a Unix time in seconds. */
export const getStep = (seconds: number): number => Math.floor(seconds / stepSeconds);

/** The code of a secret in a time step. */
export function computeCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const value = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(value % 10 ** digits).padStart(digits, "0");
}

/**
 * The step whose code was given: the current one or a neighbour, because clocks differ and typing takes time. Null when
 * it is none of theirs. `seconds` is the Unix time.
 */
export function findStep(secret: string, code: string, seconds: number): number | null {
  const current = getStep(seconds);
  const steps = [current, current - 1, current + 1];
  return steps.find((step) => step >= 0 && sameText(computeCode(secret, step), code)) ?? null;
}

/** The address that an app reads from a QR code. */
export function formatTotpUri(secret: string, account: string): string {
  const query = new URLSearchParams({ secret, issuer: "Muster", algorithm: "SHA1", digits: "6", period: "30" });
  return `otpauth://totp/Muster:${encodeURIComponent(account)}?${query.toString()}`;
}
