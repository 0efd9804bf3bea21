import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

/** An operation of the REST API as a tool for models. */
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
  /** Whether this caller may use it. */
  allowed: (ctx: Ctx) => boolean;
  /** Performs the operation and resolves to its result. Throws `ServiceError`. */
  call: (ctx: Ctx, args: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

const settings = processWide("mcpSettings", () => ({ writes: env.MCP_WRITES }));

/** The tools that this caller may use by its permissions: reads, and writes if the operator allows them. */
export const usableTools = (ctx: Ctx, tools: readonly Tool[]): Tool[] =>
  tools.filter((tool) => (tool.readOnly || settings.writes) && tool.allowed(ctx));

/** Overrides MCP_WRITES in this process; returns a function that undoes it. */
export function configureWrites(allowed: boolean): () => void {
  const before = settings.writes;
  settings.writes = allowed;
  return () => {
    settings.writes = before;
  };
}
