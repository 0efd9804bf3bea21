import type { Subject } from "@/components/recording/session/panel-type";
import { toPanel } from "@/domain/layouts/panel";
import type { PanelState, PanelTypeId } from "@/domain/layouts/panel-configs";
import { emptyLayout, fitSizes, type Axis, type Layout, type LayoutNode } from "@/domain/layouts/tree";
import { panelTypeIds, panelTypes } from "./panel-types";

const maxSuggested = 6;

/** What a panel could show of a recording. */
export interface Offer {
  panel: PanelState;
  score: number;
  /** What to know before choosing it. */
  note?: string | undefined;
}

/** All that panels of a type could show. */
export function listOffers<Id extends PanelTypeId>(type: Id, subject: Subject): Offer[] {
  return panelTypes[type].candidates(subject).map(({ config, score, note }) => ({
    panel: toPanel(type, config),
    score,
    note,
  }));
}

/** The panels that say most: the best of each type first, then what else there is room for. */
function choosePanels(subject: Subject): PanelState[] {
  const ofTypes = panelTypeIds.map((type) =>
    listOffers(type, subject)
      .filter(({ score }) => score > 0)
      .slice(0, panelTypes[type].suggested.most),
  );
  const byScore = (offers: Offer[]) => offers.toSorted((a, b) => b.score - a.score);
  const best = byScore(ofTypes.flatMap((offers) => offers.slice(0, 1)));
  const more = byScore(ofTypes.flatMap((offers) => offers.slice(1)));
  return [...best, ...more].slice(0, maxSuggested).map(({ panel }) => panel);
}

/** The arrangement that fits a recording nobody arranged: pictures above, what was measured and logged below. */
export function suggestLayout(subject: Subject): Layout {
  const chosen = choosePanels(subject);
  // Lanes, plots and tabs show the rest without them.
  if (!chosen.some(({ type }) => panelTypes[type].suggested.leads)) return emptyLayout;
  const ordered = panelTypeIds.flatMap((type) => chosen.filter((panel) => panel.type === type));
  const panels = Object.fromEntries(ordered.map((panel, at) => [`p${at + 1}`, panel]));
  const inRow = (row: "above" | "below") =>
    Object.keys(panels).filter((_, at) => {
      const panel = ordered[at];
      return panel !== undefined && panelTypes[panel.type].suggested.row === row;
    });
  const [above, below] = [inRow("above"), inRow("below")];
  const rows = [below.length > 0 ? arrange("row", above) : grid(above), arrange("row", below)];
  return { v: 1, root: join("col", rows, [60, 40]), panels };
}

const arrange = (dir: Axis, names: readonly string[]): LayoutNode | null =>
  join(
    dir,
    names.map((panel) => ({ panel })),
    names.map(() => 1),
  );

/** More than three get two rows. */
function grid(names: readonly string[]): LayoutNode | null {
  if (names.length <= 3) return arrange("row", names);
  const half = Math.ceil(names.length / 2);
  return join("col", [arrange("row", names.slice(0, half)), arrange("row", names.slice(half))], [1, 1]);
}

function join(dir: Axis, parts: readonly (LayoutNode | null)[], sizes: readonly number[]): LayoutNode | null {
  const items = parts.filter((part) => part !== null);
  const [only] = items;
  if (items.length < 2) return only ?? null;
  return { dir, items, sizes: fitSizes(sizes.filter((_, at) => parts[at] !== null)) };
}
