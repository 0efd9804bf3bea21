import { describe, expect, test } from "vitest";
import { dockPanel } from "@/domain/layouts/docking";
import { layoutTree, migrateLayout } from "@/domain/layouts/layout-schema";
import { toPanel } from "@/domain/layouts/panel";
import {
  addPanel,
  addTab,
  closePanel,
  emptyLayout,
  fitSizes,
  isGroup,
  isTabs,
  listPanels,
  maxPanels,
  minShare,
  moveBorder,
  movePanel,
  resizeGroup,
  setPanel,
  showTab,
  stackPanel,
  type Direction,
  type Layout,
  type LayoutNode,
} from "@/domain/layouts/tree";

const camera = (topic: string) => toPanel("image", { topic });

/** Panels p1, p2, …, each split off the one before. */
const build = (...dirs: ("row" | "col")[]): Layout =>
  dirs.reduce(
    (layout, dir, at) => addPanel(layout, `p${at + 1}`, dir, camera(`/${at + 2}`)),
    addPanel(emptyLayout, null, "row", camera("/1")),
  );

const outline = (node: LayoutNode | null): unknown =>
  node === null
    ? null
    : isGroup(node)
      ? { [node.dir]: node.items.map(outline) }
      : isTabs(node)
        ? { tabs: node.tabs }
        : node.panel;

describe("panels", () => {
  test("are split to the right and below, and groups of one direction are one group", () => {
    const layout = build("row", "row", "col");
    expect(outline(layout.root)).toEqual({ row: ["p1", "p2", { col: ["p3", "p4"] }] });
    expect(layout.root).toMatchObject({ sizes: [50, 25, 25] });
  });

  test("are added beside all others with as much space as those", () => {
    expect(addPanel(build("row"), null, "row", camera("/n")).root).toMatchObject({ sizes: [33.33, 33.33, 33.33] });
    expect(outline(addPanel(build("row"), null, "col", camera("/n")).root)).toEqual({
      col: [{ row: ["p1", "p2"] }, "p3"],
    });
  });

  test("give their space to those beside them when they are closed", () => {
    const layout = closePanel(build("row", "col"), "p1");
    expect(outline(layout.root)).toEqual({ col: ["p2", "p3"] });
    expect(Object.keys(layout.panels)).toEqual(["p2", "p3"]);
    expect(closePanel(closePanel(layout, "p2"), "p3")).toEqual(emptyLayout);
  });

  test("move past what lies beside them, out of their group, and to a side of their own", () => {
    const layout = build("row", "col");
    expect(outline(movePanel(layout, "p1", "right").root)).toEqual({ row: [{ col: ["p2", "p3"] }, "p1"] });
    expect(outline(movePanel(layout, "p3", "up").root)).toEqual({ row: ["p1", { col: ["p3", "p2"] }] });
    expect(outline(movePanel(layout, "p3", "left").root)).toEqual({ row: ["p1", "p3", "p2"] });
    expect(outline(movePanel(layout, "p1", "down").root)).toEqual({ col: ["p2", "p3", "p1"] });
    expect(movePanel(layout, "p1", "left")).toBe(layout);
    expect(movePanel(build(), "p1", "down")).toEqual(build());
  });

  test("lie on each other as tabs, and come out of them", () => {
    const stacked = stackPanel(build("row", "col"), "p3", "p1");
    expect(outline(stacked.root)).toEqual({ row: [{ tabs: ["p1", "p3"] }, "p2"] });
    expect(stacked.root).toMatchObject({ items: [{ active: "p3" }, {}] });
    expect(showTab(stacked, "p1").root).toMatchObject({ items: [{ active: "p1" }, {}] });
    expect(closePanel(stacked, "p3").root).toMatchObject({ items: [{ panel: "p1" }, { panel: "p2" }] });
    expect(outline(movePanel(stacked, "p3", "down").root)).toEqual({ row: [{ col: ["p1", "p3"] }, "p2"] });
    expect(outline(addTab(stacked, "p2", camera("/n")).root)).toEqual({
      row: [{ tabs: ["p1", "p3"] }, { tabs: ["p2", "p4"] }],
    });
  });

  test("have borders that move by keys, as far as panels keep a part", () => {
    const layout = build("row", "col");
    expect(moveBorder(layout, "p1", "right").root).toMatchObject({ sizes: [55, 45] });
    // The last has its border before it.
    expect(moveBorder(layout, "p2", "left").root).toMatchObject({ sizes: [45, 55] });
    expect(moveBorder(layout, "p3", "up").root).toMatchObject({ items: [{}, { sizes: [45, 55] }] });
    let far = layout;
    for (let at = 0; at < 30; at++) far = moveBorder(far, "p1", "left");
    expect(far.root).toMatchObject({ sizes: [minShare, 100 - minShare] });
    expect(moveBorder(build(), "p1", "left")).toEqual(build());
  });
});

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

const directions: Direction[] = ["left", "right", "up", "down"];

test("any sequence of changes leaves a layout that can be saved, with every panel in one place", () => {
  for (let seed = 1; seed <= 15; seed++) {
    const random = numbers(seed);
    const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random.next().value * values.length)];
    let layout: Layout = emptyLayout;
    for (let step = 0; step < 120; step++) {
      const ids = Object.keys(layout.panels);
      const id = pick(ids) ?? "p1";
      const dir = pick(["row", "col"] as const) ?? "row";
      const direction = pick(directions) ?? "left";
      const before = ids.length;
      switch (pick(["add", "add", "tab", "close", "move", "dock", "stack", "border", "resize", "show", "set"])) {
        case "add":
          layout = addPanel(layout, ids.length > 0 && random.next().value < 0.8 ? id : null, dir, camera(`/${step}`));
          expect(Object.keys(layout.panels)).toHaveLength(Math.min(before + 1, maxPanels));
          break;
        case "tab":
          layout = addTab(layout, id, camera(`/${step}`));
          break;
        case "close":
          layout = closePanel(layout, id);
          expect(Object.keys(layout.panels)).toHaveLength(Math.max(0, before - 1));
          break;
        case "move":
          layout = movePanel(layout, id, direction);
          break;
        case "dock": {
          const side = pick([...directions, "inside"] as const) ?? "left";
          layout = dockPanel(layout, id, random.next().value < 0.8 ? (pick(ids) ?? id) : null, side);
          break;
        }
        case "stack":
          layout = stackPanel(layout, id, pick(ids) ?? id);
          break;
        case "border":
          layout = moveBorder(layout, id, direction, random.next().value * 90);
          break;
        case "resize":
          layout = resizeGroup(layout, [], [random.next().value, random.next().value]);
          break;
        case "show":
          layout = showTab(layout, id);
          break;
        case "set":
          layout = setPanel(layout, id, camera(`/${step}`));
      }
      const read = layoutTree.safeParse(structuredClone(layout));
      expect(read.error?.message, JSON.stringify(layout)).toBeUndefined();
      expect(listPanels(layout.root).toSorted()).toEqual(Object.keys(layout.panels).toSorted());
    }
  }
});

test("sizes are together 100 and none too small, and stay as they are once they fit", () => {
  for (const sizes of [
    [1, 1],
    [0, 0, 0],
    [1000, 1],
    [1, 2, 97],
    [99, 0.5, 0.5, 0, 0],
  ]) {
    const fitted = fitSizes(sizes);
    expect(fitted.reduce((sum, size) => sum + size, 0)).toBeCloseTo(100, 0);
    expect(Math.min(...fitted)).toBeGreaterThanOrEqual(minShare);
    expect(fitSizes(fitted)).toEqual(fitted);
  }
});

describe("a layout from outside", () => {
  const read = (value: unknown) => layoutTree.safeParse(value);
  const two = {
    v: 1,
    root: { dir: "row", sizes: [50, 50], items: [{ panel: "p1" }, { panel: "p2" }] },
    panels: { p1: camera("/a"), p2: camera("/b") },
  };

  test("is read as it is, with its sizes made whole", () => {
    expect(read(two).data).toEqual(two);
    expect(read({ ...two, root: { ...two.root, sizes: [3, 1] } }).data?.root).toMatchObject({ sizes: [75, 25] });
    expect(read(emptyLayout).success).toBe(true);
  });

  test.each([
    ["a panel without a place", { ...two, root: { panel: "p1" } }],
    [
      "a panel in two places",
      { ...two, root: { dir: "row", sizes: [1, 1], items: [{ panel: "p1" }, { panel: "p1" }] } },
    ],
    [
      "a place without a panel",
      { ...two, root: { dir: "row", sizes: [1, 1, 1], items: [{ panel: "p1" }, { panel: "p2" }, { panel: "p3" }] } },
    ],
    ["sizes that do not fit", { ...two, root: { ...two.root, sizes: [50] } }],
    ["sizes that are no numbers", { ...two, root: { ...two.root, sizes: [50, "50"] } }],
    ["an unknown type", { ...two, panels: { ...two.panels, p2: { type: "game", config: {} } } }],
    ["an inherited type", { ...two, panels: { ...two.panels, p2: { type: "toString", config: {} } } }],
    ["a config of another type", { ...two, panels: { ...two.panels, p2: { type: "image", config: { series: [] } } } }],
    ["an unknown version", { ...two, v: 2 }],
    ["nothing", undefined],
    ["a text", "layout"],
  ])("is refused with %s", (_, value) => {
    expect(read(value).success).toBe(false);
  });

  test("is refused when it is too large, too deep or has too many panels", () => {
    const panels = Object.fromEntries(Array.from({ length: maxPanels + 1 }, (_, at) => [`p${at + 1}`, camera("/a")]));
    const many = { v: 1, root: { tabs: Object.keys(panels), active: "p1" }, panels };
    expect(read(many).error?.issues[0]?.message).toBe("Must call its panels p1 to p16.");
    const large = { ...two, more: "x".repeat(70_000) };
    expect(read(large).error?.issues[0]?.message).toBe("A layout has at most 64 kB.");
    let deep: unknown = { panel: "p1" };
    for (let at = 0; at < 500; at++) deep = { dir: "row", sizes: [1, 1], items: [deep, { panel: "p2" }] };
    expect(read({ ...two, root: deep }).success).toBe(false);
  });

  test("with the panels of 3-D and maps that were saved before these kept settings stays as it is", () => {
    const older = {
      ...two,
      panels: { p1: { type: "scene", config: {} }, p2: { type: "map", config: { topic: "/fix" } } },
    };
    expect(read(older).data).toEqual(older);
  });

  test("of an older version is brought to the version of today, step by step", () => {
    const steps = { 1: (layout: Record<string, unknown>) => ({ ...layout, first: true }), 2: () => ({ second: true }) };
    expect(migrateLayout({ v: 1 }, steps)).toEqual({ v: 3, second: true });
    expect(migrateLayout({ v: 3, second: true }, steps)).toEqual({ v: 3, second: true });
    expect(migrateLayout([1], steps)).toEqual([1]);
  });
});
