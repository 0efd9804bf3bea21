import { EgressError, sendOutbound } from "@/server/platform/http-client/http-client";
import { retryAfterSeconds } from "@/server/platform/http-client/retry-after";

/** What became of one attempt to tell a receiver something. */
export interface Outcome {
  ok: boolean;
  /** The receiver's status: HTTP's, or SMTP's. */
  statusCode: number | null;
  /** Why it failed, for people; null when it did not. */
  error: string | null;
  /** The beginning of what the receiver said. */
  response: string | null;
  retryAfterSeconds: number | null;
  /** No later attempt can fare better. */
  final: boolean;
}

export const failure = (error: string, more: Partial<Outcome> = {}): Outcome => ({
  ok: false,
  statusCode: null,
  error,
  response: null,
  retryAfterSeconds: null,
  final: false,
  ...more,
});

/** Posts JSON to a receiver. Success is 2xx; a redirect is a failure; 410 means that the receiver is gone for good. */
export async function postJson(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  try {
    const response = await sendOutbound({ url, body, headers: { "content-type": "application/json", ...headers } });
    const said = { statusCode: response.status, response: response.body };
    if (response.status >= 200 && response.status < 300) {
      return { ok: true, error: null, retryAfterSeconds: null, final: true, ...said };
    }
    return failure(`The receiver answered ${response.status}.`, {
      ...said,
      retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"]),
      final: response.status === 410,
    });
  } catch (error) {
    if (error instanceof EgressError) return failure(error.message);
    throw error;
  }
}
