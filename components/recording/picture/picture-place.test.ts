import { describe, expect, test } from "vitest";
import { fitPlace, movePlace, toMatrix, toPicturePoint, zoomPlace, type PictureFrame } from "./picture-place";

const frame: PictureFrame = {
  panel: { width: 200, height: 100 },
  picture: { width: 40, height: 30 },
  rotation: 0,
  mirrored: false,
};
const middle = { x: 100, y: 50 };

/** Where a point of the picture lies in the panel by a matrix of style sheets. */
function apply(matrix: string, { x, y }: { x: number; y: number }) {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = matrix.slice(7, -1).split(", ").map(Number);
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

const looks = [0, 90, 180, 270].flatMap((rotation) =>
  [false, true].map((mirrored) => ({ ...frame, rotation, mirrored })),
);

describe.each(looks)("turned by $rotation, mirrored: $mirrored", (look) => {
  test("a fitted picture lies within the panel and touches two of its sides", () => {
    const matrix = toMatrix(look, fitPlace(look));
    const corners = [0, 40].flatMap((x) => [0, 30].map((y) => apply(matrix, { x, y })));
    const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
    expect([Math.min(...ys), Math.max(...ys)]).toEqual([expect.closeTo(0, 1), expect.closeTo(100, 1)]);
    expect((Math.min(...xs) + Math.max(...xs)) / 2).toBeCloseTo(100, 1);
  });

  test("the point under the pointer is that which the matrix puts there", () => {
    const place = { scale: 3, x: 12, y: 17 };
    const at = apply(toMatrix(look, place), { x: 5, y: 9 });
    expect(toPicturePoint(look, place, at)).toEqual({ x: expect.closeTo(5, 2), y: expect.closeTo(9, 2) });
  });

  test("zooming leaves what is under the pointer, and moving moves what is seen", () => {
    const place = fitPlace(look);
    const at = { x: 70, y: 30 };
    const before = toPicturePoint(look, place, at);
    const zoomed = zoomPlace(look, place, at, 2.5);
    expect(zoomed.scale).toBeCloseTo(place.scale * 2.5);
    expect(toPicturePoint(look, zoomed, at)).toEqual({
      x: expect.closeTo(before.x, 6),
      y: expect.closeTo(before.y, 6),
    });
    const moved = movePlace(look, zoomed, 10, -4);
    const point = toPicturePoint(look, zoomed, middle);
    expect(toPicturePoint(look, moved, { x: 110, y: 46 })).toEqual({
      x: expect.closeTo(point.x, 6),
      y: expect.closeTo(point.y, 6),
    });
  });
});

test("the mirrored first, then turned: the right of the picture is at its left, then at its top", () => {
  const turned = { ...frame, rotation: 90, mirrored: true };
  const { x, y } = apply(toMatrix(turned, fitPlace(turned)), { x: 40, y: 15 });
  expect([x, y]).toEqual([expect.closeTo(100, 1), expect.closeTo(0, 1)]);
});

test("a picture is never moved out of its panel, nor enlarged without end", () => {
  const place = fitPlace(frame);
  expect(movePlace(frame, place, 10_000, 10_000)).toMatchObject({ x: 0, y: 0 });
  expect(zoomPlace(frame, place, middle, 1e9).scale).toBe(64);
  expect(zoomPlace(frame, place, middle, 1e-9).scale).toBe(0.5);
});

test("a picture that is not there yet has a place", () => {
  const none = { ...frame, picture: { width: 0, height: 0 } };
  expect(toMatrix(none, fitPlace(none))).toBe("matrix(1, 0, 0, 1, 100, 50)");
});
