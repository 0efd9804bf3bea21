import type { PanelState } from "@/domain/layouts/panel-configs";

/** How panels share a space. Pure, and without validation, so that pages need not load that. */

export const maxPanels = 16;
/** What panels are called within a layout. */
export const panelNames: readonly string[] = Array.from({ length: maxPanels }, (_, at) => `p${at + 1}`);
export const maxLayoutBytes = 64 * 1024;
/** The smallest part of a group, in percent. */
export const minShare = 5;

/** Side by side, or one above the other. */
export type Axis = "row" | "col";
export type Direction = "left" | "right" | "up" | "down";

interface PanelNode {
  panel: string;
}
/** Several panels in one place, of which one is seen. */
export interface TabsNode {
  tabs: string[];
  active: string;
}
export interface GroupNode {
  dir: Axis;
  /** Percent of each item; together 100. */
  sizes: number[];
  items: LayoutNode[];
}
export type LayoutNode = PanelNode | TabsNode | GroupNode;

/** An arrangement of panels; `root` is null when there are none. */
export interface Layout {
  v: 1;
  root: LayoutNode | null;
  panels: Record<string, PanelState>;
}

export const emptyLayout: Layout = { v: 1, root: null, panels: {} };

export const isGroup = (node: LayoutNode): node is GroupNode => "items" in node;
export const isTabs = (node: LayoutNode): node is TabsNode => "tabs" in node;

/** The panels of a part, from left to right and from above to below. */
export function listPanels(node: LayoutNode | null): string[] {
  if (node === null) return [];
  if (isGroup(node)) return node.items.flatMap(listPanels);
  return isTabs(node) ? node.tabs : [node.panel];
}

const toCents = (size: number): number => Math.round(size * 100) / 100;

/** Sizes that are together 100, none below the smallest. */
export function fitSizes(sizes: readonly number[]): number[] {
  const total = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  // What fits but for its rounding is left alone, so that reading it again changes nothing.
  if (Math.abs(total - 100) < 0.1 && sizes.every((size) => size >= minShare)) return sizes.map(toCents);
  const shares = sizes.map((size) => (total > 0 ? (Math.max(0, size) / total) * 100 : 100 / sizes.length));
  const lacking = shares.reduce((sum, share) => sum + Math.max(0, minShare - share), 0);
  const spare = shares.reduce((sum, share) => sum + Math.max(0, share - minShare), 0);
  return shares.map((share) => {
    const fitted = share <= minShare ? minShare : share - ((share - minShare) / spare) * lacking;
    return toCents(fitted);
  });
}

/** A group of these items: none of them empty, and groups of the same direction taken into it. */
export function group(dir: Axis, items: readonly (LayoutNode | null)[], sizes: readonly number[]): LayoutNode | null {
  const parts = items.flatMap((item, at) => {
    if (item === null) return [];
    const size = sizes[at] ?? 0;
    if (!isGroup(item) || item.dir !== dir) return [{ item, size }];
    return item.items.map((inner, index) => ({ item: inner, size: (size * (item.sizes[index] ?? 0)) / 100 }));
  });
  const [only] = parts;
  if (only === undefined) return null;
  if (parts.length === 1) return only.item;
  return { dir, items: parts.map(({ item }) => item), sizes: fitSizes(parts.map(({ size }) => size)) };
}

/** Several panels in one place; one alone needs no tabs. */
function stack(tabs: readonly string[], active: string): PanelNode | TabsNode | null {
  const [first] = tabs;
  if (first === undefined) return null;
  if (tabs.length === 1) return { panel: first };
  return { tabs: [...tabs], active: tabs.includes(active) ? active : first };
}

/** The part with what holds a panel changed. */
export function change(
  node: LayoutNode,
  id: string,
  replace: (place: PanelNode | TabsNode) => LayoutNode | null,
): LayoutNode | null {
  if (!isGroup(node)) return listPanels(node).includes(id) ? replace(node) : node;
  return group(
    node.dir,
    node.items.map((item) => change(item, id, replace)),
    node.sizes,
  );
}

/** The part without a panel; those beside it take its space. */
export function without(node: LayoutNode, id: string): LayoutNode | null {
  return change(node, id, (place) =>
    isTabs(place)
      ? stack(
          place.tabs.filter((tab) => tab !== id),
          place.active === id ? (place.tabs[Math.max(0, place.tabs.indexOf(id) - 1)] ?? "") : place.active,
        )
      : null,
  );
}

/** A name for a new panel, where there is room for one: the first that is free. */
export const nextId = (panels: Layout["panels"]): string =>
  panelNames.find((name) => !Object.hasOwn(panels, name)) ?? "";

/** Whether another panel may be added. */
export const hasRoom = ({ panels }: Layout): boolean => Object.keys(panels).length < maxPanels;

/** Adds a panel beside another, in half of its space; beside all others where `id` is null. */
export function addPanel(layout: Layout, id: string | null, dir: Axis, panel: PanelState): Layout {
  if (!hasRoom(layout)) return layout;
  const added = nextId(layout.panels);
  const panels = { ...layout.panels, [added]: panel };
  const leaf: PanelNode = { panel: added };
  if (layout.root === null) return { ...layout, panels, root: leaf };
  if (id !== null && !listPanels(layout.root).includes(id)) return layout;
  const root =
    id === null
      ? group(dir, [layout.root, leaf], shareOfNew(layout.root, dir))
      : change(layout.root, id, (place) => group(dir, [place, leaf], [50, 50]));
  return { ...layout, panels, root };
}

/** What a panel beside all others gets: as much as each of them. */
export function shareOfNew(root: LayoutNode, dir: Axis): [number, number] {
  const count = isGroup(root) && root.dir === dir ? root.items.length : 1;
  return [(100 * count) / (count + 1), 100 / (count + 1)];
}

/** Adds a panel as a tab in the place of another. */
export function addTab(layout: Layout, id: string, panel: PanelState): Layout {
  if (!hasRoom(layout) || layout.root === null || !listPanels(layout.root).includes(id)) return layout;
  const added = nextId(layout.panels);
  const root = change(layout.root, id, (place) => stack([...listPanels(place), added], added));
  return { ...layout, panels: { ...layout.panels, [added]: panel }, root };
}

/** Shows another panel, or another topic, in the same place. */
export const setPanel = (layout: Layout, id: string, panel: PanelState): Layout =>
  Object.hasOwn(layout.panels, id) ? { ...layout, panels: { ...layout.panels, [id]: panel } } : layout;

/** Removes a panel; those beside it take its space. */
export function closePanel(layout: Layout, id: string): Layout {
  if (layout.root === null || !Object.hasOwn(layout.panels, id)) return layout;
  const { [id]: _, ...panels } = layout.panels;
  return { ...layout, panels, root: without(layout.root, id) };
}

/** Shows a tab. */
export function showTab(layout: Layout, id: string): Layout {
  if (layout.root === null) return layout;
  return {
    ...layout,
    root: change(layout.root, id, (place) => (isTabs(place) ? { ...place, active: id } : place)),
  };
}

/** Whether a panel lies in a place with others. */
export function isStacked(node: LayoutNode | null, id: string): boolean {
  if (node === null) return false;
  if (isGroup(node)) return node.items.some((item) => isStacked(item, id));
  return isTabs(node) && node.tabs.includes(id);
}

/** Moves a panel into the place of another, as a tab. */
export function stackPanel(layout: Layout, id: string, target: string): Layout {
  const { root } = layout;
  if (root === null || id === target || !listPanels(root).includes(id) || !listPanels(root).includes(target))
    return layout;
  const rest = without(root, id);
  if (rest === null) return layout;
  return { ...layout, root: change(rest, target, (place) => stack([...listPanels(place), id], id)) };
}

export const axes: Record<Direction, Axis> = { left: "row", right: "row", up: "col", down: "col" };
export const isForward = (direction: Direction): boolean => direction === "right" || direction === "down";

/** Moves a panel past what lies beside it; at the edge of all it stays. */
export function movePanel(layout: Layout, id: string, direction: Direction): Layout {
  const { root } = layout;
  if (root === null || !listPanels(root).includes(id)) return layout;
  const moved = move(root, id, axes[direction], isForward(direction));
  if (moved !== null) return { ...layout, root: moved };
  const isAtEdge = (isGroup(root) && root.dir === axes[direction]) || listPanels(root).length === 1;
  if (isAtEdge) return layout;
  // Nothing lies beside it that way: it gets a side of its own.
  const rest = without(root, id);
  const leaf: PanelNode = { panel: id };
  const items = isForward(direction) ? [rest, leaf] : [leaf, rest];
  return { ...layout, root: group(axes[direction], items, [50, 50]) };
}

/** The part after the move, null where it offers no room for it. */
function move(node: LayoutNode, id: string, dir: Axis, forward: boolean): LayoutNode | null {
  if (!isGroup(node)) {
    if (!isTabs(node)) return null;
    // Out of the tabs, beside them.
    const rest = without(node, id);
    const leaf: PanelNode = { panel: id };
    return group(dir, forward ? [rest, leaf] : [leaf, rest], [50, 50]);
  }
  const at = node.items.findIndex((item) => listPanels(item).includes(id));
  const inside = node.items[at];
  if (inside === undefined) return null;
  const inner = move(inside, id, dir, forward);
  if (inner !== null) {
    return group(
      node.dir,
      node.items.map((item, index) => (index === at ? inner : item)),
      node.sizes,
    );
  }
  if (node.dir !== dir) return null;
  if (isGroup(inside)) {
    // Out of the inner group, beside it.
    const size = (node.sizes[at] ?? 0) / 2;
    const pair: [LayoutNode | null, LayoutNode] = [without(inside, id), { panel: id }];
    const items: (LayoutNode | null)[] = [...node.items];
    items.splice(at, 1, ...(forward ? pair : pair.toReversed()));
    return group(node.dir, items, node.sizes.toSpliced(at, 1, size, size));
  }
  const other = at + (forward ? 1 : -1);
  if (other < 0 || other >= node.items.length) return null;
  return { ...node, items: swap(node.items, at, other), sizes: swap(node.sizes, at, other) };
}

function swap<T>(values: readonly T[], a: number, b: number): T[] {
  return values.map((value, at) => (at === a ? (values[b] ?? value) : at === b ? (values[a] ?? value) : value));
}

/** Where a group lies: the positions of the items that lead to it. */
export type NodePath = readonly number[];

/** Gives the items of a group other sizes. */
export function resizeGroup(layout: Layout, path: NodePath, sizes: readonly number[]): Layout {
  if (layout.root === null) return layout;
  return { ...layout, root: resizeAt(layout.root, path, sizes) };
}

function resizeAt(node: LayoutNode, path: NodePath, sizes: readonly number[]): LayoutNode {
  if (!isGroup(node)) return node;
  const [first, ...rest] = path;
  if (first === undefined) return sizes.length === node.items.length ? { ...node, sizes: fitSizes(sizes) } : node;
  return { ...node, items: node.items.map((item, at) => (at === first ? resizeAt(item, rest, sizes) : item)) };
}

/** Moves the border of a panel by some percent of the group around it: the one behind it, or before it if it is last. */
export function moveBorder(layout: Layout, id: string, direction: Direction, step = 5): Layout {
  if (layout.root === null) return layout;
  return { ...layout, root: border(layout.root, id, axes[direction], isForward(direction) ? step : -step) };
}

function border(node: LayoutNode, id: string, dir: Axis, step: number): LayoutNode {
  if (!isGroup(node)) return node;
  const at = node.items.findIndex((item) => listPanels(item).includes(id));
  const inside = node.items[at];
  if (inside === undefined) return node;
  const inner = border(inside, id, dir, step);
  if (inner !== inside || node.dir !== dir) {
    return inner === inside ? node : { ...node, items: node.items.map((item, index) => (index === at ? inner : item)) };
  }
  const before = at + 1 < node.items.length ? at : at - 1;
  const [a, b] = [node.sizes[before] ?? 0, node.sizes[before + 1] ?? 0];
  const moved = Math.min(Math.max(step, minShare - a), b - minShare);
  return {
    ...node,
    sizes: node.sizes.map((size, i) => (i === before ? a + moved : i === before + 1 ? b - moved : size)),
  };
}
