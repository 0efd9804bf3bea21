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

/** Steps of the ground grid from its middle to its end, and those of one piece of a line. */
const [reach, piece] = [50, 5];

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
    const places: number[] = [];
    for (let at = -reach; at <= reach; at++) {
      const [lineX, lineY] = [middleX + at * step, middleY + at * step];
      // In pieces: browsers that draw without a graphics card leave out a line that ends behind the camera.
      for (let from = -reach; from < reach; from += piece) {
        const [fromX, fromY] = [middleX + from * step, middleY + from * step];
        places.push(lineX, fromY, 0, lineX, fromY + piece * step, 0);
        places.push(fromX, lineY, 0, fromX + piece * step, lineY, 0);
      }
    }
    this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  }
}
