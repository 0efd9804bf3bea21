import { setTimeout as sleep } from "node:timers/promises";

/** A failure with a message for the user at the terminal. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A response of the API that is not 2xx. */
export class ApiError extends CommandError {
  constructor(
    readonly status: number,
    readonly body: unknown,
    action: string,
  ) {
    super(`${action}: ${explain(status, body)}`);
  }
}

/** The message of a refusal in one line: its `detail`, or its messages by field. */
function explain(status: number, body: unknown): string {
  if (typeof body !== "object" || body === null) return `the server answered ${status}.`;
  const entries = Object.entries(body);
  if ("detail" in body) return String(body.detail);
  return entries
    .map(([field, messages]) => `${field === "non_field_errors" ? "" : `${field}: `}${[messages].flat().join(" ")}`)
    .join(" ");
}

/** Connection errors that are worth a retry. */
const transient = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_SOCKET",
]);

export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (
    "code" in error &&
    typeof error.code === "string" &&
    (transient.has(error.code) || error.code.startsWith("UND_ERR"))
  )
    return true;
  return error.cause !== undefined && isTransient(error.cause);
}

const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
export const isTransientStatus = (status: number): boolean => transientStatuses.has(status);

/** Exponential backoff, with jitter so that the devices of a fleet do not retry simultaneously. */
export class RetryPolicy {
  private failures = 0;

  constructor(
    /** Consecutive failures after which `wait` throws. */
    private readonly max: number,
    private readonly baseMs: number,
    private readonly print: (line: string) => void,
  ) {}

  /** Resets the count of failures after a success. */
  reset(): void {
    this.failures = 0;
  }

  /** Waits before the next attempt, or throws `reason` after too many failures. */
  async wait(reason: Error, retryAfterSeconds = 0): Promise<void> {
    this.failures += 1;
    if (this.failures > this.max) throw reason;
    const backoff = Math.min(this.baseMs * 2 ** (this.failures - 1), 30 * this.baseMs) * (0.75 + Math.random() / 2);
    const ms = Math.max(backoff, retryAfterSeconds * 1000);
    if (this.failures > 1) this.print(`${reason.message} Trying again in ${Math.max(1, Math.round(ms / 1000))} s.`);
    await sleep(ms);
  }
}

export interface Credential {
  header: "x-service-api-key" | "x-service-device-token";
  secret: string;
}

/** A client of the public REST API. Transient failures are retried. */
export class ApiClient {
  constructor(
    readonly origin: string,
    private readonly credential: Credential,
    private readonly retryPolicy: () => RetryPolicy,
  ) {}

  /** Calls an operation; error messages begin with `action`. Throws an ApiError if the call is refused. */
  async call<T>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, action: string, body?: unknown): Promise<T> {
    const retryPolicy = this.retryPolicy();
    for (;;) {
      const outcome = await this.sendOnce(method, path, body).catch((error: unknown) => {
        const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
        const failure = new CommandError(`${action}: ${this.origin} cannot be reached (${reason}).`);
        if (isTransient(error) || (error instanceof Error && error.name === "TimeoutError")) return failure;
        throw failure;
      });
      if (outcome instanceof CommandError) await retryPolicy.wait(outcome);
      else if (outcome.status >= 200 && outcome.status < 300) return outcome.body as T;
      else {
        const refusal = new ApiError(outcome.status, outcome.body, action);
        if (!isTransientStatus(outcome.status)) throw refusal;
        await retryPolicy.wait(refusal, outcome.retryAfter);
      }
    }
  }

  private async sendOnce(
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ status: number; body: unknown; retryAfter: number }> {
    const response = await fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers: {
        [this.credential.header]: this.credential.secret,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: parseJson(text),
      retryAfter: Number(response.headers.get("retry-after") ?? 0) || 0,
    };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The origin of the address of a Muster. Throws a CommandError for anything else. */
export function getOrigin(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandError(`${url} is no address. Give one such as https://muster.example.com.`);
  }
  return new URL(url).origin;
}

interface Page<T> {
  next: string | null;
  results: T[];
}

/** The rows of a list of the API, page by page. */
export async function* listRows<T>(
  api: ApiClient,
  path: string,
  query: Readonly<Record<string, string>>,
  action: string,
): AsyncGenerator<T> {
  for (let cursor: string | null = null; ;) {
    const parameters = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) });
    const page: Page<T> = await api.call<Page<T>>("GET", `${path}?${parameters}`, action);
    yield* page.results;
    if (page.next === null) return;
    cursor = new URL(page.next, api.origin).searchParams.get("cursor");
    if (cursor === null) return;
  }
}
