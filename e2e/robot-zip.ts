import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { zipBytes } from "@/server/testing/zip-bytes";

type Corner = readonly [x: number, y: number, z: number];

/** The twelve triangles of a cube of a metre around the origin. */
const cube: readonly (readonly [Corner, Corner, Corner])[] = ([0, 1, 2] as const).flatMap((axis) =>
  ([-0.5, 0.5] as const).flatMap((side) => {
    const at = (u: number, v: number): Corner => {
      const corner = [0, 0, 0];
      [corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3]] = [side, u, v];
      return [corner[0]!, corner[1]!, corner[2]!];
    };
    const [a, b, c, d] = [at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)];
    return [[a, b, c] as const, [a, c, d] as const];
  }),
);

function cubeStl(): Buffer {
  const bytes = Buffer.alloc(84 + cube.length * 50);
  bytes.writeUInt32LE(cube.length, 80);
  for (const [at, triangle] of cube.entries()) {
    for (const [part, number] of [0, 0, 0, ...triangle.flat()].entries())
      bytes.writeFloatLE(number, 84 + at * 50 + part * 4);
  }
  return bytes;
}

const cubeObj = `mtllib paint.mtl\nusemtl green\n${cube
  .flat()
  .map((corner) => `v ${corner.join(" ")}`)
  .join("\n")}\n${cube.map((_, at) => `f ${at * 3 + 1} ${at * 3 + 2} ${at * 3 + 3}`).join("\n")}\n`;

const cubeDae = `<?xml version="1.0"?>
<COLLADA version="1.4.1"><asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><lambert><diffuse><color>0 0 1 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="${cube.length * 9}">${cube
  .flat(2)
  .map((part) => part * 100)
  .join(
    " ",
  )}</float_array><technique_common><accessor source="#pa" count="${cube.length * 3}" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="s" count="${cube.length}"><input semantic="VERTEX" source="#v" offset="0"/><p>${Array.from({ length: cube.length * 3 }, (_, at) => at).join(" ")}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`;

/** A glTF with everything inside: a cube, of the colour of rows of the recording. */
function cubeGltf(): string {
  const numbers = new Float32Array(cube.flat(2));
  const data = Buffer.from(numbers.buffer).toString("base64");
  return JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorFactor: [1, 0, 1, 1] } }],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: numbers.length / 3,
        type: "VEC3",
        min: [-0.5, -0.5, -0.5],
        max: [0.5, 0.5, 0.5],
      },
    ],
    bufferViews: [{ buffer: 0, byteLength: numbers.byteLength }],
    buffers: [{ byteLength: numbers.byteLength, uri: `data:application/octet-stream;base64,${data}` }],
  });
}

const urdf = (collides: string) => `<?xml version="1.0"?>
<robot name="cubes">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base_link">
    <visual><geometry><mesh filename="package://cubes/meshes/cube.stl"/></geometry><material name="red"/></visual>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <link name="left"><visual><geometry><mesh filename="../meshes/cube.obj"/></geometry></visual></link>
  <link name="right"><visual><geometry><mesh filename="cube.dae"/></geometry></visual></link>
  <link name="hand">
    <visual><geometry><mesh filename="package://cubes/meshes/hand.dae"/></geometry></visual>
    ${collides}
  </link>
  <joint name="lift" type="prismatic">
    <parent link="base_link"/><child link="left"/><origin xyz="0 2 0"/><axis xyz="0 1 0"/><limit lower="0" upper="4"/>
  </joint>
  <joint name="fix" type="fixed"><parent link="base_link"/><child link="right"/><origin xyz="0 -2 0"/></joint>
  <joint name="wrist" type="fixed"><parent link="base_link"/><child link="hand"/><origin xyz="2 0 0"/></joint>
</robot>`;

/** A robot of cubes: red from STL, green from OBJ, blue from DAE; a hand without its mesh. */
export const cubesZip = (): Uint8Array<ArrayBuffer> =>
  zipBytes([
    {
      path: "cubes/urdf/cubes.urdf",
      bytes: urdf(`<collision><geometry><sphere radius="0.1"/></geometry></collision>`),
    },
    { path: "cubes/meshes/cube.stl", bytes: cubeStl() },
    { path: "cubes/meshes/cube.obj", bytes: cubeObj },
    { path: "cubes/meshes/paint.mtl", bytes: "newmtl green\nKd 0 1 0\n" },
    { path: "cubes/meshes/cube.dae", bytes: cubeDae },
    { path: "cubes/models/crate.gltf", bytes: cubeGltf() },
    { path: "cubes/meshes/torn.stl", bytes: cubeStl().subarray(0, 300) },
  ]);

/** Nanoseconds since 1970. */
export const start = 1_770_000_000_000_000_000n;

const json = (topic: string, schemaName: string) => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
});

/** The joints of that robot, which lifts its left cube after two seconds, and models beside it. */
export function cubesRecording(): Promise<Buffer> {
  const messages: TestMessage[] = [];
  const model = (url: string, x: number, y: number, more: object = {}) => ({
    pose: { position: { x, y, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
    scale: { x: 1, y: 1, z: 1 },
    url,
    override_color: false,
    ...more,
  });
  const entity = {
    frame_id: "base_link",
    id: "things",
    frame_locked: true,
    models: [
      model("https://example.com/models/crate.gltf", -2, 0),
      model("torn.stl", -4, 0),
      model("", -4, 2, {
        media_type: "model/stl",
        data: cubeStl().toString("base64"),
        override_color: true,
        color: { r: 1, g: 1, b: 0, a: 1 },
      }),
    ],
  };
  for (let n = 0; n <= 40; n++) {
    const time = start + BigInt(n) * 100_000_000n;
    const timestamp = { sec: Number(time / 1_000_000_000n), nsec: Number(time % 1_000_000_000n) };
    const position = n < 20 ? 0 : 3;
    const joints = { timestamp, joints: [{ name: "lift", position }] };
    messages.push({ topic: "/joints", time, data: Buffer.from(JSON.stringify(joints)) });
    const update = { deletions: [], entities: [{ timestamp, ...entity }] };
    messages.push({ topic: "/things", time, data: Buffer.from(JSON.stringify(update)) });
  }
  return writeMcap([json("/joints", "foxglove.JointStates"), json("/things", "foxglove.SceneUpdate")], messages, {
    compression: "zstd",
  });
}

/** A recording of the joints of that robot, and of nothing else. */
export function jointsRecording(): Promise<Buffer> {
  const messages = Array.from({ length: 20 }, (_, n): TestMessage => {
    const time = start + BigInt(n) * 100_000_000n;
    const timestamp = { sec: Number(time / 1_000_000_000n), nsec: Number(time % 1_000_000_000n) };
    const data = Buffer.from(JSON.stringify({ timestamp, joints: [{ name: "lift", position: n / 10 }] }));
    return { topic: "/joints", time, data };
  });
  return writeMcap([json("/joints", "foxglove.JointStates")], messages, { compression: "zstd" });
}
