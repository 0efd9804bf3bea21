import { Group, Sprite } from "three";
import { identity } from "@/engine/messages/pose";
import { disposeDrawing, drawFigures, toMatrix } from "./figure-drawing";
import type { SceneWorld } from "./scene-world";
import { createLabel } from "./text-label";

/** Frames that are drawn; more would hide everything else. */
const maxFrames = 200;

/** The axes and names of all frames that are connected with the fixed one. */
export class FrameAxes {
  readonly group = new Group();
  private readonly frames = new Map<string, Group>();

  /** `size`: metres of an axis; `labelHeight`: of a name, as its sprite counts it; `style`: the colour of names. */
  update(world: SceneWorld, size: number, labelHeight: number, style: string): void {
    const fixed = world.fixedFrame;
    const names = world.tree.list().slice(0, maxFrames);
    const known = new Set(names.map(({ name }) => name));
    for (const [name, group] of this.frames) if (!known.has(name)) this.drop(name, group);
    for (const { name } of names) {
      const located = fixed === null ? null : world.tree.locate(name, fixed, world.moment ?? 0n);
      const group = this.getFrame(name, style);
      group.visible = located !== null && "pose" in located;
      if (located === null || !("pose" in located)) continue;
      group.matrixAutoUpdate = false;
      group.matrix.copy(toMatrix(located.pose));
      for (const child of group.children) {
        if (child instanceof Sprite) child.scale.set((child.scale.x / child.scale.y) * labelHeight, labelHeight, 1);
        else child.scale.setScalar(size);
      }
    }
  }

  clear(): void {
    for (const [name, group] of this.frames) this.drop(name, group);
  }

  private getFrame(name: string, style: string): Group {
    const known = this.frames.get(name);
    if (known) return known;
    const group = drawFigures([{ kind: "axes", pose: identity, length: 1, colour: [0, 0, 0, 1] }]);
    group.add(createLabel(name, 1, style, true));
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
