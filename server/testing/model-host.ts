import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** The protocol's own client, as the host of a model uses it, with an API key. */
export async function connectModel(url: string, key: string): Promise<Client> {
  const client = new Client({ name: "a model's host", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "x-service-api-key": key } } }),
  );
  return client;
}

export interface ToolResult {
  isError: boolean;
  /** The result as a model reads it: the text, parsed. */
  output: Record<string, unknown>;
  /** The structured result, which the client has compared with the tool's schema; absent for errors. */
  data: unknown;
}

export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [first] = result.content;
  return {
    isError: result.isError ?? false,
    output: JSON.parse(first?.type === "text" ? first.text : "null") as Record<string, unknown>,
    data: result.structuredContent,
  };
}
