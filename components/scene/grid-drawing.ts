import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  DoubleSide,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  NearestFilter,
  PlaneGeometry,
  SRGBColorSpace,
} from "three";
import type { Grid } from "@/engine/messages/scene-object";

/** The cells of a grid, with the corner of the first one at the origin. */
export function drawGrid({ columns, rows, pixels, size: [width, height] }: Grid): Mesh {
  const texture = new DataTexture(pixels, columns, rows);
  texture.magFilter = NearestFilter;
  texture.minFilter = NearestFilter;
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  const material = new MeshBasicMaterial({ map: texture, transparent: true, side: DoubleSide, depthWrite: false });
  const mesh = new Mesh(new PlaneGeometry(width, height).translate(width / 2, height / 2, 0), material);
  // Under everything else that lies on the ground.
  mesh.renderOrder = -1;
  return mesh;
}

/** Lines at every metre, ten or a hundred of them, so that about twenty cross the picture. */
export class GroundGrid {
  readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthWrite: false }));
  private drawn = "";

  constructor() {
    this.lines.frustumCulled = false;
    this.lines.renderOrder = -2;
  }

  /** Lays the lines around a place, for a picture of so many metres. */
  update(x: number, y: number, height: number): void {
    const step = 10 ** Math.max(-1, Math.round(Math.log10(Math.max(0.01, height) / 12)));
    const [middleX, middleY] = [Math.round(x / step / 10) * step * 10, Math.round(y / step / 10) * step * 10];
    const key = `${step} ${middleX} ${middleY}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const reach = 50 * step;
    const places: number[] = [];
    for (let at = -50; at <= 50; at++) {
      const [lineX, lineY] = [middleX + at * step, middleY + at * step];
      places.push(lineX, middleY - reach, 0, lineX, middleY + reach, 0);
      places.push(middleX - reach, lineY, 0, middleX + reach, lineY, 0);
    }
    this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  }
}
