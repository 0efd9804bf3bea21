import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

/** Something a model can be given to do: an operation of the REST API. */
export interface Tool {
  /** The operation's id with underscores: `devices_list`. */
  name: string;
  title: string;
  description: string;
  /** JSON Schema of the arguments: path, query and body of the operation in one object. */
  inputSchema: Record<string, unknown>;
  /** Changes nothing. */
  readOnly: boolean;
  destructive: boolean;
  /** Whether this caller may use it at all. */
  allowed: (ctx: Ctx) => boolean;
  /** Performs the operation and resolves to its answer. Throws `ServiceError`. */
  call: (ctx: Ctx, args: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

const settings = processWide("mcpSettings", () => ({ writes: env.MCP_WRITES }));

/**
 * Those that this caller can use: reads always, writes where the operator allows them, each only with the permission it
 * asks for.
 */
export const usableTools = (ctx: Ctx, tools: readonly Tool[]): Tool[] =>
  tools.filter((tool) => (tool.readOnly || settings.writes) && tool.allowed(ctx));

/** Sets whether writes are tools in this process, in place of MCP_WRITES; returns how to undo it. */
export function configureWrites(allowed: boolean): () => void {
  const before = settings.writes;
  settings.writes = allowed;
  return () => {
    settings.writes = before;
  };
}
