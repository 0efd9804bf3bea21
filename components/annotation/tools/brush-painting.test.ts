import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { isInArea, type Point } from "@/domain/annotations/geometry";
import { isInMask, readMask } from "@/domain/masks/mask-figure";
import { chooseLabel, moveBy, remove } from "../store/commands";
import type { EditorStore } from "../store/editor-store";
import { makeMask, makeSquare, picture } from "../testing/drafts-of-tests";
import { drag, only, open, press } from "../testing/store-of-tests";
import { MaskPainting } from "./mask-painting";

/** Whether pixels are in a mask, by their column and row. */
function has(store: EditorStore, id: string, ...places: Point[]): boolean[] {
  const shape = store.snapshot.shapes.get(id);
  const figure = shape && readMask(shape.coordinates);
  if (!figure) throw new Error("no mask");
  return places.map(([x, y]) => isInMask(figure, x, y));
}

/** An editor with the brush in hand, 20 pixels across. */
async function paint(members: Parameters<typeof open>[0] = {}, selected: readonly string[] = []) {
  const opened = open(members);
  opened.store.select(selected);
  opened.store.setTool("brush");
  await vi.dynamicImportSettled();
  return opened;
}
beforeAll(() => import("./brush-painting"));

describe("a stroke", () => {
  test("paints a mask of the next label, and the following ones go on with it", async () => {
    const { store, ops, said } = await paint();
    drag(store, [100, 100], [300, 100]);
    await store.later.settle();
    expect(only(store)).toMatchObject({ type: "mask", label_id: "forklift", attributes: { source: "human" } });
    expect(said.at(-1)).toMatch(/^Mask, forklift, \d+ pixels, 220 by 20 at 90, 90 added$/);
    const { id } = only(store);
    expect(store.snapshot.selected).toEqual([id]);
    expect(has(store, id, [100, 95], [299, 105], [200, 112])).toEqual([true, true, false]);
    drag(store, [200, 100], [200, 400]);
    await store.later.settle();
    expect(has(store, id, [200, 112], [200, 399], [100, 95])).toEqual([true, true, true]);
    expect(ops).toHaveLength(2);
  });

  test("with Shift erases, and a mask without pixels is removed", async () => {
    const { store, said } = await paint({ shapes: [makeMask("m", [makeSquare(100, 200)])] }, ["m"]);
    drag(store, [100, 150], [200, 150], { shift: true });
    await store.later.settle();
    expect(has(store, "m", [150, 150], [150, 120], [150, 170])).toEqual([false, true, true]);
    for (const y of [110, 130, 170, 190]) drag(store, [90, y], [210, y], { shift: true });
    await store.later.settle();
    expect(store.snapshot.listed).toEqual([]);
    expect(said.at(-1)).toBe("Mask removed: no pixel is left.");
    press(store, [150, 150], { shift: true });
    expect(said.at(-1)).toBe("Select a mask to erase from it.");
  });

  test("with Alt fills what it surrounds", async () => {
    const { store } = await paint();
    const places: Point[] = [
      [400, 400],
      [600, 400],
      [600, 600],
      [400, 600],
    ];
    store.send({ type: "press", at: [400, 400], alt: true });
    for (const at of places) store.send({ type: "move", at, alt: true });
    expect(store.toolView.lines[0]?.points).toHaveLength(5);
    store.send({ type: "release", at: [400, 600], alt: true });
    await store.later.settle();
    expect(only(store).coordinates).toMatchObject({ box: [400, 400, 200, 200] });
    expect(readMask(only(store).coordinates)?.area).toBe(200 * 200);
  });

  test("is taken back and repeated by itself, also while it is being written", async () => {
    const { store } = await paint();
    press(store, [100, 100]);
    await store.later.settle();
    const first = only(store);
    press(store, [300, 300]);
    store.undo();
    await store.later.settle();
    await vi.waitFor(() => expect(only(store)).toEqual(first));
    press(store, [500, 500]);
    await store.later.settle();
    expect(has(store, first.id, [100, 100], [300, 300], [500, 500])).toEqual([true, false, true]);
    store.undo();
    store.undo();
    expect(store.snapshot.listed).toEqual([]);
    store.redo();
    expect(only(store)).toEqual(first);
  });

  test("ends inside of the picture, and one begun outside of it paints nothing", async () => {
    const { store, said } = await paint();
    drag(store, [-100, -100], [-50, -50]);
    await store.later.settle();
    expect([store.snapshot.listed, said.at(-1)]).toEqual([[], "Nothing is painted."]);
    drag(store, [990, 790], [1_500, 1_500]);
    await store.later.settle();
    expect(only(store).coordinates).toMatchObject({ size: [800, 1_000], box: [980, 780, 20, 20] });
  });

  test("that is broken off changes nothing", async () => {
    const { store, ops } = await paint({ shapes: [makeMask("m", [makeSquare(100, 200)])] }, ["m"]);
    store.send({ type: "press", at: [300, 300] });
    store.send({ type: "move", at: [400, 400] });
    expect(store.toolView.painting?.id).toBe("m");
    store.send({ type: "cancel" });
    expect(store.toolView.painting).toBeNull();
    press(store, [105, 105]);
    await store.later.settle();
    expect(has(store, "m", [300, 300])).toEqual([false]);
    expect(ops).toHaveLength(1);
  });
});

describe("the mask", () => {
  test("is another one after Enter, of the label that was chosen", async () => {
    const { store } = await paint();
    press(store, [100, 100]);
    store.send({ type: "key", key: "Enter" });
    chooseLabel(store, "pallet");
    press(store, [100, 100]);
    await store.later.settle();
    expect(store.snapshot.listed.map(({ label_id }) => label_id)).toEqual(["forklift", "pallet"]);
    expect(store.snapshot.selected).toEqual([store.snapshot.listed[1]?.id]);
  });

  test("keeps what was said of it meanwhile, and is not painted when it was deleted meanwhile", async () => {
    const { store } = await paint({ shapes: [makeMask("m", [makeSquare(100, 200)])] }, ["m"]);
    press(store, [300, 300]);
    chooseLabel(store, "pallet");
    await store.later.settle();
    expect(only(store).label_id).toBe("pallet");
    expect(has(store, "m", [300, 300])).toEqual([true]);
    press(store, [400, 400]);
    remove(store);
    await store.later.settle();
    expect(store.snapshot.listed).toEqual([]);
  });

  test("is stamped where keys are, with a brush of another size", async () => {
    const { store, said } = await paint();
    moveBy(store, [1, 0], false);
    store.send({ type: "key", key: "[" });
    expect(said.at(-1)).toBe("Brush of 16 pixels");
    store.send({ type: "key", key: "]" });
    expect(said.at(-1)).toBe("Brush of 20 pixels");
    if (store.cursor) press(store, store.cursor);
    await store.later.settle();
    expect(only(store).coordinates).toMatchObject({ box: [491, 390, 20, 20] });
  });

  test("is not changed where nothing may be", async () => {
    const { store, ops } = await paint({ canEdit: false, shapes: [makeMask("m", [makeSquare(100, 200)])] }, ["m"]);
    drag(store, [100, 100], [300, 300]);
    await store.later.settle();
    expect(ops).toEqual([]);
  });
});

test("strokes paint and erase the pixels whose middle is under the brush, wherever they begin", async () => {
  const at = fc.tuple(fc.integer({ min: -20, max: 1_020 }), fc.integer({ min: -20, max: 820 }));
  const stamps = fc.array(
    fc.tuple(at, fc.integer({ min: 1, max: 60 }), fc.constantFrom(0 as const, 1 as const, 1 as const)),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  await fc.assert(
    fc.asyncProperty(stamps, async (all) => {
      const painting = new MaskPainting("m", "forklift", picture);
      const wanted = new Uint8Array(picture.width * picture.height);
      for (const [[x, y], radius, value] of all) {
        painting.stamp([x, y], radius, value);
        for (let row = Math.max(0, y - radius); row < Math.min(picture.height, y + radius); row++)
          for (let column = Math.max(0, x - radius); column < Math.min(picture.width, x + radius); column++)
            if (Math.hypot(column + 0.5 - x, row + 0.5 - y) <= radius) wanted[row * picture.width + column] = value;
      }
      const coordinates = await painting.encode();
      const figure = coordinates && readMask(coordinates);
      expect(figure?.area ?? 0).toBe(wanted.reduce((sum, pixel) => sum + pixel, 0));
      const isSame = wanted.every((pixel, place) => {
        const [x, y] = [place % picture.width, Math.floor(place / picture.width)];
        return (pixel === 1) === (figure !== null && isInMask(figure, x, y));
      });
      expect(isSame).toBe(true);
    }),
    { numRuns: 12 },
  );
});

test("a line surrounds the pixels that are filled", async () => {
  const ring: Point[] = [
    [10, 10],
    [400, 60],
    [250, 300],
  ];
  const painting = new MaskPainting("m", "forklift", picture);
  painting.fill(ring, 1);
  const coordinates = await painting.encode();
  const figure = coordinates && readMask(coordinates);
  if (!figure) throw new Error("no mask");
  const inside: Point[] = [
    [200, 100],
    [20, 12],
    [399, 300],
    [100, 200],
  ];
  for (const [x, y] of inside) expect(isInMask(figure, x, y)).toBe(isInArea([x + 0.5, y + 0.5], ring));
});
