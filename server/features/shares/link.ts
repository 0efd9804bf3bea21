import { databaseMs } from "@/server/platform/clock";
import { isSignature, sign } from "@/server/platform/crypto";

/** Where the page of a link gets pictures: `<path><share uid>`. */
export const stillLinkPath = "/files/share-stills/";

const purpose = "share-still";
/** Links of the same quarter of an hour are the same, so that a page that is loaded again shows what the browser has. */
const stepSeconds = 900;

/** A picture of a camera of a shared recording. */
interface StillLink {
  share: string;
  topic: string;
  at: bigint;
}

const toSigned = ({ share, topic, at }: StillLink, expires: number): string =>
  JSON.stringify([share, topic, String(at), expires]);

/** A path to a picture for whoever has it: valid for 15 to 30 minutes, and while the share is. */
export function signStillLink(still: StillLink): string {
  const expires = (Math.floor(databaseMs() / 1_000 / stepSeconds) + 2) * stepSeconds;
  const query = new URLSearchParams({ topic: still.topic, at: String(still.at), expires: String(expires) });
  query.set("signature", sign(purpose, toSigned(still, expires)));
  return `${stillLinkPath}${still.share}?${query}`;
}

/** What a link grants; null without a valid signature or after its expiry. */
export function readStillLink(url: URL): StillLink | null {
  const { searchParams: query } = url;
  const [at, expires] = [query.get("at") ?? "", query.get("expires") ?? ""];
  if (!/^\d{1,19}$/.test(at) || !/^\d{1,12}$/.test(expires)) return null;
  const still = { share: url.pathname.slice(stillLinkPath.length), topic: query.get("topic") ?? "", at: BigInt(at) };
  if (!isSignature(purpose, toSigned(still, Number(expires)), query.get("signature") ?? "")) return null;
  return Number(expires) * 1_000 < databaseMs() ? null : still;
}
