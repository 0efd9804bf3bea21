import type { Ctx } from "@/server/platform/context";
import { processWide } from "@/server/platform/process-wide";
import { usableTools, type Tool } from "@/server/transport/mcp/tools";

/** The tools of one area that somebody may use. */
interface ToolArea {
  /** As `areas` of the address names it. */
  name: string;
  about: string;
  tools: number;
  /** What they cost of a model's context: their names, descriptions and arguments in characters of JSON. */
  characters: number;
}

/** The pages ask in another bundle than the one that has the operations. */
const offered = processWide("mcpToolAreas", () => ({
  tools: [] as readonly Tool[],
  about: {} as Readonly<Record<string, string>>,
}));

/** Makes these the tools that areas are listed of, with what each area is about. */
export const offerTools = (tools: readonly Tool[], about: Readonly<Record<string, string>>): void =>
  void Object.assign(offered, { tools, about });

const sizes = new WeakMap<Tool, number>();

function getSize(tool: Tool): number {
  const known = sizes.get(tool);
  if (known !== undefined) return known;
  const { name, description, schemas } = tool;
  const size = JSON.stringify({ name, description, inputSchema: schemas().input }).length;
  sizes.set(tool, size);
  return size;
}

/** The areas of the tools that this caller may use, in the order of the tools. */
export function listToolAreas(ctx: Ctx): ToolArea[] {
  const areas = new Map<string, ToolArea>();
  for (const tool of usableTools(ctx, offered.tools)) {
    const { area: name } = tool;
    const area = areas.get(name) ?? { name, about: offered.about[name] ?? "", tools: 0, characters: 0 };
    areas.set(name, { ...area, tools: area.tools + 1, characters: area.characters + getSize(tool) });
  }
  return [...areas.values()];
}
