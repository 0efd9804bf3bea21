import { issueLine, type Issue, type Path } from "@/domain/issues";

/**
 * The refusals of services, each with its HTTP status, tRPC code and default text. Services throw `ServiceError`; the
 * transports read this table, and nothing else turns an error into a response.
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
  /** Its caller has gone, or has ended it: nobody receives the response. The status is nginx's. */
  cancelled: { status: 499, trpc: "CLIENT_CLOSED_REQUEST", detail: "The request was cancelled." },
  internal: { status: 500, trpc: "INTERNAL_SERVER_ERROR", detail: "A server error occurred." },
  unavailable: { status: 503, trpc: "SERVICE_UNAVAILABLE", detail: "The service is not ready. Try again shortly." },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** The REST API's form of issues: messages by top-level field; `non_field_errors` for those without a field. */
export type FieldErrors = Record<string, string[]>;

const maxMessages = 20;

/** Limits the issues in a response to 20 of each field, without duplicates. */
export function limitIssues(issues: readonly Issue[]): Issue[] {
  const seen = new Map<string, Set<string>>();
  return issues.filter((issue) => {
    const lines = seen.get(getField(issue)) ?? new Set();
    seen.set(getField(issue), lines);
    const line = issueLine(issue);
    return lines.size < maxMessages && lines.size < lines.add(line).size;
  });
}
const getField = ({ path: [top] }: Issue): string => (typeof top === "string" ? top : "non_field_errors");

/** Groups messages by top-level field, with the rest of the path before the message: `3.label: …`, in a list `3.…`. */
export function fieldErrors(issues: readonly Issue[]): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of limitIssues(issues)) {
    const { path, message } = issue;
    const [top, ...deeper] = path;
    const line = issueLine({ path: deeper, message });
    (fields[getField(issue)] ??= []).push(typeof top === "number" ? `${top}.${line}` : line);
  }
  return fields;
}

/** What a program reads of a refusal beside its text: a `code`, and members that this code has. */
export interface RefusalFacts {
  code: string;
  [member: string]: string | number | null;
}

const brand = Symbol.for("muster.ServiceError");

export class ServiceError extends Error {
  readonly [brand] = true;

  constructor(
    readonly code: ErrorCode,
    readonly options: {
      detail?: string;
      issues?: Issue[];
      retryAfterSeconds?: number;
      allow?: string[];
      facts?: RefusalFacts;
    } = {},
  ) {
    super(options.detail ?? (options.issues ? JSON.stringify(fieldErrors(options.issues)) : errorTable[code].detail));
    this.name = "ServiceError";
  }

  /** The body of the REST response: messages by field for invalid input, `{detail}` for everything else. */
  body(): FieldErrors | { detail: string } {
    const { issues, detail, facts } = this.options;
    return issues ? fieldErrors(issues) : { detail: detail ?? errorTable[this.code].detail, ...facts };
  }

  /** All messages as one text, for callers that do not show them by field. */
  text(): string {
    const { issues, detail } = this.options;
    return issues ? Object.values(fieldErrors(issues)).flat().join(" ") : (detail ?? errorTable[this.code].detail);
  }
}

/** Checks a brand instead of `instanceof`: every bundle of the process has its own copy of this class. */
export const isServiceError = (error: unknown): error is ServiceError =>
  typeof error === "object" && error !== null && (error as { [brand]?: true })[brand] === true;

export const notFound = () => new ServiceError("not_found");
export const forbidden = (detail?: string) => new ServiceError("forbidden", { detail });
export const cancelled = () => new ServiceError("cancelled");
export const conflict = (detail: string, facts?: RefusalFacts) => new ServiceError("conflict", { detail, facts });

/** 400 with issues of one field: `invalid("status", "An archived …")`, `invalid(["config", "url"], …)`. */
export const invalid = (at: string | Path, ...messages: string[]) =>
  invalidInput(messages.map((message) => ({ path: typeof at === "string" ? [at] : at, message })));
/** 400 with any number of issues. */
export const invalidInput = (issues: Issue[]) => new ServiceError("invalid", { issues });

/** Throws `cancelled` once the caller of a request has gone. */
export function requireCaller(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled();
}
