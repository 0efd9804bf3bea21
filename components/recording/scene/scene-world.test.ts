import { expect, test } from "vitest";
import { identity, type Pose } from "@/engine/messages/pose";
import type { Figures } from "@/engine/messages/scene-object";
import { MeshStore } from "./mesh-store";
import type { LayerReport, SceneReport } from "./scene-report";
import { listProblems } from "./scene-text";
import { SceneWorld } from "./scene-world";

const cube = (frame: string): Figures => ({
  ...{ kind: "figures", frame, stamp: 0n, name: "cube", isLocked: false },
  shapes: [{ kind: "cube", pose: identity, colour: [1, 0, 0, 1], size: [1, 1, 1] }],
});
const aside: Pose = { position: [2, 0, 0], orientation: identity.orientation };
const transform = (parent: string, child: string) => ({
  ...{ transform: { parent, child, pose: aside, stamp: null }, stamp: 0n, isFixed: true },
});

/** A scene of one thing in each of the frames, by topics of their names. */
function build(frames: readonly string[], links: readonly [parent: string, child: string][]): SceneWorld {
  const world = new SceneWorld(new MeshStore("", () => {}));
  for (const frame of frames)
    world.take({ type: "message", topic: `/${frame}`, time: 0n, objects: [cube(frame)], notes: [] });
  const list = links.map(([parent, child]) => transform(parent, child));
  world.take({ type: "transforms", isJump: false, list, notes: [] });
  world.take({ type: "moment", at: 0n });
  world.place(false);
  return world;
}

const listReports = (world: SceneWorld): LayerReport[] => [...world.layers.values()].map((layer) => layer.report());
const findPlace = (world: SceneWorld, topic: string) => {
  const drawing = world.layers.get(topic)?.list()[0]?.drawing;
  return drawing?.visible === true ? drawing.matrix.elements.slice(12, 15) : null;
};

test("what transforms place is seen from the frame they suggest, what none leads to stands in its own, and says so once", () => {
  const world = build(
    ["lidar", "radar", "camera_front"],
    [
      ["odom", "base_link"],
      ["base_link", "lidar"],
    ],
  );
  expect(world.fixedFrame).toBe("odom");
  expect(findPlace(world, "/lidar")).toEqual([4, 0, 0]);
  expect(findPlace(world, "/radar")).toEqual([0, 0, 0]);
  world.place(false);
  const layers = listReports(world);
  expect(layers.map(({ reason }) => reason)).toEqual([null, null, null]);
  const report: SceneReport = {
    ...{ moment: 0n, layers, found: [], frames: [], problems: [], fixedFrame: null, followFrame: null },
    drawnPoints: 0,
  };
  expect(listProblems(report)).toEqual(
    ["radar", "camera_front"].map(
      (frame) =>
        `/${frame}: drawn in its own frame: no transform ${frame} ← odom: ${frame} is not connected (known: base_link, lidar, odom)`,
    ),
  );
});

test("without transforms the frame of what is drawn counts, not that of a camera", () => {
  expect(build(["camera_front", "base_link"], []).fixedFrame).toBe("base_link");
  expect(build(["camera_front"], []).fixedFrame).toBe("camera_front");
  expect(build([], []).fixedFrame).toBeNull();
});

test("what is in a circle of transforms is not drawn, and says why", () => {
  const world = build(
    ["a", "lidar"],
    [
      ["a", "b"],
      ["b", "a"],
      ["odom", "lidar"],
    ],
  );
  expect(world.fixedFrame).toBe("odom");
  expect(findPlace(world, "/a")).toBeNull();
  expect(listReports(world)[0]?.reason).toBe("the transforms of a → b go in a circle");
});
