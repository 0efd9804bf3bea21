import { z } from "zod";

/** One message of the protocol: a request, or without `id` a notification. The SDK checks `params`. */
export const McpMessage = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.string().min(1),
  id: z.union([z.string(), z.number()]).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type McpMessage = z.output<typeof McpMessage>;

/** The protocol's response; empty for a notification. */
export const McpResponse = z.record(z.string(), z.unknown());
