import { headers } from "next/headers";
import type { OpenApiDocument } from "@/components/api-docs/document";
import { describeApi } from "@/server/composition/openapi";
import { env } from "@/server/platform/env";

/** The document for the origin of the current request. */
export async function describeForRequest(): Promise<OpenApiDocument> {
  const host = (await headers()).get("host") ?? "127.0.0.1:3000";
  return describeApi(env.PUBLIC_URL_GIVEN ? env.PUBLIC_URL : `http://${host}`) as unknown as OpenApiDocument;
}
