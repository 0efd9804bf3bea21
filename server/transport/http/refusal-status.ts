import type { ServerResponse } from "node:http";
import type { RequestScope } from "@/server/platform/request-scope";

/** Changes Next's 500 to 503 for a page that could not be rendered because the database was unavailable. */
export function correctRefusalStatus(response: ServerResponse, scope: RequestScope | null): void {
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;
  const corrected = (status: number, ...rest: unknown[]): ServerResponse => {
    const refusal = scope?.refusal;
    if (status !== 500 || !refusal) return writeHead(status, ...rest);
    response.setHeader("retry-after", String(refusal.options.retryAfterSeconds ?? 5));
    return writeHead(503, ...rest);
  };
  response.writeHead = corrected as typeof response.writeHead;
}
