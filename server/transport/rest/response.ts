import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { currentScope } from "@/server/platform/request-scope";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { ResponseMismatch } from "@/server/transport/rest/wire";

const log = logFor("rest");

/** Rows of a page that may be left out because they do not match the schema; more of them are a fault of the list. */
const maxLeftOut = 5;

/**
 * Checks a response against its schema. Unknown members are an error in tests and left out in production, and so are up
 * to five rows of a page that do not match: one row must not hide the others. Throws a `ResponseMismatch` otherwise.
 */
export function checkResponse(endpoint: Endpoint, result: unknown): unknown {
  if (!endpoint.response) return null;
  const parsed = endpoint.response.safeParse(result);
  if (!parsed.success) {
    const rest = env.NODE_ENV === "test" ? null : withoutMismatches(endpoint, result, parsed.error);
    if (!rest) throw new ResponseMismatch(endpoint.id, z.prettifyError(parsed.error));
    return endpoint.response.parse(rest);
  }
  if (env.NODE_ENV === "test" && !isDeepStrictEqual(plain(parsed.data), plain(result))) {
    throw new ResponseMismatch(endpoint.id, "it has members that the schema does not have");
  }
  return parsed.data;
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const page = z.looseObject({ next: z.string().nullable(), results: z.array(z.unknown()) });
const identified = z.object({ uid: z.string() });

/** The page without its rows that the error is about, which are logged; null where it is not about a few rows alone. */
function withoutMismatches({ id, method }: Endpoint, result: unknown, error: z.ZodError): unknown {
  const list = page.safeParse(result);
  if (method !== "GET" || !list.success) return null;
  const details = new Map<number, z.core.$ZodIssue[]>();
  for (const issue of error.issues) {
    const [member, at, ...path] = issue.path;
    if (member !== "results" || typeof at !== "number") return null;
    details.set(at, [...(details.get(at) ?? []), { ...issue, path }]);
  }
  if (details.size > maxLeftOut) return null;
  for (const [at, issues] of details) {
    const row = identified.safeParse(list.data.results[at]);
    const detail = z.prettifyError(new z.ZodError(issues));
    const fields = { operation: id, uid: row.data?.uid ?? null, detail, request_id: currentScope()?.requestId };
    log.error(fields, "a row does not match its published schema and was left out of its list");
  }
  return { ...list.data, results: list.data.results.filter((_, at) => !details.has(at)) };
}
