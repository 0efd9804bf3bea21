import { readJson, withMembers } from "@/components/recording/layouts/changed-layout";
import type { PanelState } from "@/domain/layouts/panel-configs";

/** Panels of a comparison that show something otherwise, by name. */
export type ChangedPanels = Readonly<Record<string, PanelState>>;

/** The panels that an address changes; `isWhole` says whether all of it could be read. */
export function readSettings(
  text: string,
  offered: ReadonlyMap<string, PanelState>,
): { panels: ChangedPanels; isWhole: boolean } {
  const all = readJson(text);
  if (typeof all !== "object" || all === null || Array.isArray(all)) return { panels: {}, isWhole: false };
  const read = Object.entries(all).flatMap(([name, members]) => {
    const usual = offered.get(name);
    const panel = usual ? withMembers(usual, members) : null;
    return panel ? [[name, panel] as const] : [];
  });
  return { panels: Object.fromEntries(read), isWhole: read.length === Object.keys(all).length };
}
