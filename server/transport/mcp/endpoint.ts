import { handleMcpMessage, findRefusal } from "@/server/transport/mcp/mcp-server";
import { McpResponse, McpMessage } from "@/server/transport/mcp/schema";
import type { Tool } from "@/server/transport/mcp/tools";
import { endpoint } from "@/server/transport/rest/endpoint";

/** The operation that serves the Model Context Protocol with these tools. */
export const mcpEndpoint = (tools: readonly Tool[]) =>
  endpoint({
    method: "POST",
    path: "/mcp/",
    id: "mcp.message",
    summary: "Send a Model Context Protocol message",
    description:
      "The Model Context Protocol over streamable HTTP, answering JSON. Every read of this API is a tool; so is every write where " +
      "the operator sets `MCP_WRITES`.",
    permission: ["staff"],
    role: "member",
    changes: "nothing",
    body: McpMessage,
    response: McpResponse,
    alternatives: [202],
    malformed: findRefusal,
    handler: async ({ ctx, body, setStatus }) => {
      const response = await handleMcpMessage(ctx, tools, body);
      setStatus(response.status);
      return response.body;
    },
  });
