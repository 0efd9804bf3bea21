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
import { noteToolCall } from "@/server/platform/mcp/tool-calls";
import { noteRefusal } from "@/server/platform/observability/access-notes";
import { retryRead, unavailable } from "@/server/platform/unavailable";
import type { McpMessage } from "@/server/transport/mcp/schema";
import type { Tool } from "@/server/transport/mcp/tools";
import type { CallOrigin } from "@/server/transport/rest/endpoint";

const log = logFor("mcp");

/** Which tools answer whole questions. */
const answers: readonly (readonly [tool: string, question: string])[] = [
  ["fleet_health", "For how the fleet is, call fleet_health."],
  ["fleet_open_alerts", "For what is open and why, call fleet_open_alerts."],
  ["fleet_device_activity", "For what a device did around a time, call fleet_device_activity."],
  ["rules_preview", "To try a condition on past recordings, call rules_preview."],
];

/** What a model knows about Muster before its first call. */
function getInstructions({ tools, publicUrl }: Handling): string {
  const names = new Set(tools.map(({ name }) => name));
  return [
    "Muster keeps the fleet of an organization that runs robots: devices, their recordings, the events in them, rules over " +
      "recorded topics, and the alerts that those open.",
    ...answers.flatMap(([tool, question]) => (names.has(tool) ? [question] : [])),
    "The other tools read single objects and lists. Lists are paged: call again with `next` as `cursor` until " +
      "`next` is null. `shortened` in a result names lists of which only the beginning is returned. Times are UTC. " +
      `Pages for people: ${publicUrl}/alerts/{uid}, /devices/{uid}, /recordings/{uid}, /rules/{uid}.`,
  ].join(" ");
}

/** What one message is handled with. */
export interface Handling extends CallOrigin {
  ctx: Ctx;
  /** The tools of the caller. */
  tools: readonly Tool[];
}

const text = (value: unknown): CallToolResult["content"] => [{ type: "text", text: JSON.stringify(value) }];

async function callTool(handling: Handling, tool: Tool, args: Record<string, unknown>, began: number) {
  const { ctx } = handling;
  const call = () => tool.call(ctx, args, handling);
  const result = await (tool.readOnly ? retryRead(call) : call());
  noteToolCall(ctx, { tool: tool.name, ms: performance.now() - began, outcome: "ok", detail: "" });
  return result === null
    ? { content: text({ detail: "Done." }) }
    : { content: text(result), structuredContent: result };
}

/** The result of a call that was refused or failed, in the words of the REST API. */
function toErrorResult({ ctx }: Handling, tool: Tool, thrown: unknown, began: number): CallToolResult {
  const error = unavailable(thrown) ?? thrown;
  const ms = performance.now() - began;
  if (!isServiceError(error)) {
    noteToolCall(ctx, { tool: tool.name, ms, outcome: "failed", detail: "" });
    log.error({ err: error, tool: tool.name, request_id: ctx.requestId }, "a tool failed");
    return { isError: true, content: text({ detail: "A server error occurred." }) };
  }
  noteToolCall(ctx, { tool: tool.name, ms, outcome: "refused", detail: error.message });
  if (error.code === "forbidden") noteRefusal(ctx, tool.operation, "POST /api/v1/mcp/");
  return { isError: true, content: text(error.body()) };
}

function createServer(handling: Handling): Server {
  const { tools } = handling;
  const server = new Server(
    { name: "muster", title: "Muster", version: "1" },
    { capabilities: { tools: {} }, instructions: getInstructions(handling) },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, title, description, schemas, readOnly, destructive, idempotent }) => {
      const { input, output } = schemas();
      return {
        name,
        title,
        description,
        inputSchema: { ...input, type: "object" as const },
        ...(output && { outputSchema: { ...output, type: "object" as const } }),
        annotations: {
          readOnlyHint: readOnly,
          // Both mean nothing for tools that only read.
          ...(!readOnly && { destructiveHint: destructive, idempotentHint: idempotent }),
          openWorldHint: false,
        },
      };
    }),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) return { isError: true, content: text({ detail: `There is no tool ${params.name}.` }) };
    const began = performance.now();
    return callTool(handling, tool, params.arguments ?? {}, began).catch((error: unknown) =>
      toErrorResult(handling, tool, error, began),
    );
  });
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
  handling: Handling,
  message: McpMessage,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const server = createServer(handling);
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
