import { expect, test } from "vitest";
import { identity } from "@/engine/messages/pose";
import type { Figures, Shape } from "@/engine/messages/scene-object";
import { omitSent } from "./scene-transfer";

test("the bytes of a mesh are sent once, and the mesh with every message", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const colour = [1, 1, 1, 1] as const;
  const mesh: Shape = {
    kind: "mesh",
    pose: identity,
    colour,
    address: "",
    content: { key: "3 1", format: "stl", bytes },
    scale: [1, 1, 1],
    isPainted: false,
    turnsGltf: false,
    instead: [],
  };
  const cube: Shape = { kind: "cube", pose: identity, colour, size: [1, 1, 1] };
  const figures: Figures = { kind: "figures", frame: "", stamp: null, name: "", isLocked: true, shapes: [mesh, cube] };
  const sent = new Set<string>();
  const list = (each: Figures[]) =>
    each.flatMap(({ shapes }) => shapes.map((shape) => (shape.kind === "mesh" ? shape.content?.bytes : shape.kind)));
  expect(list(omitSent([figures, figures], sent))).toEqual([bytes, "cube", null, "cube"]);
  expect(list(omitSent([figures], sent))).toEqual([null, "cube"]);
  expect(list([figures])).toEqual([bytes, "cube"]);
});
