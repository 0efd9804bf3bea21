import { headers } from "next/headers";
import { env } from "@/server/platform/env";
import { getOrigin } from "@/server/transport/rest/own-host";

/** The origin that examples name: the configured one, else that of the current request if it is ours. */
export async function getDocsOrigin(): Promise<string> {
  const address = `http://${(await headers()).get("host") ?? "127.0.0.1:3000"}`;
  return URL.canParse(address) ? getOrigin(new URL(address)) : env.PUBLIC_URL;
}
