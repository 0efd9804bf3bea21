import type { Outputs } from "@/components/trpc/client";

export type ToolArea = Outputs["mcp"]["info"]["areas"][number];

/** Areas that belong to one kind of work. */
export const presets = {
  fleet: [
    "fleet",
    "devices",
    "metrics",
    "groups",
    "recordings",
    "signals",
    "events",
    "silences",
    "alerts",
    "rules",
    "topics",
  ],
  data: [
    "datasets",
    "items",
    "sequences",
    "moments",
    "slices",
    "projects",
    "tasks",
    "results",
    "work-batches",
    "issues",
    "exports",
    "models",
    "runs",
    "inference",
  ],
} as const satisfies Record<string, readonly string[]>;

/** The address that lists the tools of these areas alone; of all for null. */
export const toAddress = (path: string, chosen: readonly string[] | null): string =>
  chosen === null || chosen.length === 0 ? path : `${path}?areas=${chosen.join(",")}`;

/** How many characters of JSON make a token, roughly. */
const charactersPerToken = 4;

/** What areas cost together, in tokens that are rounded as far as they are a guess. */
export function countTools(areas: readonly ToolArea[]): { tools: number; tokens: number } {
  const characters = areas.reduce((sum, area) => sum + area.characters, 0);
  return {
    tools: areas.reduce((sum, area) => sum + area.tools, 0),
    tokens: Math.max(100, Math.round(characters / charactersPerToken / 100) * 100),
  };
}
