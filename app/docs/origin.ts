import { headers } from "next/headers";
import { env } from "@/server/platform/env";

/** The origin that examples name: the configured one, else that of the current request. */
export async function getDocsOrigin(): Promise<string> {
  const host = (await headers()).get("host") ?? "127.0.0.1:3000";
  return env.PUBLIC_URL_GIVEN ? env.PUBLIC_URL : `http://${host}`;
}
