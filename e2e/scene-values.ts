/** The common parts of messages in the form of a format: a header, or a timestamp and a frame. */
export interface Heading {
  header: object;
  timestamp: object;
  frame_id: string;
}

export const vector = (x = 0, y = 0, z = 0) => ({ x, y, z });
export const unturned = { x: 0, y: 0, z: 0, w: 1 };
export const pose = (x = 0, y = 0) => ({ position: vector(x, y), orientation: unturned });
export const zeros = (length: number): number[] => Array<number>(length).fill(0);
export const covariance = (variance: number): number[] =>
  Array.from({ length: 36 }, (_, at) => (at % 7 === 0 ? variance : 0));

/** Two points, each x, y, z, its colour as ROS packs it, and an intensity; the second one is nowhere. */
export function packPoints(): Buffer {
  const data = Buffer.alloc(40);
  data.writeUInt32LE(0xff_00_00, 12);
  data.writeFloatLE(7.5, 16);
  for (const at of [20, 24, 28]) data.writeFloatLE(Number.NaN, at);
  return data;
}
const pointFields = ["x", "y", "z", "rgb", "intensity"].map((name, at) => ({ name, offset: at * 4 }));
const rosFields = pointFields.map((field) => ({ ...field, datatype: 7, count: 1 }));
export const foxgloveFields = pointFields.map((field) => ({ ...field, type: 7 }));
export const colourFields = ["red", "green", "blue", "alpha"].map((name, offset) => ({ name, offset, type: 1 }));
export const cloudSays = ["x 0", "y 0", "z 0", "intensity 7.5", "red 255", "green 0", "blue 0"];

export const cloudValue = ({ header }: Heading): object => ({
  header,
  height: 1,
  width: 2,
  fields: rosFields,
  is_bigendian: false,
  point_step: 20,
  row_step: 40,
  data: packPoints(),
  is_dense: false,
});
export const scanValue = ({ header }: Heading): object => ({
  header,
  angle_min: 0,
  angle_max: Math.PI,
  angle_increment: Math.PI / 2,
  time_increment: 0,
  scan_time: 0,
  range_min: 0.1,
  range_max: 10,
  ranges: [0.75, 100, 0.5],
  intensities: [5, 6, 7],
});
export const gridValue = ({ header }: Heading): object => ({
  header,
  info: { map_load_time: { sec: 0, nsec: 0, nanosec: 0 }, resolution: 1, width: 2, height: 2, origin: pose(-1, -1) },
  data: Int8Array.of(100, 0, 0, 0),
});
export const odometryValue = ({ header }: Heading): object => ({
  header,
  child_frame_id: "elsewhere",
  pose: { pose: pose(), covariance: zeros(36) },
  twist: { twist: { linear: vector(1), angular: vector() }, covariance: zeros(36) },
});
const marker = (id: number, type: number, x: number, y: number, color: object, more: object = {}) => ({
  ns: "things",
  id,
  type,
  action: 0,
  pose: pose(x, y),
  scale: vector(0.5, 0.5, 0.5),
  color,
  lifetime: { sec: 0, nsec: 0, nanosec: 0 },
  frame_locked: false,
  points: [],
  colors: [],
  text: "",
  mesh_resource: "",
  mesh_use_embedded_materials: false,
  texture_resource: "",
  texture: { header: { stamp: { sec: 0, nanosec: 0 }, frame_id: "" }, format: "", data: [] },
  uv_coordinates: [],
  mesh_file: { filename: "", data: [] },
  ...more,
});
export const blue = { r: 0, g: 0, b: 1, a: 1 };
export const triangle = [vector(-0.5, -0.5), vector(0.5, -0.5), vector(0, 0.5)];
export const markersValue = ({ header }: Heading): object => ({
  markers: [
    { header, ...marker(1, 1, 0, 0, blue) },
    { header, ...marker(2, 2, 1, 0, blue) },
    { header, ...marker(3, 3, 0, 1, blue) },
    { header, ...marker(4, 11, 1, 1, { r: 1, g: 1, b: 0, a: 1 }, { points: triangle, scale: vector(1, 1, 1) }) },
    { header, ...marker(5, 12, 0, 0, blue) },
  ],
});
