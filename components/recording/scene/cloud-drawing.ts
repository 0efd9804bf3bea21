import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  LineSegments,
  Points,
  ShaderMaterial,
} from "three";
import { findField } from "@/engine/messages/clouds/cloud";
import { findSpan, readColours, readColumn } from "@/engine/messages/clouds/cloud-columns";
import { getColours } from "@/engine/messages/colour-scale";
import type { Vector } from "@/engine/messages/pose";
import type { Cloud } from "@/engine/messages/scene-object";
import { listInside, type SeenBox } from "./isolation";
import type { LayerSettings } from "./scene-settings";

/** Points that are drawn while the camera moves. */
const maxMoving = 200_000;
/** Bytes between two points beyond which WebGL takes no buffer. */
const maxStride = 252;

const vertexShader = `
attribute float px, py, pz, value;
attribute vec4 tint;
uniform float size, low, high;
uniform int mode;
uniform sampler2D ramp;
varying vec4 colour;
void main() {
  vec3 place = vec3(px, py, pz);
  float seen = mode == 2 ? length(place) : value;
  colour = mode == 1 ? tint : mode == 3 ? vec4(0.35, 0.6, 0.95, 1.0)
    : isnan(seen) ? vec4(0.5, 0.5, 0.5, 1.0)
    : texture2D(ramp, vec2(clamp((seen - low) / (high - low), 0.0, 1.0) * 0.996 + 0.002, 0.5));
  bool nowhere = isnan(px) || isnan(py) || isnan(pz) || isinf(px) || isinf(py) || isinf(pz);
  gl_Position = nowhere ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * modelViewMatrix * vec4(place, 1.0);
  gl_PointSize = size;
}`;
const fragmentShader = `
varying vec4 colour;
void main() {
  if (colour.a < 0.01) discard;
  gl_FragColor = vec4(colour.rgb, 1.0);
}`;

let ramp: DataTexture | null = null;
function getRamp(): DataTexture {
  if (ramp === null) {
    ramp = new DataTexture(new Uint8Array(getColours("turbo").slice().buffer), 256, 1);
    ramp.needsUpdate = true;
  }
  return ramp;
}

/** What a cloud is coloured by when nobody chose: its own colours, its intensity, its height. */
export function chooseColour(cloud: Cloud, { colourBy }: LayerSettings): string {
  const has = (name: string) => findField(cloud, name) !== null;
  const known = colourBy === "flat" || colourBy === "distance" || colourBy === "rgb";
  if (colourBy !== null && (known || has(colourBy))) return colourBy;
  if (has("rgb") || has("rgba") || (has("red") && has("green") && has("blue"))) return "rgb";
  return ["intensity", "reflectivity", "range", "z", "x"].find((name) => has(name)) ?? "flat";
}

/** A column as the graphics card reads it: the bytes of the message where it can, else a copy. */
function createColumn(cloud: Cloud, shared: InterleavedBuffer | null, name: string) {
  const field = findField(cloud, name);
  if (shared !== null && field?.type === "float32" && field.offset % 4 === 0)
    return new InterleavedBufferAttribute(shared, 1, field.offset / 4);
  return new BufferAttribute(readColumn(cloud, name), 1);
}

/** The message's bytes as numbers of four bytes each, without a copy; null where they are not laid out so. */
function shareBytes({ data, stride, count, isLittleEndian }: Cloud): InterleavedBuffer | null {
  if (!isLittleEndian || stride % 4 !== 0 || stride > maxStride || data.byteOffset % 4 !== 0) return null;
  return new InterleavedBuffer(new Float32Array(data.buffer, data.byteOffset, (count * stride) / 4), stride / 4);
}

/** The least and the greatest of chosen values. */
function findEnds(values: { getX: (at: number) => number }, chosen: Iterable<number>): { min: number; max: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const at of chosen) [min, max] = [Math.min(min, values.getX(at)), Math.max(max, values.getX(at))];
  return { min, max };
}

/** The material of a layer's clouds: one for all its messages, because compiling another takes longer than drawing. */
export function createCloudMaterial(): ShaderMaterial {
  const uniforms = {
    size: { value: 2 },
    low: { value: 0 },
    high: { value: 1 },
    mode: { value: 3 },
    ramp: { value: getRamp() },
  };
  return new ShaderMaterial({ uniforms, vertexShader, fragmentShader });
}

/** The points of one message. */
export class CloudDrawing {
  readonly points: Points<BufferGeometry, ShaderMaterial>;
  /** What joins the points of a scan; made when it is first wanted. */
  private line: LineSegments<BufferGeometry, ShaderMaterial> | null = null;
  private readonly shared: InterleavedBuffer | null;
  private drawnColour = "";
  private hasTint = false;
  private thinned: BufferAttribute | null = null;
  private boxes: readonly SeenBox[] = [];
  private isolated: BufferAttribute | null = null;
  /** The points that are visible, by number; null where all are. */
  kept: Uint32Array | null = null;

  constructor(
    readonly cloud: Cloud,
    material: ShaderMaterial,
  ) {
    this.shared = shareBytes(cloud);
    const geometry = new BufferGeometry();
    for (const [attribute, name] of [
      ["px", "x"],
      ["py", "y"],
      ["pz", "z"],
    ] as const)
      geometry.setAttribute(attribute, createColumn(cloud, this.shared, name));
    geometry.setDrawRange(0, cloud.count);
    this.points = new Points(geometry, material);
    this.points.frustumCulled = false;
  }

  /** Colours by the settings. `pixelRatio`: pixels of the canvas for each of the page. */
  apply(settings: LayerSettings, pixelRatio: number): void {
    const { cloud, points } = this;
    const { size, low, high, mode } = points.material.uniforms;
    const colour = chooseColour(cloud, settings);
    if (this.drawnColour !== colour) this.bind(colour);
    this.drawnColour = colour;
    this.joinPoints(settings.isLine);
    // A point between two gaps is part of no line, but was measured.
    size!.value = (this.line?.visible ? 1 : settings.pointSize) * pixelRatio;
    const isFlat = colour === "flat" || (colour === "rgb" && !this.hasTint);
    mode!.value = isFlat ? 3 : colour === "rgb" ? 1 : colour === "distance" ? 2 : 0;
    if (isFlat || colour === "rgb") return;
    const found = settings.min === null || settings.max === null ? findSpan(cloud, colour) : { min: 0, max: 1 };
    low!.value = settings.min ?? found.min;
    high!.value = Math.max(settings.max ?? found.max, Number(low!.value) + 1e-9);
  }

  /** Draws the line between the points, in their colours. */
  private joinPoints(isLine: boolean): void {
    const { points, cloud } = this;
    if (isLine && this.line === null && cloud.segments !== undefined) {
      const geometry = new BufferGeometry();
      geometry.setIndex(new BufferAttribute(cloud.segments, 1));
      this.line = new LineSegments(geometry, points.material);
      this.line.frustumCulled = false;
      points.add(this.line);
    }
    if (this.line === null) return;
    this.line.visible = isLine && this.kept === null;
    for (const [name, attribute] of Object.entries(points.geometry.attributes))
      this.line.geometry.setAttribute(name, attribute);
  }

  /** Hands the graphics card what a colour is computed from. */
  private bind(colour: string): void {
    const { geometry } = this.points;
    if (colour === "rgb") {
      const tint = readColours(this.cloud);
      this.hasTint = tint !== null;
      if (tint !== null) geometry.setAttribute("tint", new BufferAttribute(tint, 4, true));
    } else if (colour !== "flat" && colour !== "distance")
      geometry.setAttribute("value", createColumn(this.cloud, this.shared, colour));
  }

  /** Hides the points that are outside one of the boxes; the drawing has its place already. */
  isolate(boxes: readonly SeenBox[]): void {
    if (boxes === this.boxes) return;
    this.boxes = boxes;
    this.kept = boxes.length === 0 ? null : this.listInside(boxes);
    this.isolated = this.kept && new BufferAttribute(this.kept, 1);
    this.thinned = null;
  }

  /** The points that are inside all boxes. */
  listInside(boxes: readonly SeenBox[]): Uint32Array {
    const { geometry, matrix } = this.points;
    const read = (name: string) => {
      const attribute = geometry.getAttribute(name);
      return (point: number) => attribute.getX(point);
    };
    return listInside(
      { count: this.cloud.count, x: read("px"), y: read("py"), z: read("pz") },
      matrix.toArray(),
      boxes,
    );
  }

  /** Draws few of the points while the camera moves. Returns how many. */
  thin(isMoving: boolean): number {
    const { cloud, points, kept } = this;
    const count = kept?.length ?? cloud.count;
    if (!isMoving || count <= maxMoving) {
      points.geometry.setIndex(this.isolated);
      return count;
    }
    const step = Math.ceil(count / maxMoving);
    const length = Math.floor(count / step);
    this.thinned ??= new BufferAttribute(
      Uint32Array.from({ length }, (_, at) => kept?.[at * step] ?? at * step),
      1,
    );
    points.geometry.setIndex(this.thinned);
    return length;
  }

  /**
   * The corners of the box around nearly all points, as the cloud has them: single outliers do not count, except where
   * somebody chose the points.
   */
  corners(): Vector[] {
    if ((this.kept?.length ?? this.cloud.count) === 0) return [];
    const measure = (axis: "x" | "y" | "z") =>
      this.kept ? findEnds(this.points.geometry.getAttribute(`p${axis}`), this.kept) : findSpan(this.cloud, axis);
    const [x, y, z] = [measure("x"), measure("y"), measure("z")];
    const ends = ["min", "max"] as const;
    return ends.flatMap((a) => ends.flatMap((b) => ends.map((c): Vector => [x[a], y[b], z[c]])));
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.line?.geometry.dispose();
  }
}
