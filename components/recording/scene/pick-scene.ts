import { InstancedMesh, Matrix4, Mesh, Raycaster, Vector3 } from "three";
import { readColumn, readPoint } from "@/engine/messages/clouds/cloud-columns";
import type { CloudDrawing } from "./cloud-drawing";
import type { SceneCamera } from "./scene-camera";
import type { SceneLayer } from "./scene-layer";
import type { ScenePick } from "./scene-report";

/** Pixels of the page between a press and a point that it means. */
const reach = 8;

export interface PickPlace {
  /** Pixels of the page. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What is at a place of the picture: the nearest point of a cloud, a solid, or the ground; null for the sky. */
export function pickScene(layers: Iterable<SceneLayer>, camera: SceneCamera, place: PickPlace): ScenePick | null {
  const shown = [...layers].filter(({ group }) => group.visible);
  return pickPoint(shown, camera, place) ?? pickSolid(shown, camera, place) ?? pickGround(camera, place);
}

const toRay = ({ x, y, width, height }: PickPlace): [number, number] => [(x / width) * 2 - 1, 1 - (y / height) * 2];

function pickPoint(layers: readonly SceneLayer[], camera: SceneCamera, place: PickPlace): ScenePick | null {
  let best: { distance: number; found: ScenePick } | null = null;
  for (const { topic, list } of layers.map((layer) => ({ topic: layer.topic, list: layer.list() }))) {
    for (const { cloud, drawing } of list) {
      if (cloud === null || !drawing.visible) continue;
      const nearest = findNearest(cloud, drawing.matrixWorld, camera, place);
      if (nearest === null || (best !== null && nearest.distance >= best.distance)) continue;
      const found = {
        topic,
        name: null,
        place: nearest.place.toArray(),
        fields: readPoint(cloud.cloud, nearest.point),
      };
      best = { distance: nearest.distance, found };
    }
  }
  return best?.found ?? null;
}

/** The point of a cloud nearest to a place of the picture, and of those within a pixel the one in front. */
function findNearest({ cloud, kept }: CloudDrawing, matrix: Matrix4, camera: SceneCamera, place: PickPlace) {
  const { x, y, width, height } = place;
  const [xs, ys, zs] = [readColumn(cloud, "x"), readColumn(cloud, "y"), readColumn(cloud, "z")];
  const toScreen = new Matrix4().fromArray(camera.toPicture).multiply(matrix);
  const at = new Vector3();
  let best: { point: number; distance: number } | null = null;
  for (let each = 0; each < (kept?.length ?? cloud.count); each++) {
    const point = kept?.[each] ?? each;
    at.set(xs[point]!, ys[point]!, zs[point]!).applyMatrix4(toScreen);
    if (!(at.z > -1 && at.z < 1)) continue;
    const apart = Math.hypot(((at.x + 1) / 2) * width - x, ((1 - at.y) / 2) * height - y);
    if (apart > reach) continue;
    const distance = Math.round(apart) + (at.z + 1) / 2;
    if (best === null || distance < best.distance) best = { point, distance };
  }
  if (best === null) return null;
  const { point, distance } = best;
  return { point, distance, place: new Vector3(xs[point], ys[point], zs[point]).applyMatrix4(matrix) };
}

function pickSolid(layers: readonly SceneLayer[], camera: SceneCamera, place: PickPlace): ScenePick | null {
  const caster = new Raycaster();
  const { origin, direction } = camera.cast(...toRay(place));
  caster.set(origin, direction);
  let best: { distance: number; found: ScenePick } | null = null;
  for (const layer of layers) {
    for (const { object, drawing } of layer.list()) {
      if ((object.kind !== "figures" && object.kind !== "voxels") || !drawing.visible) continue;
      const hit = caster
        .intersectObject(drawing, true)
        .find((each) => each.object instanceof InstancedMesh || each.object instanceof Mesh);
      if (hit === undefined || (best !== null && hit.distance >= best.distance)) continue;
      const found = {
        topic: layer.topic,
        name: object.kind === "figures" ? object.name : "voxel",
        place: hit.point.toArray(),
        fields: [],
      };
      best = { distance: hit.distance, found };
    }
  }
  return best?.found ?? null;
}

function pickGround(camera: SceneCamera, place: PickPlace): ScenePick | null {
  const { origin, direction } = camera.cast(...toRay(place));
  if (Math.abs(direction.z) < 1e-9) return null;
  const along = -origin.z / direction.z;
  if (along <= 0) return null;
  const at = origin.addScaledVector(direction, along);
  return { topic: null, name: null, place: [at.x, at.y, 0], fields: [] };
}
