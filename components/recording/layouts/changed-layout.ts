import { layoutTree, parsePanel } from "@/domain/layouts/layout-schema";
import type { PanelState } from "@/domain/layouts/panel-configs";
import type { Layout } from "@/domain/layouts/tree";
import type { LayoutChanges } from "./layout-changes";

export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A layout with the changes that an address holds; those that cannot be read are left out, and `isWhole` says so. */
export function applyChanges(base: Layout, { tree, panels }: LayoutChanges): { layout: Layout; isWhole: boolean } {
  if (tree !== null) {
    const read = layoutTree.safeParse(readJson(tree));
    return read.success ? { layout: read.data, isWhole: true } : { layout: base, isWhole: false };
  }
  const changed: Record<string, PanelState> = {};
  let isWhole = true;
  for (const [name, diff] of Object.entries(panels)) {
    const panel = Object.hasOwn(base.panels, name) ? base.panels[name] : undefined;
    const read = panel ? withMembers(panel, readJson(diff)) : null;
    if (read) changed[name] = read;
    else isWhole = false;
  }
  return { layout: { ...base, panels: { ...base.panels, ...changed } }, isWhole };
}

/** A panel with some members of its config changed; null where they do not fit. */
export const withMembers = (panel: PanelState, members: unknown): PanelState | null =>
  typeof members === "object" && members !== null ? parsePanel(panel.type, { ...panel.config, ...members }) : null;
