import { describe, expect, test } from "vitest";
import type { MeshPart } from "@/components/recording/thread/mesh-parts";
import type { MeshFormat } from "@/engine/robots/robot-files";
import { guessFormat, readMesh } from "./mesh-reading";

type Corner = readonly [x: number, y: number, z: number];
/** Two triangles of a metre, the second a metre above the first. */
const triangles: readonly (readonly [Corner, Corner, Corner])[] = [
  [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ],
  [
    [0, 0, 1],
    [1, 0, 1],
    [0, 1, 1],
  ],
];

const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const nothing = () => Promise.resolve(null);
function read(given: Uint8Array<ArrayBuffer> | string, format: MeshFormat | null, files: Record<string, string> = {}) {
  const bytes = typeof given === "string" ? encode(given) : given;
  const find = (name: string) => Promise.resolve(name in files ? encode(files[name]!) : null);
  return readMesh(bytes, format ?? guessFormat(bytes), find);
}

/** The corners of parts, one after another, as a reader of their numbers sees them. */
const corners = (parts: readonly MeshPart[]) =>
  parts.flatMap(({ positions, indices }) =>
    Array.from(indices ?? positions.slice(0, positions.length / 3).keys(), (at) =>
      [...positions.subarray(at * 3, at * 3 + 3)].map((part) => Math.round(part * 1e5) / 1e5 + 0),
    ),
  );
const expected = triangles.flat();
const scaled = (factor: number) => expected.map((corner) => corner.map((part) => part * factor));

function binaryStl({ declared = 2, first = 0 } = {}): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(84 + 100);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, declared, true);
  for (const [at, triangle] of triangles.entries()) {
    const numbers = [0, 0, 1, ...triangle.flat()];
    if (at === 0) numbers[3] = first;
    for (const [part, number] of numbers.entries()) view.setFloat32(84 + at * 50 + part * 4, number, true);
  }
  return bytes;
}

const asciiStl = `solid two
${triangles.map((triangle) => `facet normal 0 0 1\n outer loop\n${triangle.map((corner) => `  vertex ${corner.join(" ")}`).join("\n")}\n endloop\nendfacet`).join("\n")}
endsolid two
`;

const obj = `mtllib two.mtl
${triangles
  .flat()
  .map((corner) => `v ${corner.join(" ")}`)
  .join("\n")}
usemtl red
f 1 2 3
usemtl glass
f 4 5 6
`;
const mtl = "newmtl red\nKd 1 0 0\nnewmtl glass\nKd 0 0.5 1\nd 0.25\nmap_Kd -s 1 1 1 missing.png\n";

const dae = (more = "", up = "Z_UP") => `<?xml version="1.0"?>
<COLLADA version="1.4.1"><asset><unit name="millimeter" meter="0.001"/><up_axis>${up}</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><phong><diffuse><color>0 0.5 1 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="18">${triangles.flat(2).join(" ")}</float_array><technique_common><accessor source="#pa" count="6" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="s" count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3 4 5</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 100</translate><instance_geometry url="#g">
<bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material>
</instance_geometry></node>${more}</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>`;

const gltf = (uri: string | undefined, length: number, count = 6) =>
  JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, translation: [0, 0, 10], scale: [2, 2, 2] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorFactor: [1, 1, 1, 0.5] }, alphaMode: "BLEND" }],
    accessors: [{ bufferView: 0, componentType: 5126, count, type: "VEC3", min: [0, 0, 0], max: [1, 1, 1] }],
    bufferViews: [{ buffer: 0, byteLength: length }],
    buffers: [{ byteLength: length, ...(uri !== undefined && { uri }) }],
  });
const buffer = new Uint8Array(new Float32Array(triangles.flat(2)).buffer);

function glb(json: string): Uint8Array<ArrayBuffer> {
  const text = encode(json.padEnd(Math.ceil(json.length / 4) * 4));
  const bytes = new Uint8Array(12 + 8 + text.length + 8 + buffer.length);
  const view = new DataView(bytes.buffer);
  const words = [0x46546c67, 2, bytes.length, text.length, 0x4e4f534a];
  for (const [at, word] of words.entries()) view.setUint32(at * 4, word, true);
  bytes.set(text, 20);
  view.setUint32(20 + text.length, buffer.length, true);
  view.setUint32(24 + text.length, 0x004e4942, true);
  bytes.set(buffer, 28 + text.length);
  return bytes;
}

describe("a mesh is read as it was written:", () => {
  test.each([
    ["binary", binaryStl()],
    ["ASCII", encode(asciiStl)],
  ])("an STL, %s, which says no colour", async (_kind, bytes) => {
    const parts = await read(bytes, "stl");
    expect(corners(parts)).toEqual(expected);
    expect(parts.map(({ colour, normals }) => [colour, [...normals.subarray(0, 3)]])).toEqual([[null, [0, 0, 1]]]);
    expect(corners(await read(bytes, null))).toEqual(expected);
  });

  test("an OBJ with its materials, and without", async () => {
    const parts = await read(obj, "obj", { "two.mtl": mtl });
    expect(corners(parts)).toEqual(expected);
    expect(parts.map(({ colour }) => colour?.map((part) => Math.round(part * 100) / 100))).toEqual([
      [1, 0, 0, 1],
      [0, 0.5, 1, 0.25],
    ]);
    const plain = await read(obj, null);
    expect(corners(plain)).toEqual(expected);
    expect(plain.map(({ colour }) => colour)).toEqual([null, null]);
  });

  test.each(["Z_UP", "Y_UP"])(
    "a DAE in metres, with its transforms and colours, its axes as they are (%s)",
    async (up) => {
      const parts = await read(dae("", up), "dae");
      expect(corners(parts)).toEqual(scaled(0.001).map(([x, y, z]) => [x, y, Math.round((z! + 0.1) * 1e5) / 1e5]));
      expect(parts.map(({ colour }) => colour?.map((part) => Math.round(part * 100) / 100))).toEqual([[0, 0.5, 1, 1]]);
    },
  );

  test("a DAE that names no material, which says no colour", async () => {
    const parts = await read(dae().replace(/<bind_material>[^]*<\/bind_material>/, ""), "dae");
    expect(parts.map(({ colour }) => colour)).toEqual([null]);
  });

  test.each<[string, Uint8Array<ArrayBuffer> | string, Record<string, string>]>([
    ["a GLB", glb(gltf(undefined, buffer.length)), {}],
    [
      "a glTF with its buffer inside",
      gltf(`data:application/octet-stream;base64,${Buffer.from(buffer).toString("base64")}`, buffer.length),
      {},
    ],
  ])("%s, with its transforms and opacity", async (_kind, bytes, files) => {
    const parts = await read(bytes, null, files);
    expect(corners(parts)).toEqual(scaled(2).map(([x, y, z]) => [x, y, z! + 10]));
    expect(parts[0]!.colour![3]).toBe(0.5);
  });

  test("a glTF with its buffer beside", async () => {
    const text = encode(gltf("two.bin", buffer.length));
    const parts = await readMesh(text, "gltf", (name) => Promise.resolve(name === "two.bin" ? buffer : null));
    expect(corners(parts)).toHaveLength(6);
  });
});

describe("what is no mesh is refused with the reason:", () => {
  test.each<[string, Uint8Array<ArrayBuffer> | string, MeshFormat, string]>([
    ["an empty STL", "", "stl", "it is too short for an STL"],
    ["an STL that ends early", binaryStl().slice(0, 150), "stl", "it says 2 triangles, but holds 1"],
    [
      "an STL of more triangles than can be",
      binaryStl({ declared: 4_000_000_000 }),
      "stl",
      "at most 5,000,000 are drawn",
    ],
    ["an STL of text without triangles", "solid nothing\nendsolid", "stl", "it holds no triangles"],
    [
      "corners that are no numbers",
      binaryStl({ first: Number.NaN }),
      "stl",
      "coordinates of its corners are no numbers",
    ],
    ["an OBJ of corners that it does not have", "v 0 0 0\nf 1 2 3\n", "obj", "no numbers"],
    ["an OBJ without triangles", "v 0 0 0\n", "obj", "it holds no triangles"],
    ["a DAE that is none", "<robot/>", "dae", "it is no COLLADA"],
    ["a DAE that ends early", dae().slice(0, 700), "dae", "it cannot be read as dae"],
    [
      "a DAE with entities",
      dae().replace("<COLLADA", `<!DOCTYPE a [<!ENTITY b "c">]><COLLADA`),
      "dae",
      "not well-formed",
    ],
    ["a GLB that ends early", glb(gltf(undefined, buffer.length)).slice(0, 300), "glb", "it cannot be read as glb"],
    [
      "a glTF of more corners than its buffer",
      gltf("data:;base64,AAAA", 3, 1_000_000_000),
      "gltf",
      "it cannot be read as gltf",
    ],
    [
      "a glTF whose buffer is elsewhere",
      gltf("https://example.com/two.bin", 72),
      "gltf",
      "its file https://example.com/two.bin is missing",
    ],
  ])("%s", async (_what, bytes, format, reason) => {
    await expect(read(bytes, format)).rejects.toThrow(reason);
    await expect(readMesh(encode(""), format, nothing)).rejects.toThrow();
  });
});
