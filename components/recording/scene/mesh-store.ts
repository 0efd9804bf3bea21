import { wrap, type Remote } from "comlink";
import { BufferAttribute, BufferGeometry, SRGBColorSpace, Texture, type Wrapping } from "three";
import type { MeshPart, MeshRequest, RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { Colour, Shape } from "@/engine/messages/scene-object";
import { findRobotFile, getMeshFormat } from "@/engine/robots/robot-files";
import type { MeshThread } from "./mesh.worker";

export type MeshShape = Extract<Shape, { kind: "mesh" }>;

/** Triangles that drawings share, with what the file says of their look. */
export interface DrawnPart {
  geometry: BufferGeometry;
  colour: Colour | null;
  hasColours: boolean;
  texture: Texture | null;
}

export type MeshState =
  | { kind: "loading" }
  | { kind: "missing" }
  | { kind: "failed"; reason: string }
  | { kind: "ready"; parts: readonly DrawnPart[]; isGltf: boolean };

/** Milliseconds after which reading a mesh is given up. */
const maxReadMs = 30_000;
/** Meshes of a scene; each holds memory of the graphics card. */
const maxMeshes = 500;

const loading: MeshState = { kind: "loading" };
const missing: MeshState = { kind: "missing" };

/** The meshes of a scene, each read once, one after another, by a thread that starts with the first. */
export class MeshStore {
  private readonly states = new Map<string, MeshState>();
  private readonly queue: { key: string; request: MeshRequest }[] = [];
  private robot: RobotFiles | null = null;
  private worker: Worker | null = null;
  private thread: Remote<MeshThread> | null = null;
  private isReading = false;

  /** `address`: of the thread's script; `onChange`: the state of a mesh is another one. */
  constructor(
    private readonly address: string,
    private readonly onChange: () => void,
  ) {}

  /** Whether all meshes that are drawn were read. */
  get isIdle(): boolean {
    return !this.isReading && this.queue.length === 0;
  }

  /** Looks for files in another description from now on. */
  setRobot(robot: RobotFiles | null): void {
    if (robot?.uid === this.robot?.uid) return;
    this.robot = robot;
    this.onChange();
  }

  find({ address, content }: MeshShape): MeshState {
    if (content !== null) {
      const key = `content ${content.key}`;
      const known = this.states.get(key);
      if (known) return known;
      if (content.bytes === null) return missing;
      const bytes = new Uint8Array(content.bytes);
      return this.read(key, { robot: this.robot, position: null, bytes, format: content.format });
    }
    const { robot } = this;
    const position = robot && address !== "" ? findRobotFile(robot.paths, address) : null;
    if (robot === null || position === null) return missing;
    const format = getMeshFormat(robot.paths[position] ?? "");
    if (format === null) return { kind: "failed", reason: "it is of a kind that is not drawn" };
    const key = `${robot.uid} ${position}`;
    return this.states.get(key) ?? this.read(key, { robot, position, bytes: null, format });
  }

  close(): void {
    this.queue.length = 0;
    this.stop();
    for (const state of this.states.values()) {
      if (state.kind !== "ready") continue;
      for (const { geometry, texture } of state.parts) {
        geometry.dispose();
        texture?.dispose();
      }
    }
    this.states.clear();
  }

  private read(key: string, request: MeshRequest): MeshState {
    if (this.states.size >= maxMeshes) return { kind: "failed", reason: `at most ${maxMeshes} are drawn` };
    this.states.set(key, loading);
    this.queue.push({ key, request });
    void this.run();
    return loading;
  }

  private async run(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      const state = await this.readNext(next.request);
      this.states.set(next.key, state);
      if (this.queue.length > 0) this.onChange();
    }
    this.isReading = false;
    this.onChange();
  }

  private async readNext(request: MeshRequest): Promise<MeshState> {
    this.worker ??= new Worker(this.address, { name: "meshes", type: "module" });
    this.thread ??= wrap<MeshThread>(this.worker);
    const { worker, thread } = this;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const ended = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("reading it takes too long")), maxReadMs);
        worker.onerror = () => reject(new Error("it could not be read"));
      });
      const { parts, format } = await Promise.race([thread.read(request), ended]);
      return { kind: "ready", parts: parts.map(toDrawn), isGltf: format === "gltf" || format === "glb" };
    } catch (error) {
      // One that hangs or has run out of memory takes nothing more.
      if (this.worker === worker) this.stop();
      return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  private stop(): void {
    this.worker?.terminate();
    this.worker = this.thread = null;
  }
}

function toDrawn({ positions, normals, uvs, colours, indices, colour, texture }: MeshPart): DrawnPart {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  if (uvs) geometry.setAttribute("uv", new BufferAttribute(uvs, 2));
  if (colours) geometry.setAttribute("color", new BufferAttribute(colours, 4));
  if (indices) geometry.setIndex(new BufferAttribute(indices, 1));
  return { geometry, colour, hasColours: colours !== null, texture: texture && toTexture(texture) };
}

function toTexture({ image, wrapS, wrapT }: NonNullable<MeshPart["texture"]>): Texture {
  const texture = new Texture(image);
  // The picture was turned when it was read.
  texture.flipY = false;
  texture.wrapS = wrapS as Wrapping;
  texture.wrapT = wrapT as Wrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  return texture;
}
