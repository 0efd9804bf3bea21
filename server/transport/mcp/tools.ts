import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

/** Something a model can be given to do: an operation of the REST API, under another door. */
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

const holder = processWide("mcpTools", () => ({ list: [] as readonly Tool[], writes: env.MCP_WRITES }));

/** Says which tools there are; the REST pipeline, which knows every operation, does so once. */
export function offerTools(list: readonly Tool[]): void {
  holder.list = list;
}

/**
 * What this caller can use: reads always, writes where the operator allows them, each only with the permission it asks
 * for.
 */
export const usableTools = (ctx: Ctx): Tool[] =>
  holder.list.filter((tool) => (tool.readOnly || holder.writes) && tool.allowed(ctx));

/** Sets whether writes are tools in this process, in place of MCP_WRITES; returns how to undo it. */
export function configureWrites(allowed: boolean): () => void {
  const before = holder.writes;
  holder.writes = allowed;
  return () => {
    holder.writes = before;
  };
}
