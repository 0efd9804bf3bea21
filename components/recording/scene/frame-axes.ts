import { Group, Sprite } from "three";
import { identity, type Vector } from "@/engine/messages/pose";
import { disposeDrawing, drawFigures, toMatrix } from "./figure-drawing";
import type { SceneWorld } from "./scene-world";
import { createLabel } from "./text-label";

/** Frames that are drawn; more would hide everything else. */
const maxFrames = 200;

/** The colours of the names, and of the ground they stand on. */
export interface LabelColours {
  text: string;
  ground: string;
}

const measureDistance = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): number => Math.hypot(ax - bx, ay - by, az - bz);

/** The axes and names of all frames that are connected with the fixed one. */
export class FrameAxes {
  readonly group = new Group();
  private readonly frames = new Map<string, Group>();

  /** `size`: metres of an axis; `labelHeight`: of a name, as its sprite counts it. */
  update(world: SceneWorld, size: number, labelHeight: number, colours: LabelColours): void {
    const fixed = world.fixedFrame;
    const taken: Vector[] = [];
    const names = world.tree.list().slice(0, maxFrames);
    const known = new Set(names.map(({ name }) => name));
    for (const [name, group] of this.frames) if (!known.has(name)) this.drop(name, group);
    for (const { name } of names) {
      const located = fixed === null ? null : world.tree.locate(name, fixed, world.moment ?? 0n);
      const group = this.getFrame(name, colours);
      group.visible = located !== null && "pose" in located;
      if (located === null || !("pose" in located)) continue;
      group.matrixAutoUpdate = false;
      group.matrix.copy(toMatrix(located.pose));
      const { position } = located.pose;
      const below = taken.filter((place) => measureDistance(place, position) < size / 2).length;
      taken.push(position);
      for (const child of group.children) {
        // The names of frames that are at one place stand above each other.
        if (child instanceof Sprite) child.center.set(0, -below);
        if (child instanceof Sprite) child.scale.set((child.scale.x / child.scale.y) * labelHeight, labelHeight, 1);
        else child.scale.setScalar(size);
      }
    }
  }

  clear(): void {
    for (const [name, group] of this.frames) this.drop(name, group);
  }

  private getFrame(name: string, { text, ground }: LabelColours): Group {
    const known = this.frames.get(name);
    if (known) return known;
    const group = drawFigures([{ kind: "axes", pose: identity, length: 1, colour: [0, 0, 0, 1] }]);
    group.add(createLabel(name, 1, text, ground));
    this.frames.set(name, group);
    this.group.add(group);
    return group;
  }

  private drop(name: string, group: Group): void {
    this.frames.delete(name);
    this.group.remove(group);
    disposeDrawing(group);
  }
}
