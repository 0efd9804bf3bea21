import { Group, InstancedMesh, type Object3D, type ShaderMaterial } from "three";
import type { Pose } from "@/engine/messages/pose";
import { compose } from "@/engine/messages/pose";
import type { Cloud, SceneObject } from "@/engine/messages/scene-object";
import { chooseColour, CloudDrawing, createCloudMaterial } from "./cloud-drawing";
import { disposeDrawing, drawFigures, toMatrix } from "./figure-drawing";
import { drawGrid } from "./grid-drawing";
import type { SeenBox } from "./isolation";
import { LayerMeshes } from "./mesh-drawing";
import type { MeshStore } from "./mesh-store";
import type { LayerReport } from "./scene-report";
import { defaultLayer, type LayerSettings } from "./scene-settings";
import { drawVoxels, thinVoxels } from "./voxel-drawing";

/** Something drawn, with the object it is drawn from. */
export interface Entry {
  object: SceneObject;
  drawing: Object3D;
  cloud: CloudDrawing | null;
  time: bigint;
}

/**
 * Where an object is seen from the scene's frame, or why that cannot be said. `apart`: why it stands as in its own frame, to
 * which no transforms lead.
 */
export type LayerPlace = { pose: Pose; apart?: string } | { reason: string };

/** What a scene shows of one topic. */
export class SceneLayer {
  readonly group = new Group();
  private readonly entries = new Map<bigint, Entry[]>();
  private settings = defaultLayer;
  private material: ShaderMaterial | null = null;
  private failure: { time: bigint | null; reason: string } | null = null;
  private first: bigint | null = null;
  private notes: string[] = [];
  private unplaced: string | null = null;
  private apart: string | null = null;
  private usedFrames: ReadonlySet<string> | null = null;
  drawnPoints = 0;

  private readonly meshes: LayerMeshes;

  constructor(
    readonly topic: string,
    store: MeshStore,
  ) {
    this.meshes = new LayerMeshes(store);
  }

  /** Draws meshes that were read meanwhile. */
  updateMeshes(): void {
    this.meshes.update();
  }

  /** Shows what a message holds, beside the others. */
  add(time: bigint, objects: readonly SceneObject[], notes: string[]): void {
    this.failure = null;
    this.notes = notes;
    this.remove([time]);
    const made = objects.map((object) => this.draw(object, time));
    this.entries.set(time, made);
    this.usedFrames = null;
    for (const { drawing } of made) this.group.add(drawing);
  }

  /** Shows this and nothing else. */
  replace(time: bigint, objects: readonly SceneObject[], notes: string[]): void {
    this.remove([...this.entries.keys()]);
    this.add(time, objects, notes);
  }

  remove(times: readonly bigint[]): void {
    this.usedFrames = null;
    for (const time of times) {
      for (const { drawing, cloud } of this.entries.get(time) ?? []) {
        this.group.remove(drawing);
        if (cloud) cloud.dispose();
        else disposeDrawing(drawing);
      }
      this.entries.delete(time);
    }
  }

  fail(time: bigint | null, reason: string): void {
    this.remove([...this.entries.keys()]);
    this.failure = { time, reason };
  }

  showNone(first: bigint | null): void {
    this.remove([...this.entries.keys()]);
    this.failure = null;
    this.first = first;
  }

  /** Colours and sizes by the settings. */
  apply(settings: LayerSettings, pixelRatio: number): void {
    this.settings = settings;
    this.group.visible = settings.isShown;
    for (const { cloud } of this.list()) cloud?.apply(settings, pixelRatio);
  }

  /** Puts everything where it is seen; of points only those inside all boxes are. */
  place(locate: (object: SceneObject) => LayerPlace, isMoving: boolean, boxes: readonly SeenBox[]): void {
    this.drawnPoints = 0;
    this.unplaced = null;
    this.apart = null;
    for (const entry of this.list()) {
      const { object, drawing, cloud } = entry;
      const located = locate(object);
      drawing.visible = "pose" in located;
      if (!("pose" in located)) {
        this.unplaced ??= located.reason;
        continue;
      }
      this.apart ??= located.apart ?? null;
      const pose = object.kind === "figures" ? located.pose : compose(located.pose, object.pose);
      drawing.matrixAutoUpdate = false;
      drawing.matrix.copy(toMatrix(pose));
      if (object.kind === "voxels" && drawing instanceof InstancedMesh) thinVoxels(drawing, object, isMoving);
      cloud?.isolate(boxes);
      if (cloud && this.settings.isShown) this.drawnPoints += cloud.thin(isMoving);
    }
  }

  /** The frames of what is drawn, without that of things that name none. */
  get frames(): ReadonlySet<string> {
    return (this.usedFrames ??= new Set(
      this.list()
        .map(({ object }) => object.frame)
        .filter((frame) => frame !== ""),
    ));
  }

  /** What is drawn, the latest last. */
  list(): Entry[] {
    return [...this.entries].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, entries]) => entries);
  }

  report(): LayerReport {
    const entries = this.list();
    const last = entries.at(-1);
    const cloud = last?.cloud?.cloud ?? null;
    const grid = last?.object.kind === "grid" ? last.object : null;
    const fields = cloud ? [...cloud.fields.map(({ name }) => name), "distance", "rgb", "flat"] : (grid?.fields ?? []);
    return {
      topic: this.topic,
      state: this.failure ? "failed" : this.entries.size > 0 ? "shown" : "none",
      time: this.failure
        ? this.failure.time
        : [...this.entries.keys()].reduce<bigint | null>((a, b) => (a === null || b > a ? b : a), null),
      first: this.first,
      points: entries.reduce((sum, each) => sum + (each.cloud?.cloud.count ?? 0), 0),
      visiblePoints: entries.reduce((sum, { cloud: of }) => sum + (of?.kept?.length ?? of?.cloud.count ?? 0), 0),
      voxels: entries.reduce((sum, { object }) => sum + (object.kind === "voxels" ? object.count : 0), 0),
      objects: entries.length,
      reason: this.failure?.reason ?? this.unplaced,
      apart: this.apart,
      notes: this.notes,
      meshes: this.meshes.report(),
      fields: [...new Set(fields)],
      colouredBy: cloud ? chooseColour(cloud, this.settings) : (grid?.colouredBy ?? null),
    };
  }

  dispose(): void {
    this.remove([...this.entries.keys()]);
    this.material?.dispose();
  }

  private draw(object: SceneObject, time: bigint): Entry {
    if (object.kind === "cloud") {
      this.material ??= createCloudMaterial();
      const cloud = new CloudDrawing(object, this.material);
      return { object, drawing: cloud.points, cloud, time };
    }
    return { object, drawing: drawObject(object, this.meshes), cloud: null, time };
  }
}

function drawObject(object: Exclude<SceneObject, Cloud>, meshes: LayerMeshes): Object3D {
  switch (object.kind) {
    case "grid":
      return drawGrid(object);
    case "voxels":
      return drawVoxels(object);
    case "figures":
      return drawFigures(object.shapes, meshes);
  }
}
