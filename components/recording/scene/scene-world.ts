import { Group } from "three";
import type { SceneFeed } from "@/components/recording/thread/scene-feed";
import { identity, type Pose } from "@/engine/messages/pose";
import { TransformTree } from "@/engine/messages/poses/transform-tree";
import type { SceneObject } from "@/engine/messages/scene-object";
import type { SeenBox } from "./isolation";
import type { MeshStore } from "./mesh-store";
import { SceneLayer, type LayerPlace } from "./scene-layer";
import { defaultLayer, type SceneSettings } from "./scene-settings";

/** Nanoseconds of transforms before the moment that are retained. */
const retained = 12_000_000_000n;

/** All objects of a scene and the frames they are seen from. */
export class SceneWorld {
  readonly root = new Group();
  readonly tree = new TransformTree();
  readonly layers = new Map<string, SceneLayer>();
  moment: bigint | null = null;
  /** Points outside one of them are hidden. */
  boxes: readonly SeenBox[] = [];
  private settings: SceneSettings | null = null;
  private pixelRatio = 1;
  private transformNotes: string[] = [];
  private jointNotes: string[] = [];

  constructor(private readonly meshes: MeshStore) {}

  /** Draws meshes that were read meanwhile. */
  updateMeshes(): void {
    for (const layer of this.layers.values()) layer.updateMeshes();
  }

  /** Takes what the recording's thread sent. */
  take(feed: SceneFeed): void {
    switch (feed.type) {
      case "message":
        this.getLayer(feed.topic).add(feed.time, feed.objects, feed.notes);
        this.applyTo(feed.topic);
        break;
      case "figures":
        this.getLayer(feed.topic).replace(feed.time, feed.figures, feed.notes);
        this.applyTo(feed.topic);
        break;
      case "remove":
        this.getLayer(feed.topic).remove(feed.times);
        break;
      case "failed":
        this.getLayer(feed.topic).fail(feed.time, feed.reason);
        break;
      case "none":
        this.getLayer(feed.topic).showNone(feed.first);
        break;
      case "transforms":
        this.tree.take(feed);
        if (feed.isJump || feed.notes.length > 0) this.transformNotes = feed.notes;
        break;
      case "joints":
        this.tree.setDefaults(feed.list);
        this.jointNotes = feed.notes;
        break;
      case "moment":
        this.moment = feed.at;
        this.tree.forgetBefore(feed.at - retained);
    }
  }

  configure(settings: SceneSettings, pixelRatio: number): void {
    this.settings = settings;
    this.pixelRatio = pixelRatio;
    for (const topic of this.layers.keys()) this.applyTo(topic);
  }

  /** The frame that everything is seen from: the chosen one, or the one that the transforms suggest for what is drawn. */
  get fixedFrame(): string | null {
    const chosen = this.settings?.fixedFrame ?? null;
    if (chosen !== null && this.tree.has(chosen)) return chosen;
    return this.tree.suggestRoot([...this.layers.values()].flatMap((layer) => [...layer.frames]));
  }

  /** The frame that the camera follows. */
  get followFrame(): string | null {
    const chosen = this.settings?.followFrame ?? null;
    if (chosen !== null && this.tree.has(chosen)) return chosen;
    const names = this.tree.list().map(({ name }) => name);
    for (const wanted of ["base_link", "base_footprint"]) {
      const found = names.find((name) => name === wanted || name.endsWith(`/${wanted}`));
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Where the camera's frame is, seen from the fixed one; the origin when it follows none. */
  locateCamera(): Pose {
    const [fixed, follow] = [this.fixedFrame, this.followFrame];
    const mode = this.settings?.follow ?? "pose";
    if (fixed === null || follow === null || mode === "fixed") return identity;
    const located = this.tree.locate(follow, fixed, this.moment ?? 0n);
    if (!("pose" in located)) return identity;
    return mode === "pose" ? located.pose : { position: located.pose.position, orientation: identity.orientation };
  }

  /** Puts all objects where they are seen. Returns the number of points that will be drawn. */
  place(isMoving: boolean): number {
    const fixed = this.fixedFrame;
    let points = 0;
    for (const layer of this.layers.values()) {
      layer.place((object) => this.locate(object, fixed), isMoving, this.boxes);
      points += layer.drawnPoints;
    }
    return points;
  }

  listProblems(): string[] {
    return [...this.tree.listProblems(), ...this.transformNotes, ...this.jointNotes];
  }

  private locate(object: SceneObject, fixed: string | null): LayerPlace {
    // What names no frame is drawn in the fixed one; the layer says so.
    if (object.frame === "" || fixed === null) return { pose: identity };
    const isLocked = object.kind === "figures" && object.isLocked;
    const at = isLocked ? this.moment : (object.stamp ?? this.moment);
    const located = this.tree.locate(object.frame, fixed, at ?? 0n);
    if ("pose" in located || !this.tree.areApart(object.frame, fixed)) return located;
    return { pose: identity, apart: located.reason };
  }

  private getLayer(topic: string): SceneLayer {
    let layer = this.layers.get(topic);
    if (!layer) {
      this.layers.set(topic, (layer = new SceneLayer(topic, this.meshes)));
      this.root.add(layer.group);
    }
    return layer;
  }

  private applyTo(topic: string): void {
    this.layers.get(topic)?.apply(this.settings?.layers[topic] ?? defaultLayer, this.pixelRatio);
  }
}
