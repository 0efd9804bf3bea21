import { describe, expect, test } from "vitest";
import { dockPanel, type DockSide } from "@/domain/layouts/docking";
import { layoutTree } from "@/domain/layouts/layout-schema";
import { toPanel } from "@/domain/layouts/panel";
import { addPanel, addTab, emptyLayout, isGroup, isTabs, type Layout, type LayoutNode } from "@/domain/layouts/tree";

const camera = (topic: string) => toPanel("image", { topic });
const single = addPanel(emptyLayout, null, "row", camera("/1"));
/** p1 beside p2 above p3. */
const three = addPanel(addPanel(single, "p1", "row", camera("/2")), "p2", "col", camera("/3"));

const outline = (node: LayoutNode | null): unknown =>
  node === null
    ? null
    : isGroup(node)
      ? { [node.dir]: node.items.map(outline) }
      : isTabs(node)
        ? { tabs: node.tabs, active: node.active }
        : node.panel;

const dock = (layout: Layout, id: string, target: string | null, side: DockSide): unknown => {
  const docked = dockPanel(layout, id, target, side);
  // What results is a layout that can be saved.
  expect(layoutTree.parse(docked)).toEqual(docked);
  return outline(docked.root);
};

describe("a panel is put", () => {
  test("at any side of another", () => {
    expect(dock(three, "p1", "p3", "right")).toEqual({ col: ["p2", { row: ["p3", "p1"] }] });
    expect(dock(three, "p1", "p3", "left")).toEqual({ col: ["p2", { row: ["p1", "p3"] }] });
    expect(dock(three, "p1", "p3", "up")).toEqual({ col: ["p2", "p1", "p3"] });
    expect(dock(three, "p3", "p1", "down")).toEqual({ row: [{ col: ["p1", "p3"] }, "p2"] });
  });

  test("into the place of another, as the tab that is seen", () => {
    expect(dock(three, "p1", "p2", "inside")).toEqual({ col: [{ tabs: ["p2", "p1"], active: "p1" }, "p3"] });
  });

  test("beside all others, with as much space as each of them", () => {
    expect(dock(three, "p3", null, "left")).toEqual({ row: ["p3", "p1", "p2"] });
    expect(dockPanel(three, "p3", null, "left").root).toMatchObject({ sizes: [33.33, 33.33, 33.33] });
    expect(dock(three, "p2", null, "down")).toEqual({ col: [{ row: ["p1", "p3"] }, "p2"] });
  });

  test("out of tabs, beside those that stay", () => {
    const stacked = addTab(three, "p2", camera("/4"));
    expect(dock(stacked, "p4", "p4", "up")).toEqual({ row: ["p1", { col: ["p4", "p2", "p3"] }] });
    expect(dock(stacked, "p4", "p1", "left")).toEqual({ row: ["p4", "p1", { col: ["p2", "p3"] }] });
  });

  test("nowhere else beside itself, alone, or where nothing is", () => {
    expect(dockPanel(three, "p1", "p1", "left")).toBe(three);
    expect(dockPanel(three, "p1", "p1", "inside")).toBe(three);
    expect(dockPanel(three, "p1", null, "inside")).toBe(three);
    expect(dockPanel(three, "p1", "p9", "left")).toBe(three);
    expect(dockPanel(three, "p9", "p1", "left")).toBe(three);
    expect(dockPanel(single, "p1", null, "left")).toBe(single);
    expect(dockPanel(emptyLayout, "p1", null, "left")).toBe(emptyLayout);
  });
});
