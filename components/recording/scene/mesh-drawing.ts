import { Color, DoubleSide, Group, Mesh, MeshLambertMaterial, type Object3D } from "three";
import { fromAngles, multiply, type Quaternion as Turn } from "@/engine/messages/pose";
import type { DrawnPart, MeshShape, MeshState, MeshStore } from "./mesh-store";

/** What meshes of a layer are not drawn as. */
export interface MeshReport {
  loading: number;
  problems: string[];
}

/** Names that one line says. */
const maxNames = 5;

/** From a glTF's axes, y up and z ahead, to those of robots: z up and x ahead. */
const upright: Turn = multiply(fromAngles(0, 0, Math.PI / 2), fromAngles(Math.PI / 2, 0, 0));

/** What is drawn instead of a mesh, when it is known to be needed. */
interface StandIn {
  draw: () => Object3D;
  dispose: (drawn: Object3D) => void;
}

/** A mesh at its place; what stands for it where it is missing or cannot be read. */
export class MeshDrawing extends Group {
  private drawn: MeshState | null = null;
  private readonly meshes = new Group();
  private instead: Object3D | null = null;

  constructor(
    readonly shape: MeshShape,
    private readonly standIn: StandIn,
    private readonly onRelease: (drawing: MeshDrawing) => void,
  ) {
    super();
    const { pose, scale } = shape;
    this.meshes.position.set(...pose.position);
    this.meshes.quaternion.set(...pose.orientation);
    this.meshes.scale.set(...scale);
    this.add(this.meshes);
  }

  get state(): MeshState["kind"] {
    return this.drawn?.kind ?? "loading";
  }

  get reason(): string {
    return this.drawn?.kind === "failed" ? this.drawn.reason : "";
  }

  show(state: MeshState): void {
    if (this.drawn === state) return;
    this.drawn = state;
    this.clearMeshes();
    this.showInstead(state.kind === "missing" || state.kind === "failed");
    if (state.kind !== "ready") return;
    for (const part of state.parts) {
      const mesh = this.draw(part);
      if (this.shape.turnsGltf && state.isGltf) mesh.quaternion.set(...upright);
      this.meshes.add(mesh);
    }
  }

  /** Gives back what it holds itself; what meshes share stays. */
  release(): void {
    this.clearMeshes();
    this.onRelease(this);
  }

  private draw({ geometry, colour: own, hasColours, texture }: DrawnPart): Mesh {
    const { shape } = this;
    const isOwn = !shape.isPainted && (own !== null || hasColours);
    const [red, green, blue, opacity] = isOwn ? (own ?? [1, 1, 1, 1]) : shape.colour;
    const material = new MeshLambertMaterial({
      color: new Color().setRGB(red, green, blue, "srgb"),
      vertexColors: isOwn && hasColours,
      map: isOwn ? texture : null,
      // Triangles of many files are turned the wrong way round.
      side: DoubleSide,
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity === 1,
    });
    return new Mesh(geometry, material);
  }

  private showInstead(isNeeded: boolean): void {
    if (isNeeded && this.instead === null) this.add((this.instead = this.standIn.draw()));
    if (isNeeded || this.instead === null) return;
    this.remove(this.instead);
    this.standIn.dispose(this.instead);
    this.instead = null;
  }

  private clearMeshes(): void {
    for (const mesh of [...this.meshes.children]) {
      if (mesh instanceof Mesh && mesh.material instanceof MeshLambertMaterial) mesh.material.dispose();
      this.meshes.remove(mesh);
    }
  }
}

/** The meshes of a layer. */
export class LayerMeshes {
  private readonly live = new Set<MeshDrawing>();

  constructor(private readonly store: MeshStore) {}

  draw(shape: MeshShape, standIn: StandIn): MeshDrawing {
    const drawing = new MeshDrawing(shape, standIn, (released) => this.live.delete(released));
    this.live.add(drawing);
    drawing.show(this.store.find(shape));
    return drawing;
  }

  /** Draws what was read meanwhile. */
  update(): void {
    for (const drawing of this.live) drawing.show(this.store.find(drawing.shape));
  }

  report(): MeshReport {
    const [reading, missing] = [new Set<string>(), new Set<string>()];
    const failed = new Map<string, string>();
    for (const drawing of this.live) {
      const { address, content } = drawing.shape;
      const name = address.split("/").at(-1)?.slice(0, 80) || (content ? "a mesh of the message" : "without a name");
      if (drawing.state === "loading") reading.add(address + (content?.key ?? ""));
      else if (drawing.state === "missing") missing.add(name);
      else if (drawing.state === "failed") failed.set(name, drawing.reason);
    }
    const names = [...missing];
    const noun = names.length === 1 ? "mesh" : "meshes";
    const list = `${names.slice(0, maxNames).join(", ")}${names.length > maxNames ? ", …" : ""}`;
    return {
      loading: reading.size,
      problems: [
        ...(names.length > 0 ? [`${names.length} ${noun} missing: ${list}`] : []),
        ...[...failed].map(([name, reason]) => `${name} is not drawn: ${reason}`),
      ],
    };
  }
}
