import { z } from "zod";
import { choices } from "@/domain/fields";
import { handleMcpMessage, findRefusal } from "@/server/transport/mcp/mcp-server";
import { McpResponse, McpMessage } from "@/server/transport/mcp/schema";
import { offerTools } from "@/server/transport/mcp/tool-areas";
import { usableTools, type Tool } from "@/server/transport/mcp/tools";
import { endpoint } from "@/server/transport/rest/endpoint";

/** The operation that serves the Model Context Protocol with these tools; `about` says what their areas are. */
export function mcpEndpoint(tools: readonly Tool[], about: Readonly<Record<string, string>>) {
  offerTools(tools, about);
  const [first, ...areas] = [...new Set(tools.map(({ area }) => area))];
  return endpoint({
    method: "POST",
    path: "/mcp/",
    id: "mcp.message",
    summary: "Send a Model Context Protocol message",
    description:
      "The Model Context Protocol over streamable HTTP, answering JSON. Every read of this API is a tool; so is every write where " +
      "the operator sets `MCP_WRITES`. `areas` limits the tools to those of some areas.",
    permission: ["staff"],
    role: "member",
    changes: "nothing",
    bearerKeys: true,
    query: z.object({ areas: choices([first ?? "", ...areas]).optional() }),
    body: McpMessage,
    response: McpResponse,
    alternatives: [202],
    malformed: findRefusal,
    handler: async ({ ctx, query, body, publicUrl, signal, setStatus }) => {
      const handling = { ctx, tools: usableTools(ctx, tools, query.areas), publicUrl, signal };
      const response = await handleMcpMessage(handling, body);
      setStatus(response.status);
      return response.body;
    },
  });
}
