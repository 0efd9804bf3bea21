import type { ShapeByType, ShapeKind } from "./shape-kind";

/** A kind of shapes that mark no place of a picture: they are listed and never drawn. */
function createPlacelessKind<S extends ShapeByType<"classification"> | ShapeByType<"cuboid">>(
  name: string,
  describe: string,
): ShapeKind<S> {
  return {
    name,
    bound: () => null,
    draw: () => ({ outlines: [], dots: [] }),
    hit: () => null,
    measure: () => null,
    rings: () => [],
    describe: () => describe,
    handles: () => [],
    moveHandle: (shape) => shape,
    addPoint: () => null,
    removePoint: () => null,
    move: (shape) => shape,
    resize: (shape) => shape,
  };
}

export const classification = createPlacelessKind<ShapeByType<"classification">>("Tag", "whole picture");
export const cuboid = createPlacelessKind<ShapeByType<"cuboid">>("Cuboid", "in the cloud");
