import { OrthographicCamera, PerspectiveCamera } from "three";
import { describe, expect, test } from "vitest";
import { listInside, toEdges, type SeenBox } from "./isolation";

const still = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** What a camera sees as the rectangle of a picture of 200 by 100 pixels. */
function see(camera: PerspectiveCamera | OrthographicCamera, [left, top, width, height]: readonly number[]): SeenBox {
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld(true);
  const toPicture = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse).toArray();
  const box = { left: left ?? 0, top: top ?? 0, width: width ?? 0, height: height ?? 0 };
  return { toPicture, ...toEdges(box, 200, 100) };
}

function fromAbove(box: readonly number[]): SeenBox {
  const camera = new OrthographicCamera(-10, 10, 5, -5, 0.1, 100);
  camera.position.set(0, 0, 50);
  camera.lookAt(0, 0, 0);
  return see(camera, box);
}

/** From 10 m behind the origin, along the x axis, z up. */
function fromBehind(box: readonly number[]): SeenBox {
  const camera = new PerspectiveCamera(90, 2, 0.1, 100);
  camera.up.set(0, 0, 1);
  camera.position.set(-10, 0, 0);
  camera.lookAt(0, 0, 0);
  return see(camera, box);
}

const places = [
  [-9, 4, 0],
  [9, -4, 3],
  [0, 0, 0],
  [1, 1, -7],
  [Number.NaN, 0, 0],
  [-30, 0, 0],
] as const;
const axis = (of: 0 | 1 | 2) => (point: number) => places[point]?.[of] ?? Number.NaN;
const points = { count: places.length, x: axis(0), y: axis(1), z: axis(2) };
const inside = (...boxes: SeenBox[]) => [...listInside(points, still, boxes)];

describe("the points inside a box of the picture", () => {
  test("from above are those below it, at any height", () => {
    expect(inside(fromAbove([0, 0, 100, 50]))).toEqual([0, 2]);
    expect(inside(fromAbove([95, 30, 20, 30]))).toEqual([2, 3]);
    expect(inside(fromAbove([0, 0, 200, 100]))).toEqual([0, 1, 2, 3]);
  });

  test("in perspective are those along its rays, in front of the camera only", () => {
    expect(inside(fromBehind([90, 45, 20, 10]))).toEqual([2]);
    // What is behind the camera would be seen turned about.
    expect(inside(fromBehind([0, 0, 200, 100]))).toEqual([1, 2, 3]);
  });

  test("are those inside all of several, and all without one", () => {
    expect(inside(fromAbove([95, 30, 20, 30]), fromBehind([90, 45, 20, 10]))).toEqual([2]);
    expect(inside(fromAbove([0, 0, 5, 5]), fromBehind([0, 0, 200, 100]))).toEqual([]);
    expect(inside()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("are where the cloud is placed", () => {
    const moved = [...still.slice(0, 12), -9, 4, 0, 1];
    expect([...listInside(points, moved, [fromAbove([0, 0, 15, 20])])]).toEqual([2]);
  });
});
