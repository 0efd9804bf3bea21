import type { Ctx } from "@/server/platform/context";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";
import type { Json } from "@/server/transport/mcp/tool-schemas";
import type { CallOrigin } from "@/server/transport/rest/endpoint";

/** An operation of the REST API as a tool for models. */
export interface Tool {
  /** The operation's id with underscores: `devices_list`. */
  name: string;
  operation: string;
  /** The first part of the operation's id: `devices`. */
  area: string;
  title: string;
  description: string;
  /** JSON Schemas of the arguments and of the structured result, which not every tool has. */
  schemas: () => { input: Json; output: Json | null };
  /** Changes nothing. */
  readOnly: boolean;
  /** Changes or deletes what exists, rather than adding to it. */
  destructive: boolean;
  /** Again with the same arguments changes nothing more. */
  idempotent: boolean;
  /** Whether this caller may use it. */
  allowed: (ctx: Ctx) => boolean;
  /** Performs the operation and resolves to its result; null where it has none. Throws `ServiceError`. */
  call: (ctx: Ctx, args: Json, origin: CallOrigin) => Promise<Json | null>;
}

const settings = processWide("mcpSettings", () => ({ writes: env.MCP_WRITES }));

/** Whether the operator allows models to write. */
export const mayWrite = (): boolean => settings.writes;

/** Whether a tool is offered at all: reads, and writes if the operator allows them to more than viewers. */
const isOffered = (ctx: Ctx, tool: Tool): boolean => tool.readOnly || (settings.writes && !ctx.permissions.readOnly);

/** The tools that this caller may use by its permissions, of these areas if some are named. */
export const usableTools = (ctx: Ctx, tools: readonly Tool[], areas?: readonly string[]): Tool[] =>
  tools.filter((tool) => isOffered(ctx, tool) && tool.allowed(ctx) && (!areas?.length || areas.includes(tool.area)));

/** Overrides MCP_WRITES in this process; returns a function that undoes it. */
export function configureWrites(allowed: boolean): () => void {
  const before = settings.writes;
  settings.writes = allowed;
  return () => {
    settings.writes = before;
  };
}
