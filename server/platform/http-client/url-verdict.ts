import { checkReceiver, lookUpReceiver } from "@/server/platform/http-client/url";

/** What somebody who types the URL of a receiver should know; a `doubtful` one may be saved, but cannot be reached now. */
export interface UrlVerdict {
  result: "accepted" | "doubtful" | "refused";
  /** Empty where it is accepted. */
  message: string;
}

const privateMessage =
  "This name leads to a private address. The operator can allow its network in EGRESS_ALLOW_CIDRS.";

/** Whether a receiver could be reached at a URL now; `consequence` says what cannot be done as long as its name has no address. */
export async function judgeUrl(text: string, consequence: string): Promise<UrlVerdict> {
  const checked = await checkReceiver(text);
  if (!checked.ok) return { result: "refused", message: checked.message };
  const found = await lookUpReceiver(checked.url);
  if (found === "private") return { result: "refused", message: privateMessage };
  if (found === "unresolved")
    return { result: "doubtful", message: `This name has no address yet, so ${consequence}.` };
  return { result: "accepted", message: "" };
}
