import { BoxGeometry, Color, InstancedMesh, Matrix4, MeshLambertMaterial } from "three";
import type { Voxels } from "@/engine/messages/scene-object";

/** Cubes that are drawn while the camera moves. */
const maxMoving = 50_000;

const cube = new BoxGeometry(1, 1, 1);
const material = new MeshLambertMaterial();

/** A cube for each place, in an order of which every beginning is spread over all of them. */
export function drawVoxels({ places, colours, size }: Voxels): InstancedMesh {
  const count = colours.length;
  const mesh = new InstancedMesh(cube, material, count);
  const step = Math.max(1, Math.ceil(count / maxMoving));
  const [matrix, colour] = [new Matrix4().makeScale(...size), new Color()];
  let at = 0;
  for (let first = 0; first < step; first++)
    for (let source = first; source < count; source += step, at++) {
      const pixel = colours[source]!;
      matrix.setPosition(places[source * 3]!, places[source * 3 + 1]!, places[source * 3 + 2]!);
      mesh.setMatrixAt(at, matrix);
      colour.setRGB((pixel & 255) / 255, ((pixel >> 8) & 255) / 255, ((pixel >> 16) & 255) / 255, "srgb");
      mesh.setColorAt(at, colour);
    }
  mesh.frustumCulled = false;
  return mesh;
}

/** Draws few of the cubes while the camera moves. */
export function thinVoxels(mesh: InstancedMesh, { colours }: Voxels, isMoving: boolean): void {
  mesh.count = isMoving ? Math.min(maxMoving, colours.length) : colours.length;
}
