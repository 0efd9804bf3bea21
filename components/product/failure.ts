import { wholeMessage, type Issue } from "@/domain/issues";

/** An error of the API as the interface shows it, from either transport. */
export interface Failure {
  detail: string;
  status?: number;
  /** What is wrong with the input, and where. */
  issues: Issue[];
  requestId?: string;
  /** Seconds to wait before trying again; only with 429 and 503. */
  retryAfter?: number;
  /** What a program reads of it: `{ code: "lease_taken", by: "ana" }`. */
  facts?: Readonly<Record<string, unknown>>;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const asString = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const asNumber = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

const isStep = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";
const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && typeof value.message === "string" && Array.isArray(value.path) && value.path.every(isStep);

/** A response from before the tRPC handler (`{detail}`); tRPC's client keeps it as the error's `meta`. */
function answeredBefore(meta: unknown): Record<string, unknown> | undefined {
  if (!isRecord(meta) || !isRecord(meta.responseJSON) || !asString(meta.responseJSON.detail)) return undefined;
  return { detail: meta.responseJSON.detail, httpStatus: isRecord(meta.response) ? meta.response.status : undefined };
}

/**
 * Reads any thrown value. A tRPC error carries `data: { httpStatus, detail, issues, request_id, retry_after_seconds }`;
 * a network error has no data and becomes "The server could not be reached."
 */
export function readFailure(error: unknown): Failure {
  const given = isRecord(error) ? error : {};
  const data = isRecord(given.data) ? given.data : answeredBefore(given.meta);
  const message = isRecord(error) ? asString(error.message) : asString(error);
  if (!data) {
    const offline = error instanceof TypeError || /fetch|network/i.test(message ?? "");
    const detail = offline ? "The server could not be reached." : (message ?? "Something went wrong.");
    return { detail, issues: [] };
  }
  const issues = Array.isArray(data.issues) ? data.issues.filter(isIssue) : [];
  return {
    detail: wholeMessage(issues) ?? asString(data.detail) ?? message ?? "Something went wrong.",
    status: asNumber(data.httpStatus),
    issues,
    requestId: asString(data.request_id),
    retryAfter: asNumber(data.retry_after_seconds),
    ...(isRecord(data.facts) && { facts: data.facts }),
  };
}
