/** An error of the API as the interface needs it, whichever door it came through. */
export interface Failure {
  detail: string;
  status?: number;
  /** Messages by field. */
  fields: Record<string, string[]>;
  requestId?: string;
  /** Seconds to wait before trying again; only with 429 and 503. */
  retryAfter?: number;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const asString = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const asNumber = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

function asFields(value: unknown): Record<string, string[]> {
  if (!isRecord(value)) return {};
  const fields: Record<string, string[]> = {};
  for (const [name, messages] of Object.entries(value)) {
    const texts = (Array.isArray(messages) ? messages : [messages]).filter((text) => typeof text === "string");
    if (texts.length > 0) fields[name] = texts;
  }
  return fields;
}

/** What the server answered before tRPC was asked (`{detail}`); tRPC's client keeps it as the error's `meta`. */
function answeredBefore(meta: unknown): Record<string, unknown> | undefined {
  if (!isRecord(meta) || !isRecord(meta.responseJSON) || !asString(meta.responseJSON.detail)) return undefined;
  return { detail: meta.responseJSON.detail, httpStatus: isRecord(meta.response) ? meta.response.status : undefined };
}

/**
 * Reads any thrown value. A tRPC error carries `data: { httpStatus, detail, fields, request_id, retry_after_seconds }`; a
 * network fault has no data and says that the server could not be reached.
 */
export function readFailure(error: unknown): Failure {
  const given = isRecord(error) ? error : {};
  const data = isRecord(given.data) ? given.data : answeredBefore(given.meta);
  const message = isRecord(error) ? asString(error.message) : asString(error);
  if (!data) {
    const offline = error instanceof TypeError || /fetch|network/i.test(message ?? "");
    const detail = offline ? "The server could not be reached." : (message ?? "Something went wrong.");
    return { detail, fields: {} };
  }
  const fields = asFields(data.fields);
  return {
    detail: fieldless(fields)?.join(" ") ?? asString(data.detail) ?? message ?? "Something went wrong.",
    status: asNumber(data.httpStatus),
    fields,
    requestId: asString(data.request_id),
    retryAfter: asNumber(data.retry_after_seconds),
  };
}

/** Messages that blame no field. */
export function fieldless(fields: Record<string, string[]>): string[] | undefined {
  return fields.non_field_errors;
}
