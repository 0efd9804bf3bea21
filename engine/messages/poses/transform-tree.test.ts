import { describe, expect, test } from "vitest";
import { Notes } from "@/engine/messages/notes";
import {
  compose,
  fromAngles,
  identity,
  interpolate,
  invert,
  readPose,
  rotate,
  type Pose,
  type Vector,
} from "@/engine/messages/pose";
import { TransformTree } from "@/engine/messages/poses/transform-tree";
import { readTransforms } from "@/engine/messages/poses/transforms";

const at = (x: number, y = 0, yaw = 0): Pose => ({ position: [x, y, 0], orientation: fromAngles(0, 0, yaw) });
const transform = (parent: string, child: string, pose: Pose) => ({ parent, child, pose, stamp: null });

function locate(tree: TransformTree, frame: string, from: string, moment = 0n): Pose {
  const located = tree.locate(frame, from, moment);
  if (!("pose" in located)) throw new Error(located.reason);
  return located.pose;
}
const expectNear = (found: readonly number[], wanted: readonly number[]) => {
  expect(found).toHaveLength(wanted.length);
  for (const [index, value] of wanted.entries()) expect(found[index]).toBeCloseTo(value, 9);
};

describe("poses", () => {
  test("turn by a quarter around z, and back", () => {
    expectNear(rotate(fromAngles(0, 0, Math.PI / 2), [1, 2, 3]), [-2, 1, 3]);
    const pose: Pose = { position: [1, -2, 3], orientation: fromAngles(0.3, -0.7, 2) };
    const back = compose(invert(pose), pose);
    expectNear(back.position, [0, 0, 0]);
    expectNear(back.orientation, [0, 0, 0, 1]);
  });

  test("angles are about the fixed axes, as in URDF: first x, then y, then z", () => {
    const [roll, pitch, yaw] = [0.3, -0.4, 1.1];
    const [sr, cr, sp, cp, sy, cy] = [
      Math.sin(roll),
      Math.cos(roll),
      Math.sin(pitch),
      Math.cos(pitch),
      Math.sin(yaw),
      Math.cos(yaw),
    ];
    // The first column of Rz · Ry · Rx, and its second.
    expectNear(rotate(fromAngles(roll, pitch, yaw), [1, 0, 0]), [cy * cp, sy * cp, -sp]);
    expectNear(rotate(fromAngles(roll, pitch, yaw), [0, 1, 0]), [
      cy * sp * sr - sy * cr,
      sy * sp * sr + cy * cr,
      cp * sr,
    ]);
  });

  test("between two of them turns go the shorter way, evenly", () => {
    const half = interpolate(at(0, 0, -3), at(2, 4, 3), 0.25);
    expectNear(half.position, [0.5, 1, 0]);
    // From −3 to 3 over ±π: a quarter of the way of 2π − 6.
    const yaw = -3 - (2 * Math.PI - 6) / 4;
    expectNear(rotate(half.orientation, [1, 0, 0]), [Math.cos(yaw), Math.sin(yaw), 0]);
  });

  test("a turn of length 0 is none, one of another length is made whole, and both are counted", () => {
    const notes = new Notes();
    expect(readPose({ orientation: { x: 0, y: 0, z: 0, w: 0 } }, notes).orientation).toEqual([0, 0, 0, 1]);
    expectNear(readPose({ rotation: { x: 0, y: 0, z: 3, w: 4 } }, notes).orientation, [0, 0, 0.6, 0.8]);
    expect(readPose({}, notes)).toEqual(identity);
    expect(notes.list()).toEqual(["1 turn of length 0, drawn unturned", "1 turn that was not of length 1"]);
  });

  test("a place that is no number is refused", () => {
    expect(() => readPose({ position: { x: Infinity } }, new Notes())).toThrow(`"x" is not a finite number`);
    expect(() => readPose({ position: { x: "east" } }, new Notes())).toThrow(`"x" is not a number`);
  });
});

describe("the tree", () => {
  test("finds a frame from any other, through their common root", () => {
    const tree = new TransformTree();
    tree.add(transform("map", "odom", at(10, 0, Math.PI / 2)), 0n, false);
    tree.add(transform("odom", "base_link", at(1, 2)), 0n, false);
    tree.add(transform("base_link", "lidar", at(0.5)), 0n, true);
    tree.add(transform("map", "dock", at(4, 4)), 0n, true);
    expectNear(locate(tree, "lidar", "map").position, [8, 1.5, 0]);
    expectNear(locate(tree, "map", "lidar").position, rotate(fromAngles(0, 0, -Math.PI / 2), [-8, -1.5, 0]) as Vector);
    expectNear(locate(tree, "lidar", "dock").position, [4, -2.5, 0]);
    expect(tree.findRoot()).toBe("map");
  });

  test("is between the two stamps around a moment, however they arrived", () => {
    const tree = new TransformTree();
    for (const stamp of [30n, 10n, 20n, 0n]) tree.add(transform("odom", "base", at(Number(stamp))), stamp, false);
    tree.add(transform("odom", "base", at(100)), 20n, false);
    expect(locate(tree, "base", "odom", 5n).position[0]).toBeCloseTo(5);
    expect(locate(tree, "base", "odom", 15n).position[0]).toBeCloseTo(55);
    // Beyond them the nearest one.
    expect(locate(tree, "base", "odom", -5n).position[0]).toBe(0);
    expect(locate(tree, "base", "odom", 99n).position[0]).toBe(30);
  });

  test("lets what is fixed stand when it forgets what moves", () => {
    const tree = new TransformTree();
    tree.add(transform("base", "lidar", at(1)), 0n, true);
    tree.add(transform("odom", "base", at(1)), 0n, false);
    tree.forgetMoving();
    expect(locate(tree, "lidar", "base").position[0]).toBe(1);
    expect(tree.locate("base", "odom", 0n)).toEqual({
      reason: "no transform base ← odom: odom is not connected (known: base, lidar)",
    });
  });

  test("retains the last transform before what it forgets", () => {
    const tree = new TransformTree();
    for (const stamp of [0n, 10n, 20n]) tree.add(transform("odom", "base", at(Number(stamp))), stamp, false);
    tree.forgetBefore(15n);
    expect(locate(tree, "base", "odom", 15n).position[0]).toBe(15);
    expect(locate(tree, "base", "odom", 0n).position[0]).toBe(10);
  });

  test("says which frame is not connected, and which are known", () => {
    const tree = new TransformTree();
    tree.add(transform("odom", "base_link", at(0)), 0n, false);
    tree.add(transform("world", "camera", at(0)), 0n, false);
    expect(tree.locate("lidar", "odom", 0n)).toEqual({
      reason: "no transform lidar ← odom: lidar is not connected (known: base_link, camera, odom, world)",
    });
    expect(tree.locate("camera", "odom", 0n)).toEqual({
      reason:
        "no transform camera ← odom: camera and odom are in separate trees (known: base_link, camera, odom, world)",
    });
    expect(tree.locate("lidar", "lidar", 0n)).toEqual({ pose: identity });
  });

  test("suggests the root of the largest tree that has something drawn, and a camera's frame only without another", () => {
    const tree = new TransformTree();
    expect([tree.suggestRoot([]), tree.suggestRoot(["", "base_link"])]).toEqual([null, "base_link"]);
    expect(tree.suggestRoot(["camera_front", "base_link"])).toBe("base_link");
    for (const child of ["colour_frame", "depth_optical_frame"])
      tree.add(transform("camera_link", child, at(0)), 0n, true);
    // A camera alone has no other frame.
    expect(tree.suggestRoot(["depth_optical_frame"])).toBe("camera_link");
    expect(tree.suggestRoot(["depth_optical_frame", "lidar"])).toBe("lidar");
    tree.add(transform("base_link", "lidar", at(0)), 0n, true);
    expect([tree.findRoot(), tree.suggestRoot([])]).toEqual(["camera_link", "base_link"]);
    expect(tree.suggestRoot(["depth_optical_frame"])).toBe("base_link");
    tree.add(transform("map", "dock", at(0)), 0n, true);
    expect(tree.suggestRoot(["lidar"])).toBe("base_link");
    expect(tree.suggestRoot(["lidar", "dock"])).toBe("map");
  });

  test("frames are apart where no transforms lead from one to the other", () => {
    const tree = new TransformTree();
    tree.add(transform("odom", "base_link", at(0)), 0n, false);
    tree.add(transform("a", "b", at(0)), 0n, false);
    tree.add(transform("b", "a", at(0)), 0n, false);
    expect(tree.areApart("base_link", "odom")).toBe(false);
    expect(tree.areApart("radar", "odom")).toBe(true);
    // A circle is an error of its own.
    expect(tree.areApart("a", "odom")).toBe(false);
  });

  test("names circles, frames that are their own parents, and frames of two parents", () => {
    const tree = new TransformTree();
    tree.add(transform("a", "b", at(0)), 0n, false);
    tree.add(transform("b", "a", at(0)), 0n, false);
    expect(tree.locate("a", "map", 0n)).toEqual({ reason: "the transforms of a → b go in a circle" });
    tree.add(transform("c", "c", at(0)), 0n, false);
    tree.add(transform("d", "lidar", at(1)), 0n, false);
    tree.add(transform("e", "lidar", at(2)), 1n, false);
    expect(locate(tree, "lidar", "e").position[0]).toBe(2);
    expect(tree.listProblems()).toEqual(["the frame c is its own parent", "lidar has two parents: d and e; e counts"]);
    expect(tree.findRoot()).not.toBeNull();
  });
});

describe("messages of transforms", () => {
  test("of ROS and of Foxglove read the same", () => {
    const [vector, turn] = [
      { x: 1, y: 2, z: 3 },
      { x: 0, y: 0, z: 1, w: 0 },
    ];
    const ros = {
      header: { stamp: { sec: 1, nsec: 2 }, frame_id: "/odom" },
      child_frame_id: "/base",
      transform: { translation: vector, rotation: turn },
    };
    const foxglove = {
      timestamp: { seconds: 1n, nanos: 2 },
      parent_frame_id: "odom",
      child_frame_id: "base",
      translation: vector,
      rotation: turn,
    };
    const wanted = {
      parent: "odom",
      child: "base",
      stamp: 1_000_000_002n,
      pose: { position: [1, 2, 3], orientation: [0, 0, 1, 0] },
    };
    expect(readTransforms({ transforms: [ros] })).toEqual({ transforms: [wanted], notes: [] });
    expect(readTransforms({ transforms: [foxglove] }).transforms).toEqual([wanted]);
    expect(readTransforms(foxglove).transforms).toEqual([wanted]);
  });

  test("without names are left out and counted", () => {
    expect(readTransforms({ transforms: [{ header: {}, child_frame_id: "a", transform: {} }] })).toEqual({
      transforms: [],
      notes: ["1 transform without the name of a frame"],
    });
  });
});
