import { databaseMs } from "@/server/platform/clock";
import {
  EgressError,
  egressHeaders,
  type OutboundRequest,
  sendOutbound,
} from "@/server/platform/http-client/http-client";

/** The outcome of one attempt to send something to a receiver. */
export interface Outcome {
  ok: boolean;
  /** The receiver's status: HTTP's, or SMTP's. */
  statusCode: number | null;
  /** The reason of a failure, shown to users; null on success. */
  error: string | null;
  /** The beginning of the receiver's response. */
  response: string | null;
  retryAfterSeconds: number | null;
  /** The headers of a request over HTTP. */
  requestHeaders?: Readonly<Record<string, string>>;
  /** No retry can succeed. */
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

/** Posts JSON to a receiver. Success is 2xx; a redirect is a failure; a 410 is final. */
export async function postJson(
  url: string,
  body: string,
  { headers, ...limits }: Pick<OutboundRequest, "headers" | "responseBytes"> = {},
): Promise<Outcome> {
  const sent = { "content-type": "application/json", ...headers };
  const requestHeaders = { ...egressHeaders, ...sent };
  try {
    const response = await sendOutbound({ url, body, headers: sent, ...limits });
    const received = { statusCode: response.status, response: response.body, requestHeaders };
    if (response.status >= 200 && response.status < 300) {
      return { ok: true, error: null, retryAfterSeconds: null, final: true, ...received };
    }
    return failure(`The receiver answered ${response.status}.`, {
      ...received,
      retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"]),
      final: response.status === 410,
    });
  } catch (error) {
    if (error instanceof EgressError) return failure(error.message, { requestHeaders });
    throw error;
  }
}

/** Longer than any delay; a number of many digits counts as this. */
const maxSeconds = 1_000_000_000;

/** Parses `Retry-After`, a number or a date, to seconds from now. Null when it is absent or neither. */
export function retryAfterSeconds(header: string | undefined, now = databaseMs()): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), maxSeconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
