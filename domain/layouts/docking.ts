import {
  axes,
  change,
  group,
  isForward,
  isStacked,
  listPanels,
  shareOfNew,
  stackPanel,
  without,
  type Direction,
  type Layout,
  type LayoutNode,
} from "@/domain/layouts/tree";

/** Where a panel is put: at a side, or in the same place as a tab. */
export type DockSide = Direction | "inside";

/** Puts a panel beside another or into its place; beside all others where `target` is null. */
export function dockPanel(layout: Layout, id: string, target: string | null, side: DockSide): Layout {
  const { root } = layout;
  if (root === null || !listPanels(root).includes(id)) return layout;
  if (side === "inside") return target === null ? layout : stackPanel(layout, id, target);
  const rest = without(root, id);
  // Beside itself it lies already, unless it shares its place with others.
  const beside = target === id ? findMate(root, id) : target;
  if (rest === null || (target !== null && (beside === null || !listPanels(rest).includes(beside)))) return layout;
  const arrange = (place: LayoutNode, [share, own]: readonly [number, number]) =>
    isForward(side)
      ? group(axes[side], [place, { panel: id }], [share, own])
      : group(axes[side], [{ panel: id }, place], [own, share]);
  const arranged =
    beside === null
      ? arrange(rest, shareOfNew(rest, axes[side]))
      : change(rest, beside, (place) => arrange(place, [50, 50]));
  return { ...layout, root: arranged };
}

/** Another panel in the same place; null where there is none. */
const findMate = (root: LayoutNode, id: string): string | null =>
  isStacked(root, id) ? (findStack(root, id).find((tab) => tab !== id) ?? null) : null;

function findStack(node: LayoutNode, id: string): string[] {
  if (!("items" in node)) return listPanels(node);
  const inside = node.items.find((item) => listPanels(item).includes(id));
  return inside ? findStack(inside, id) : [];
}
