import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  type Object3D,
  Points,
  PointsMaterial,
  Quaternion,
  SphereGeometry,
  Sprite,
  Vector3,
} from "three";
import { compose, fromAngles, identity, type Pose, type Vector } from "@/engine/messages/pose";
import type { Colour, Shape } from "@/engine/messages/scene-object";
import { MeshDrawing, type LayerMeshes } from "./mesh-drawing";
import { createLabel, toStyle } from "./text-label";

type Solid = "cube" | "sphere" | "cylinder" | "cone";

/** One metre in each direction, standing along z. */
const solids: Readonly<Record<Solid, BufferGeometry>> = {
  cube: new BoxGeometry(1, 1, 1),
  sphere: new SphereGeometry(0.5, 24, 16),
  cylinder: new CylinderGeometry(0.5, 0.5, 1, 24).rotateX(Math.PI / 2),
  cone: new ConeGeometry(0.5, 1, 24).rotateX(Math.PI / 2),
};

/** Materials by what they look like: compiling one for each message takes longer than drawing it. */
const materials = new Map<string, Material>();
const maxMaterials = 500;

function getMaterial(key: string, make: () => Material): Material {
  const known = materials.get(key);
  if (known) return known;
  const [oldest] = materials;
  if (materials.size >= maxMaterials && oldest) {
    materials.delete(oldest[0]);
    oldest[1].dispose();
  }
  const material = make();
  materials.set(key, material);
  return material;
}

interface Instance {
  pose: Pose;
  size: Vector;
  colour: Colour;
}

/** From z to x: what stands lies along its arrow. */
const lying = fromAngles(0, Math.PI / 2, 0);

const along = (pose: Pose, distance: number): Pose => compose(pose, { position: [distance, 0, 0], orientation: lying });

/** The axes of a pose: x red, y green, z blue. */
const axes: readonly { turn: Pose; colour: Colour }[] = [
  { turn: identity, colour: [0.9, 0.2, 0.2, 1] },
  { turn: { position: [0, 0, 0], orientation: fromAngles(0, 0, Math.PI / 2) }, colour: [0.25, 0.7, 0.25, 1] },
  { turn: { position: [0, 0, 0], orientation: fromAngles(0, -Math.PI / 2, 0) }, colour: [0.25, 0.45, 0.95, 1] },
];

function addArrow(
  add: AddSolid,
  pose: Pose,
  shape: { shaft: readonly [number, number]; head: readonly [number, number] },
  colour: Colour,
) {
  const [length, width] = shape.shaft;
  const [headLength, headWidth] = shape.head;
  add("cylinder", { pose: along(pose, length / 2), size: [width, width, length], colour });
  add("cone", { pose: along(pose, length + headLength / 2), size: [headWidth, headWidth, headLength], colour });
}

type AddSolid = (kind: Solid, instance: Instance) => void;

/**
 * Everything that shapes draw, in one group; many solids of a kind take one call of the graphics card. Meshes are those of
 * `meshes`; without them what stands for each.
 */
export function drawFigures(shapes: readonly Shape[], meshes: LayerMeshes | null = null): Group {
  const group = new Group();
  const instances = new Map<string, { kind: Solid; list: Instance[] }>();
  const add: AddSolid = (kind, instance) => {
    const key = `${kind} ${instance.colour[3]}`;
    const known = instances.get(key);
    if (known) known.list.push(instance);
    else instances.set(key, { kind, list: [instance] });
  };
  for (const shape of shapes) {
    switch (shape.kind) {
      case "cube":
      case "sphere":
      case "cylinder":
      case "cone":
        add(shape.kind, shape);
        break;
      case "arrow":
        addArrow(add, shape.pose, shape, shape.colour);
        break;
      case "axes":
        for (const { turn, colour } of axes) {
          const size = { shaft: [shape.length, shape.length / 15], head: [0, 0] } as const;
          addArrow(add, compose(shape.pose, turn), size, colour);
        }
        break;
      case "mesh":
        group.add(
          meshes?.draw(shape, { draw: () => drawFigures(shape.instead, meshes), dispose: disposeDrawing }) ??
            drawFigures(shape.instead),
        );
        break;
      case "text":
        if (shape.text !== "" && shape.height > 0) group.add(placeText(shape));
        break;
      default:
        group.add(place(drawPoints(shape), shape.pose));
    }
  }
  for (const { kind, list } of instances.values()) group.add(drawSolids(kind, list));
  return group;
}

function placeText(shape: Shape & { kind: "text" }): Object3D {
  const label = createLabel(shape.text, shape.height, toStyle(shape.colour));
  label.position.set(...shape.pose.position);
  return label;
}

function drawSolids(kind: Solid, list: readonly Instance[]): InstancedMesh {
  const opacity = list[0]!.colour[3];
  const material = getMaterial(
    `solid ${opacity}`,
    () => new MeshLambertMaterial({ transparent: opacity < 1, opacity, depthWrite: opacity === 1 }),
  );
  const mesh = new InstancedMesh(solids[kind], material, list.length);
  const colour = new Color();
  for (const [at, { pose, size, colour: own }] of list.entries()) {
    mesh.setMatrixAt(at, toMatrix(pose, size));
    mesh.setColorAt(at, colour.setRGB(own[0], own[1], own[2], "srgb"));
  }
  mesh.frustumCulled = false;
  return mesh;
}

type PointShape = Extract<Shape, { points: Float32Array }>;

function drawPoints({ kind, points, colours, colour }: PointShape): Object3D {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  if (colours) geometry.setAttribute("color", new BufferAttribute(toLinear(colours), 4));
  const opacity = colours ? 1 : colour[3];
  const shared = {
    color: colours ? new Color(1, 1, 1) : new Color().setRGB(colour[0], colour[1], colour[2], "srgb"),
    vertexColors: colours !== null,
    transparent: opacity < 1,
    opacity,
  };
  const key = colours ? "many" : colour.join(" ");
  if (kind === "points") {
    const material = () => new PointsMaterial({ ...shared, size: 3, sizeAttenuation: false });
    return new Points(geometry, getMaterial(`points ${key}`, material));
  }
  if (kind === "triangles") {
    const material = () => new MeshBasicMaterial({ ...shared, side: DoubleSide });
    return new Mesh(geometry, getMaterial(`triangles ${key}`, material));
  }
  const material = getMaterial(`line ${key}`, () => new LineBasicMaterial(shared));
  return kind === "line" ? new Line(geometry, material) : new LineSegments(geometry, material);
}

/** Colours of corners as three takes them: unlike those of materials it converts none of them. */
function toLinear(colours: Float32Array): Float32Array {
  return colours.map((part, at) =>
    at % 4 === 3 ? part : part < 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
}

function place(object: Object3D, { position, orientation }: Pose): Object3D {
  object.position.set(...position);
  object.quaternion.set(...orientation);
  object.frustumCulled = false;
  return object;
}

/** A pose as three has it. */
export function toMatrix({ position, orientation }: Pose, size: Vector = [1, 1, 1]): Matrix4 {
  return new Matrix4().compose(new Vector3(...position), new Quaternion(...orientation), new Vector3(...size));
}

/** Gives back what a drawing holds of the graphics card; what drawings share stays. */
export function disposeDrawing(root: Object3D): void {
  const shared = new Set<BufferGeometry>(Object.values(solids));
  const meshes: MeshDrawing[] = [];
  root.traverse((object) => {
    if (object instanceof MeshDrawing) meshes.push(object);
  });
  for (const mesh of meshes) mesh.release();
  root.traverse((object) => {
    if (object instanceof Sprite) {
      object.material.map?.dispose();
      object.material.dispose();
    } else if (object instanceof InstancedMesh) object.dispose();
    else if (
      (object instanceof Mesh || object instanceof Line || object instanceof Points) &&
      !shared.has(object.geometry)
    )
      object.geometry.dispose();
  });
}
