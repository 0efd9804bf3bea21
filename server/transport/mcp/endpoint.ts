import { answerMcp, findRefusal } from "@/server/transport/mcp/mcp-server";
import { McpAnswer, McpMessage } from "@/server/transport/mcp/schema";
import type { Tool } from "@/server/transport/mcp/tools";
import { endpoint } from "@/server/transport/rest/endpoint";

/** The operation that answers the Model Context Protocol with these tools. */
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
    body: McpMessage,
    response: McpAnswer,
    alternatives: [202],
    malformed: findRefusal,
    handler: async ({ ctx, body, setStatus }) => {
      const response = await answerMcp(ctx, tools, body);
      setStatus(response.status);
      return response.body;
    },
  });
