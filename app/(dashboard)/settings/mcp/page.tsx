import type { Metadata } from "next";
import { getQueryClient, getSession, Hydrate, trpc } from "@/app/prefetch";
import { McpSettings } from "@/components/mcp/mcp-settings";

export const metadata: Metadata = { title: "MCP" };

export default async function McpPage() {
  const session = await getSession();
  // Without a session the layout redirects to the sign-in page.
  if (!session) return null;
  const client = getQueryClient();
  await Promise.all([
    client.prefetchQuery(trpc.mcp.info.queryOptions()),
    client.prefetchQuery(trpc.mcp.calls.queryOptions()),
  ]);
  return (
    <Hydrate>
      <McpSettings email={session.email} />
    </Hydrate>
  );
}
