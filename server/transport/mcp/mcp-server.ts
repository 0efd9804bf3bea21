import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { Ctx } from "@/server/platform/context";
import { isServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import type { McpMessage } from "@/server/transport/mcp/schema";
import { usableTools, type Tool } from "@/server/transport/mcp/tools";

const log = logFor("mcp");

const instructions =
  "Muster keeps the fleet of an organization of people who run robots: devices, their recordings, the events in them, rules over " +
  "recorded topics, and the alerts those raise. Lists are paged: pass `next` on as `cursor`. Try a rule's condition with rules_preview.";

const text = (value: unknown): CallToolResult["content"] => [{ type: "text", text: JSON.stringify(value) }];

async function callTool(
  ctx: Ctx,
  tools: readonly Tool[],
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const tool = tools.find((each) => each.name === name);
  if (!tool) return { isError: true, content: text({ detail: `There is no tool ${name}.` }) };
  try {
    return { content: text((await tool.call(ctx, args)) ?? { detail: "Done." }) };
  } catch (error) {
    if (isServiceError(error)) return { isError: true, content: text(error.body()) };
    log.error({ err: error, tool: name, request_id: ctx.requestId }, "a tool failed");
    return { isError: true, content: text({ detail: "A server error occurred." }) };
  }
}

function createServer(ctx: Ctx, tools: readonly Tool[]): Server {
  const server = new Server(
    { name: "muster", title: "Muster", version: "1" },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, title, description, inputSchema, readOnly, destructive }) => ({
      name,
      title,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
      annotations: { title, readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(ctx, tools, params.name, params.arguments ?? {}),
  );
  return server;
}

/** The JSON-RPC error for a batch, which the protocol no longer has, and for an id of null; null for other messages. */
export function findRefusal(document: unknown): Record<string, unknown> | null {
  const hasNullId = typeof document === "object" && document !== null && (document as { id?: unknown }).id === null;
  if (!Array.isArray(document) && !hasNullId) return null;
  const message = hasNullId
    ? "Invalid Request: an id may not be null."
    : "Invalid Request: send one message at a time.";
  return { jsonrpc: "2.0", id: null, error: { code: ErrorCode.InvalidRequest, message } };
}

/**
 * Handles one message of the Model Context Protocol without a session; every tool checks the caller's permissions
 * again. Resolves to the HTTP status and the response, `{}` for a notification.
 */
export async function handleMcpMessage(
  ctx: Ctx,
  tools: readonly Tool[],
  message: McpMessage,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const server = createServer(ctx, usableTools(ctx, tools));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    // The transport requires both media types; clients that accept only JSON are served too.
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = new Request("http://muster.invalid/mcp", {
      method: "POST",
      headers,
      body: JSON.stringify(message),
    });
    const response = await transport.handleRequest(request);
    const body = await response.text();
    return { status: response.status, body: body === "" ? {} : (JSON.parse(body) as Record<string, unknown>) };
  } finally {
    await server.close();
  }
}
