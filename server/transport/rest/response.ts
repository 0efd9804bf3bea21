import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { env } from "@/server/platform/env";
import type { Endpoint } from "@/server/transport/rest/endpoint";
import { ResponseMismatch } from "@/server/transport/rest/wire";

/** Checks a response against its schema. Unknown members are an error in tests and left out in production. */
export function checkResponse(endpoint: Endpoint, result: unknown): unknown {
  if (!endpoint.response) return null;
  const parsed = endpoint.response.safeParse(result);
  if (!parsed.success) throw new ResponseMismatch(endpoint.id, z.prettifyError(parsed.error));
  if (env.NODE_ENV === "test" && !isDeepStrictEqual(plain(parsed.data), plain(result))) {
    throw new ResponseMismatch(endpoint.id, "it has members that the schema does not have");
  }
  return parsed.data;
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
