import type { Metadata } from "next";
import { headers } from "next/headers";
import { ApiReference } from "@/components/api-docs/api-reference";
import type { OpenApiDocument } from "@/components/api-docs/document";
import { describeApi } from "@/server/composition/openapi";
import { env } from "@/server/platform/env";

export const metadata: Metadata = { title: "API reference" };

export default async function ApiReferencePage() {
  const host = (await headers()).get("host") ?? "127.0.0.1:3000";
  const origin = env.PUBLIC_URL_GIVEN ? env.PUBLIC_URL : `http://${host}`;
  return <ApiReference document={describeApi(origin) as unknown as OpenApiDocument} />;
}
