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

/**
 * What JSON-RPC answers to a batch, which the protocol has no more, and to a request whose id is null; null for all
 * else.
 */
export function findRefusal(document: unknown): Record<string, unknown> | null {
  const nameless = typeof document === "object" && document !== null && (document as { id?: unknown }).id === null;
  if (!Array.isArray(document) && !nameless) return null;
  const message = nameless ? "Invalid Request: an id may not be null." : "Invalid Request: send one message at a time.";
  return { jsonrpc: "2.0", id: null, error: { code: ErrorCode.InvalidRequest, message } };
}

/**
 * Answers one message of the Model Context Protocol, for the caller alone and without a session: whatever is asked,
 * every tool checks the caller's own permissions again. Resolves to the HTTP status and the answer, `{}` for a
 * notification.
 */
export async function answerMcp(
  ctx: Ctx,
  tools: readonly Tool[],
  message: McpMessage,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const server = createServer(ctx, usableTools(ctx, tools));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    // The transport insists on both kinds of answer being acceptable; clients that only name JSON are served too.
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = new Request("http://muster.invalid/mcp", {
      method: "POST",
      headers,
      body: JSON.stringify(message),
    });
    const response = await transport.handleRequest(request);
    const said = await response.text();
    return { status: response.status, body: said === "" ? {} : (JSON.parse(said) as Record<string, unknown>) };
  } finally {
    await server.close();
  }
}
