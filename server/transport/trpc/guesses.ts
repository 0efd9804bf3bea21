import { countRequest, throttled, type LimitedAs } from "@/server/platform/rate-limit/rate-limit";

/** Counts a call that could be used for guessing against a rate limit of its own. Throws `throttled`. */
export async function limitGuesses(as: LimitedAs, key: string): Promise<void> {
  const { retryAfterSeconds: seconds } = await countRequest(as, key);
  if (seconds !== null) throw throttled(seconds);
}
