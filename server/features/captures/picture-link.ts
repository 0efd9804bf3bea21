import { databaseMs } from "@/server/platform/clock";
import { isSignature, sign } from "@/server/platform/crypto";

/** Where messages link pictures of alerts: `<path><capture uid>/<index>`. */
export const pictureLinkPath = "/files/alert-pictures/";

const purpose = "alert-picture";
const lifeSeconds = 7 * 86_400;

/** The path of a link to one picture of a capture, and when it expires in seconds since 1970. */
export function signPictureLink(uid: string, index: number): { path: string; expires: number } {
  const expires = Math.floor(databaseMs() / 1_000) + lifeSeconds;
  const signature = sign(purpose, toSigned(uid, index, expires));
  return { path: `${pictureLinkPath}${uid}/${index}?expires=${expires}&signature=${signature}`, expires };
}

/** What a link grants; null without a valid signature or after its expiry. */
export function readPictureLink(url: URL): { uid: string; index: number } | null {
  const match = /^([\w-]{1,64})\/(\d{1,3})$/.exec(url.pathname.slice(pictureLinkPath.length));
  const expires = url.searchParams.get("expires") ?? "";
  if (!match || !/^\d{1,12}$/.test(expires)) return null;
  const [uid = "", index] = [match[1], Number(match[2])];
  if (!isSignature(purpose, toSigned(uid, index, Number(expires)), url.searchParams.get("signature") ?? ""))
    return null;
  return Number(expires) * 1_000 < databaseMs() ? null : { uid, index };
}

const toSigned = (uid: string, index: number, expires: number): string => JSON.stringify([uid, index, expires]);
