/**
 * What a service may refuse, and the one table that says how each refusal leaves the house: HTTP status, tRPC code and
 * text. Services throw `ServiceError`; both doors read this table; nothing else turns an error into an answer.
 */
export const errorTable = {
  invalid: { status: 400, trpc: "BAD_REQUEST", detail: "Invalid input." },
  unauthenticated: { status: 401, trpc: "UNAUTHORIZED", detail: "Authentication credentials were not provided." },
  forbidden: { status: 403, trpc: "FORBIDDEN", detail: "You do not have permission to perform this action." },
  not_found: { status: 404, trpc: "NOT_FOUND", detail: "Not found." },
  method_not_allowed: { status: 405, trpc: "METHOD_NOT_SUPPORTED", detail: "Method not allowed." },
  timeout: { status: 408, trpc: "TIMEOUT", detail: "The request took too long." },
  conflict: { status: 409, trpc: "CONFLICT", detail: "Conflict." },
  too_large: { status: 413, trpc: "PAYLOAD_TOO_LARGE", detail: "The request body is too large." },
  unsupported_media_type: { status: 415, trpc: "UNSUPPORTED_MEDIA_TYPE", detail: "Unsupported media type in request." },
  throttled: { status: 429, trpc: "TOO_MANY_REQUESTS", detail: "Request was throttled." },
  internal: { status: 500, trpc: "INTERNAL_SERVER_ERROR", detail: "A server error occurred." },
  unavailable: { status: 503, trpc: "SERVICE_UNAVAILABLE", detail: "The service is not ready. Try again shortly." },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** Field name (as on the wire, snake_case) to messages; `non_field_errors` where no field is to blame. */
export type FieldErrors = Record<string, string[]>;

const brand = Symbol.for("muster.ServiceError");

export class ServiceError extends Error {
  readonly [brand] = true;

  constructor(
    readonly code: ErrorCode,
    readonly options: { detail?: string; fields?: FieldErrors; retryAfterSeconds?: number; allow?: string[] } = {},
  ) {
    super(options.detail ?? (options.fields ? JSON.stringify(options.fields) : errorTable[code].detail));
    this.name = "ServiceError";
  }

  /** The body that leaves: field-keyed arrays for invalid input, `{detail}` for everything else. */
  body(): FieldErrors | { detail: string } {
    return this.options.fields ?? { detail: this.options.detail ?? errorTable[this.code].detail };
  }
}

/** By brand, not by `instanceof`: this class exists once in every bundle of the process. */
export const isServiceError = (error: unknown): error is ServiceError =>
  typeof error === "object" && error !== null && (error as { [brand]?: true })[brand] === true;

export const notFound = () => new ServiceError("not_found");
export const forbidden = (detail?: string) => new ServiceError("forbidden", { detail });
export const conflict = (detail: string) => new ServiceError("conflict", { detail });

/** 400 blaming one field: `invalid("status", "An archived recording cannot …")`. */
export const invalid = (field: string, ...messages: string[]) =>
  new ServiceError("invalid", { fields: { [field]: messages } });
export const invalidFields = (fields: FieldErrors) => new ServiceError("invalid", { fields });
