import { describe, expect, test } from "vitest";
import { rotate } from "@/engine/messages/pose";
import { TransformTree } from "@/engine/messages/poses/transform-tree";
import { readJoints } from "@/engine/messages/scenes/joints";
import { listMeshes, placeLinks, readRobot } from "@/engine/messages/scenes/robot";
import { parseXml } from "@/engine/messages/scenes/xml";

const arm = `<?xml version="1.0"?>
<!-- an arm <with> two joints -->
<robot name="arm">
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <link name="base"><visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual></link>
  <link name='upper'>
    <visual><origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.1" length="1"/></geometry></visual>
    <visual><geometry><sphere radius="0.2"/></geometry></visual>
  </link>
  <link name="hand">
    <visual><origin xyz="0 0 0.25"/><geometry><mesh filename="package://arm/hand.dae" scale="2 -1 1"/></geometry></visual>
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 3"/><axis xyz="0 0 2"/><limit lower="-1" upper="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="hand"/><axis xyz="1 0 0"/><limit lower="0" upper="5"/>
    <mimic joint="shoulder" multiplier="2" offset="0.5"/>
  </joint>
  <transmission><joint name="shoulder"/></transmission>
</robot>`;
const near = (vector: readonly number[]) => vector.map((part) => Math.round(part * 1e6) / 1e6 + 0);

test("links are their shapes with their materials; a mesh has its link's collision shapes in its place", () => {
  const { name, links, notes } = readRobot(arm);
  expect(links.map(({ name, shapes }) => [name, shapes.map(({ kind }) => kind)])).toEqual([
    ["base", ["cube"]],
    ["upper", ["cylinder", "sphere"]],
    ["hand", ["mesh"]],
  ]);
  expect(links[0]!.shapes[0]).toMatchObject({ size: [1, 2, 3], colour: [1, 0, 0, 0.5] });
  expect(links[1]!.shapes[0]).toMatchObject({ size: [0.2, 0.2, 1], pose: { position: [0, 0, 0.5] } });
  expect(near(rotate(links[1]!.shapes[0]!.pose.orientation, [0, 0, 1]))).toEqual([1, 0, 0]);
  expect(links[2]!.shapes[0]).toMatchObject({
    address: "package://arm/hand.dae",
    scale: [2, -1, 1],
    pose: { position: [0, 0, 0.25] },
    instead: [{ kind: "cube", size: [0.1, 0.1, 0.1] }],
  });
  expect([name, notes]).toEqual(["arm", []]);
});

test("what links collide with is drawn when that is wanted; the meshes of both are listed once", () => {
  const text = arm.replace('<box size="0.1 0.1 0.1"/>', `<mesh filename="hand.stl"/>`);
  const collision = readRobot(text, "collision");
  expect(collision.links.map(({ shapes }) => shapes.map(({ kind }) => kind))).toEqual([[], [], ["mesh"]]);
  expect(listMeshes(collision)).toEqual(["hand.stl"]);
  expect(listMeshes(readRobot(text))).toEqual(["package://arm/hand.dae", "hand.stl"]);
});

test("joints turn and slide, follow others, and stay within their limits", () => {
  const robot = readRobot(arm);
  const [shoulder, slide] = placeLinks(robot, new Map([["shoulder", 0.5]])).transforms;
  expect(shoulder).toMatchObject({ parent: "base", child: "upper", pose: { position: [0, 0, 3] } });
  expect(near(rotate(shoulder!.pose.orientation, [1, 0, 0]))).toEqual(near([Math.cos(0.5), Math.sin(0.5), 0]));
  expect(slide!.pose.position).toEqual([1.5, 0, 0]);
  const beyond = placeLinks(
    robot,
    new Map([
      ["shoulder", 9],
      ["elbow", 1],
    ]),
  );
  expect(near(rotate(beyond.transforms[0]!.pose.orientation, [1, 0, 0]))).toEqual(near([Math.cos(1), Math.sin(1), 0]));
  expect(beyond.notes).toEqual([
    "joints that the robot does not have: elbow",
    "2 joints beyond their limits, drawn at them",
  ]);
});

test("where transforms say where a link is, its joint does not count", () => {
  const tree = new TransformTree();
  const { transforms } = placeLinks(readRobot(arm), new Map());
  tree.setDefaults(transforms);
  expect(tree.locate("hand", "base", 0n)).toMatchObject({ pose: { position: [0.5, 0, 3] } });
  expect(tree.findRoot()).toBe("base");
  tree.add({ ...transforms[0]!, parent: "map", pose: { ...transforms[0]!.pose, position: [7, 0, 0] } }, 0n, false);
  expect(tree.locate("hand", "map", 0n)).toMatchObject({ pose: { position: [7.5, 0, 0] } });
});

test("places of joints are read from ROS and from Foxglove; lists of unequal length by the shorter one", () => {
  expect(readJoints({ name: ["a", "b", "c"], position: new Float64Array([1, Number.NaN]) })).toEqual({
    places: new Map([["a", 1]]),
    notes: ["3 names of joints, but 2 positions", "1 joint whose place is no number"],
  });
  expect(readJoints({ joints: [{ name: "a", position: 2 }, { name: "b" }] })).toEqual({
    places: new Map([["a", 2]]),
    notes: [],
  });
});

describe("what is no description is refused", () => {
  test.each([
    ["", "has not one root"],
    ["no markup", "has not one root"],
    ["<model/>", `is of "model"`],
    ["<robot>", `does not end its element "robot"`],
    ["<robot></link></robot>", `ends an element "link" that is not open`],
    ["<robot><link name=base/></robot>", "not well-formed at character 7"],
    [`<!DOCTYPE robot [<!ENTITY a "aaaa">]><robot/>`, "not well-formed at character 0"],
    [
      `<robot><link name="a"><visual><geometry><sphere radius="wide"/></geometry></visual></link></robot>`,
      "radius of sphere is no number",
    ],
    [
      `<robot><link name="a"><visual><geometry><box size="1 2"/></geometry></visual></link></robot>`,
      "size of box is not three numbers",
    ],
    ["<robot>".repeat(70), "nests too deeply"],
    [`<robot>${"<link/>".repeat(10_001)}</robot>`, "at most 10,000"],
    [`<robot>${"<a/>".repeat(200_001)}</robot>`, "more than 200,000 elements"],
    [" ".repeat(16_000_001), "longer than 16 MB"],
  ])("%#", (text, reason) => expect(() => readRobot(text)).toThrow(reason));

  test("references of characters are read, those of entities stay as they are", () => {
    expect(parseXml(`<a b="1 &lt; 2 &amp; &x;"/>`).attributes.get("b")).toBe("1 < 2 & &x;");
  });
});
