import { databaseMs } from "@/server/platform/clock";
import type { Actor } from "@/server/platform/context";
import { isSignature, sign } from "@/server/platform/crypto";

/** Our own server serves cuts by signed links below this path. */
export const cutsPath = "/files/cuts/";
const purpose = "cut";
/** How long a link is good for. */
const linkSeconds = 3_600;

/** What a link grants, to whom. */
interface Granted {
  organizationId: string;
  uid: string;
  by: Pick<Actor, "type" | "id"> | { type: "share"; id: string };
  /** The query of the cut, without what the link adds. */
  query: URLSearchParams;
}

const added = ["organization", "by", "expires"] as const;

/** A path on our own server from which anyone may download the cut until it expires. */
export function linkCut(
  { organizationId, uid, by, query }: Granted,
  seconds = linkSeconds,
): { url: string; expiresAt: Date } {
  const expires = Math.floor(databaseMs() / 1000) + seconds;
  const signed = new URLSearchParams(query);
  for (const [name, value] of [
    ["organization", organizationId],
    ["by", `${by.type}:${by.id}`],
    ["expires", String(expires)],
  ] as const)
    signed.set(name, value);
  const path = `${cutsPath}${uid}`;
  const signature = sign(purpose, `${path}?${signed}`);
  signed.set("signature", signature);
  return { url: `${path}?${signed}`, expiresAt: new Date(expires * 1000) };
}

/** Verifies a link and returns what it grants; null without a valid signature or after its expiry. */
export function readCutLink(url: URL): (Omit<Granted, "by"> & { by: { type: string; id: string } }) | null {
  const query = new URLSearchParams(url.search);
  const signature = query.get("signature") ?? "";
  query.delete("signature");
  if (!isSignature(purpose, `${url.pathname}?${query}`, signature)) return null;
  if (Number(query.get("expires")) * 1000 < databaseMs()) return null;
  const [type = "", id = ""] = (query.get("by") ?? "").split(":");
  const organizationId = query.get("organization") ?? "";
  for (const name of added) query.delete(name);
  return { organizationId, uid: url.pathname.slice(cutsPath.length), by: { type, id }, query };
}
