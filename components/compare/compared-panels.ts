import { diffConfig, maxLength } from "@/components/recording/layouts/layout-changes";
import { getTitle, getType, panelTypeIds } from "@/components/recording/layouts/panel-types";
import { listOffers, suggestLayout } from "@/components/recording/layouts/suggestion";
import type { Subject } from "@/components/recording/session/panel-type";
import type { PanelState } from "@/domain/layouts/panel-configs";
import type { ChangedPanels } from "./panel-settings";

/** Panels that a comparison shows at most: each has a thread's pictures twice. */
export const maxPairs = 6;

/** How the address names a panel: its type, and the topic where it has one. */
export const toName = (panel: PanelState): string =>
  "topic" in panel.config ? `${panel.type}:${panel.config.topic}` : panel.type;

/** What a person reads of a panel. */
export const describePanel = (panel: PanelState): string => {
  const [label, title] = [getType(panel).label, getTitle(panel)];
  return label === title ? label : `${label} ${title}`;
};

/** All panels that two recordings offer, each once; plots are below each other and not beside. */
export function listPairs(a: Subject, b: Subject): PanelState[] {
  const found = new Map<string, PanelState>();
  for (const type of panelTypeIds) {
    if (type === "plot") continue;
    for (const subject of [a, b]) {
      for (const { panel } of listOffers(type, subject)) {
        const name = toName(panel);
        if (!found.has(name)) found.set(name, panel);
      }
    }
  }
  return [...found.values()];
}

/** The panels that suit the first recording, of those that are offered. */
export function suggestPairs(a: Subject, offered: readonly PanelState[]): PanelState[] {
  const suggested = new Set(Object.values(suggestLayout(a).panels).map(toName));
  return offered.filter((panel) => suggested.has(toName(panel))).slice(0, 3);
}

/** What an address says about changed panels; null where nothing is changed, and for more than fits into an address. */
export function describeSettings(offered: ReadonlyMap<string, PanelState>, changed: ChangedPanels): string | null {
  const diffs = Object.entries(changed).flatMap(([name, panel]) => {
    const diff = diffConfig(offered.get(name), panel);
    return diff === null ? [] : [[name, diff]];
  });
  const text = JSON.stringify(Object.fromEntries(diffs));
  return diffs.length > 0 && encodeURIComponent(text).length <= maxLength ? text : null;
}
