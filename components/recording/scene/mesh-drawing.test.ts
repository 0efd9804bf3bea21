import { expose } from "comlink";
import { Box3, type Mesh, type Object3D, Vector3 } from "three";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { identity } from "@/engine/messages/pose";
import type { Shape } from "@/engine/messages/scene-object";
import { disposeDrawing, drawFigures } from "./figure-drawing";
import { LayerMeshes } from "./mesh-drawing";
import { readMesh } from "./mesh-reading";
import { MeshStore } from "./mesh-store";
import type { MeshThread } from "./mesh.worker";

/** Triangles of files by their position: a metre along x and y; a text that is no STL. */
const files = [
  "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a",
  "no mesh",
];
let requested: (number | null)[] = [];

/** A thread in the same one: it reads as the real one does, from `files`. */
const thread: MeshThread = {
  async read({ position, format }) {
    requested.push(position);
    const bytes = new Uint8Array(new TextEncoder().encode(files[position ?? 0]));
    return { parts: await readMesh(bytes, format ?? "stl", () => Promise.resolve(null)), format: format ?? "stl" };
  },
};
class SameThread {
  constructor() {
    const { port1, port2 } = new MessageChannel();
    expose(thread, port2);
    return Object.assign(port1, { terminate: () => port1.close() }) as unknown as SameThread;
  }
}
beforeEach(() => {
  requested = [];
  vi.stubGlobal("Worker", SameThread);
});
afterEach(() => vi.unstubAllGlobals());

const robot = { uid: "r", paths: ["meshes/a.stl", "meshes/torn.stl"] };
const colour = [1, 0, 0, 1] as const;
const cube = (side: number): Shape => ({ kind: "cube", pose: identity, colour, size: [side, side, side] });
const mesh = (address: string, instead: Shape[], more: object = {}): Shape => ({
  kind: "mesh",
  pose: identity,
  colour,
  address,
  content: null,
  scale: [1, 1, 1],
  isPainted: false,
  turnsGltf: false,
  instead,
  ...more,
});
const measure = (object: Object3D) => new Box3().setFromObject(object).getSize(new Vector3()).toArray();

function open() {
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => (settle = resolve));
  const store: MeshStore = new MeshStore("", () => {
    layer.update();
    if (store.isIdle && requested.length > 0) settle();
  });
  const layer = new LayerMeshes(store);
  return { store, layer, settled };
}

test("a mesh is drawn with its scale once it was read, and read once for all that show it", async () => {
  const { store, layer, settled } = open();
  store.setRobot(robot);
  const shapes = [mesh("package://x/meshes/a.stl", [cube(9)], { scale: [2, 3, 1] }), mesh("a.stl", [cube(9)])];
  const drawn = shapes.map((shape) => drawFigures([shape], layer));
  expect(layer.report()).toEqual({ loading: 2, problems: [] });
  await settled;
  expect(layer.report()).toEqual({ loading: 0, problems: [] });
  expect(drawn.map(measure)).toEqual([
    [2, 3, 0],
    [1, 1, 0],
  ]);
  expect(requested).toEqual([0]);
  drawn.forEach(disposeDrawing);
  expect(layer.report()).toEqual({ loading: 0, problems: [] });
  store.close();
});

test("what stands for a mesh is drawn where it is missing or torn, with the reason, and read only then", async () => {
  const { store, layer, settled } = open();
  store.setRobot(robot);
  const missing = drawFigures([mesh("nowhere.dae", [mesh("a.stl", [cube(9)])])], layer);
  const torn = drawFigures([mesh("torn.stl", [cube(0.5)])], layer);
  const fine = drawFigures([mesh("a.stl", [mesh("elsewhere.stl", [])])], layer);
  await settled;
  expect([missing, torn, fine].map(measure)).toEqual([
    [1, 1, 0],
    [0.5, 0.5, 0.5],
    [1, 1, 0],
  ]);
  expect(layer.report().problems).toEqual([
    "1 mesh missing: nowhere.dae",
    "torn.stl is not drawn: it is too short for an STL",
  ]);
  expect(requested.toSorted()).toEqual([0, 1]);
  store.close();
});

test("meshes are looked for again when another description is given", async () => {
  const { store, layer, settled } = open();
  const drawn = drawFigures([mesh("a.stl", [cube(9)])], layer);
  expect([measure(drawn), layer.report().problems]).toEqual([[9, 9, 9], ["1 mesh missing: a.stl"]]);
  store.setRobot(robot);
  await settled;
  expect([measure(drawn), layer.report().problems]).toEqual([[1, 1, 0], []]);
  const colours: string[] = [];
  drawn.traverse((each) => {
    const { material } = each as Partial<Mesh>;
    if (material && "color" in material)
      colours.push(String((material.color as { getHexString: () => string }).getHexString()));
  });
  expect(colours).toEqual(["ff0000"]);
  store.close();
});
