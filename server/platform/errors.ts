import { issueLine, type Issue, type Path } from "@/domain/issues";

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

/** The REST API's form of issues: top-level field to messages; `non_field_errors` where no field is to blame. */
export type FieldErrors = Record<string, string[]>;

const maxMessages = 20;

/** What is answered of many issues: at most 20 of a field, none of them twice. */
export function answeredIssues(issues: readonly Issue[]): Issue[] {
  const seen = new Map<string, Set<string>>();
  return issues.filter((issue) => {
    const lines = seen.get(getField(issue)) ?? new Set();
    seen.set(getField(issue), lines);
    const line = issueLine(issue);
    return lines.size < maxMessages && lines.size < lines.add(line).size;
  });
}
const getField = ({ path: [top] }: Issue): string => (typeof top === "string" ? top : "non_field_errors");

/** Issues as field-keyed messages; what lies deeper opens the message: `3.label: …`, in a list `3.…`. */
export function fieldErrors(issues: readonly Issue[]): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of answeredIssues(issues)) {
    const { path, message } = issue;
    const [top, ...deeper] = path;
    const line = issueLine({ path: deeper, message });
    (fields[getField(issue)] ??= []).push(typeof top === "number" ? `${top}.${line}` : line);
  }
  return fields;
}

const brand = Symbol.for("muster.ServiceError");

export class ServiceError extends Error {
  readonly [brand] = true;

  constructor(
    readonly code: ErrorCode,
    readonly options: { detail?: string; issues?: Issue[]; retryAfterSeconds?: number; allow?: string[] } = {},
  ) {
    super(options.detail ?? (options.issues ? JSON.stringify(fieldErrors(options.issues)) : errorTable[code].detail));
    this.name = "ServiceError";
  }

  /** The body that leaves over REST: field-keyed arrays for invalid input, `{detail}` for everything else. */
  body(): FieldErrors | { detail: string } {
    const { issues, detail } = this.options;
    return issues ? fieldErrors(issues) : { detail: detail ?? errorTable[this.code].detail };
  }

  /** Everything it says, as one text for where there are no fields to put it at. */
  text(): string {
    const { issues, detail } = this.options;
    return issues ? Object.values(fieldErrors(issues)).flat().join(" ") : (detail ?? errorTable[this.code].detail);
  }
}

/** By brand, not by `instanceof`: this class exists once in every bundle of the process. */
export const isServiceError = (error: unknown): error is ServiceError =>
  typeof error === "object" && error !== null && (error as { [brand]?: true })[brand] === true;

export const notFound = () => new ServiceError("not_found");
export const forbidden = (detail?: string) => new ServiceError("forbidden", { detail });
export const conflict = (detail: string) => new ServiceError("conflict", { detail });

/** 400 blaming one place: `invalid("status", "An archived recording cannot …")`, `invalid(["config", "url"], …)`. */
export const invalid = (at: string | Path, ...messages: string[]) =>
  invalidInput(messages.map((message) => ({ path: typeof at === "string" ? [at] : at, message })));
/** 400 with everything that is wrong. */
export const invalidInput = (issues: Issue[]) => new ServiceError("invalid", { issues });
