import { describe, expect, test } from "vitest";
import type { Shape } from "@/engine/messages/scene-object";
import { readMarkers } from "@/engine/messages/scenes/marker";
import { readSceneUpdate } from "@/engine/messages/scenes/scene-update";

type MeshShape = Extract<Shape, { kind: "mesh" }>;
const pose = { position: { x: 1, y: 2, z: 3 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };
const vector = (x: number, y: number, z: number) => ({ x, y, z });
const clear = { r: 0, g: 0, b: 0, a: 0 };
const red = { r: 1, g: 0, b: 0, a: 0.5 };

function only({ changes }: ReturnType<typeof readMarkers>): MeshShape {
  const [change] = changes;
  const shapes = change?.action === "set" ? change.figures.shapes : [];
  expect(shapes.map(({ kind }) => kind)).toEqual(["mesh"]);
  return shapes[0] as MeshShape;
}

describe("the mesh of a marker", () => {
  const marker = { ns: "", id: 1, type: 10, action: 0, pose, color: red, mesh_resource: "package://yard/tree.dae" };
  const readMarker = (more: object) => only(readMarkers({ ...marker, scale: vector(2, 2, 2), ...more }));

  test("is a file by its address, painted in the marker's colour; a box and its name stand for it", () => {
    expect(readMarker({})).toMatchObject({
      address: "package://yard/tree.dae",
      content: null,
      scale: [2, 2, 2],
      colour: [1, 0, 0, 0.5],
      isPainted: true,
      turnsGltf: false,
      instead: [{ kind: "cube" }, { kind: "text", text: "tree.dae" }],
    });
  });

  test("has its own colours where the marker says so, also without a colour; without a scale its size", () => {
    const own = readMarker({ mesh_use_embedded_materials: true, color: clear, scale: vector(0, 0, 0) });
    expect([own.isPainted, own.colour[3], own.scale]).toEqual([false, 1, [1, 1, 1]]);
  });

  test("that the marker carries is its bytes, apart from those of the message", () => {
    const message = new Uint8Array([9, 9, 1, 2, 3]);
    const data = message.subarray(2);
    const { content } = readMarker({ mesh_resource: "embedded://tree.stl", mesh_file: { filename: "tree.stl", data } });
    expect(content).toMatchObject({ format: "stl", bytes: new Uint8Array([1, 2, 3]) });
    expect(content!.bytes!.buffer.byteLength).toBe(3);
    const empty = readMarker({ mesh_file: { filename: "", data: new Uint8Array() } });
    expect(empty.content).toBeNull();
  });
});

describe("the model of a scene update", () => {
  const readModel = (model: object) =>
    only(
      readSceneUpdate({ entities: [{ id: "a", models: [{ pose, scale: vector(1, 2, 3), color: red, ...model }] }] }),
    );

  test("is a file by its address with its own colours, a glTF's y axis up", () => {
    expect(readModel({ url: "https://example.com/crate.glb", override_color: false })).toMatchObject({
      address: "https://example.com/crate.glb",
      content: null,
      isPainted: false,
      turnsGltf: true,
      instead: [{ kind: "cube", size: [1, 2, 3] }],
    });
  });

  test.each([
    ["model/gltf-binary", "", "glb"],
    ["model/stl; charset=binary", "", "stl"],
    ["", "crate.obj", "obj"],
    ["application/octet-stream", "", null],
  ])("that is carried with the media type %s and the name %s is of the format %s", (media_type, url, format) => {
    const data = Buffer.from("bytes").toString("base64");
    const { content, isPainted, colour } = readModel({ media_type, url, data, override_color: true });
    expect([content!.format, isPainted, colour]).toEqual([format, true, [1, 0, 0, 0.5]]);
    expect(content!.key).toBe(readModel({ data }).content!.key);
    expect(content!.key).not.toBe(readModel({ data: Buffer.from("other").toString("base64") }).content!.key);
  });
});
