import { z } from "zod";

/** One message of the protocol: a request, or without `id` a notification. The SDK checks `params`. */
export const McpMessage = z
  .object({
    jsonrpc: z.literal("2.0").describe("The version of JSON-RPC."),
    method: z.string().min(1).describe("The method of the protocol."),
    id: z.union([z.string(), z.number()]).optional().describe("Identifies the request; absent for a notification."),
    params: z.record(z.string(), z.unknown()).optional().describe("The parameters of the method."),
  })
  .meta({ example: { jsonrpc: "2.0", id: 1, method: "ping" } });
export type McpMessage = z.output<typeof McpMessage>;

/** The protocol's response; empty for a notification. */
export const McpResponse = z.record(z.string(), z.unknown());
