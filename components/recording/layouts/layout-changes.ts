import type { PanelState } from "@/domain/layouts/panel-configs";
import type { Layout } from "@/domain/layouts/tree";

/** The most that all changes of a layout may take in an address. */
export const maxLength = 2_048;

/** What an address says about a layout: its arrangement, or else what single panels show otherwise. JSON. */
export interface LayoutChanges {
  tree: string | null;
  /** Changed members of configs, by panel. */
  panels: Readonly<Record<string, string>>;
}

export const noChanges: LayoutChanges = { tree: null, panels: {} };

/** How a layout differs from another, for an address; null when that is too long for one. */
export function describeChanges(base: Layout, now: Layout): LayoutChanges | null {
  const names = Object.keys(base.panels);
  const keepsPlaces =
    JSON.stringify(base.root) === JSON.stringify(now.root) &&
    names.every((name) => now.panels[name]?.type === base.panels[name]?.type);
  const changes: LayoutChanges = keepsPlaces
    ? { tree: null, panels: diffConfigs(base, now) }
    : { tree: JSON.stringify(now), panels: {} };
  return measure(changes) <= maxLength ? changes : null;
}

function diffConfigs(base: Layout, now: Layout): Record<string, string> {
  const diffs = Object.entries(now.panels).flatMap(([name, panel]) => {
    const changed = diffConfig(base.panels[name], panel);
    return changed === null ? [] : [[name, JSON.stringify(changed)]];
  });
  return Object.fromEntries(diffs);
}

/** The members of a panel's config that are not as before; null where all are. */
export function diffConfig(before: PanelState | undefined, now: PanelState): Record<string, unknown> | null {
  const known = new Map<string, unknown>(Object.entries(before?.config ?? {}));
  const changed = Object.entries(now.config).filter(
    ([member, value]) => JSON.stringify(known.get(member)) !== JSON.stringify(value),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : null;
}

const measure = ({ tree, panels }: LayoutChanges): number =>
  encodeURIComponent(tree ?? "").length +
  Object.entries(panels).reduce((sum, [name, diff]) => sum + name.length + encodeURIComponent(diff).length + 4, 0);
