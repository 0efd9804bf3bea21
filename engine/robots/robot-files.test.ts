import { describe, expect, test } from "vitest";
import { findRobotFile, getMeshFormat, isRobotFile } from "@/engine/robots/robot-files";

describe("a file of a robot description", () => {
  const paths = [
    "arm_description/urdf/arm.urdf",
    "arm_description/meshes/visual/base.dae",
    "arm_description/meshes/collision/base.dae",
    "base.dae",
    "gripper/meshes/Finger.STL",
  ];
  const find = (address: string) => {
    const at = findRobotFile(paths, address);
    return at === null ? null : paths[at];
  };

  test.each([
    ["package://arm_description/meshes/visual/base.dae", paths[1]],
    ["package://arm_description/meshes/collision/base.dae", paths[2]],
    ["package://another_name/meshes/collision/base.dae", paths[2]],
    ["file:///opt/ros/share/arm_description/meshes/visual/base.dae", paths[1]],
    ["../meshes/collision/base.dae", paths[2]],
    ["base.dae", paths[3]],
    ["package://gripper/meshes/finger.stl", paths[4]],
    ["https://example.com/models/Finger.STL?version=2", paths[4]],
    ["package://gripper/meshes/Finger%2ESTL", paths[4]],
    ["meshes\\collision\\base.dae", paths[2]],
    ["thumb.stl", null],
    ["", null],
  ])("of the address %s", (address, path) => {
    expect(find(address)).toBe(path);
  });

  test("is of a mesh by its extension", () => {
    expect(["a.STL", "b/c.glb", "https://x/y.dae?z", "d.urdf", "e"].map(getMeshFormat)).toEqual([
      "stl",
      "glb",
      "dae",
      null,
      null,
    ]);
  });

  test("is of no use when it is hidden, added by macOS or of another kind", () => {
    const kept = ["a.urdf", "m/a.mtl", "__MACOSX/a.urdf", "m/._a.stl", ".git/a.obj", "readme.md"].filter(isRobotFile);
    expect(kept).toEqual(["a.urdf", "m/a.mtl"]);
  });
});
