import { expect, test } from "vitest";
import { compose } from "@/server/demo/frames";
import { brightness } from "@/server/demo/lidar";
import { visiblePallets } from "@/server/demo/scene";
import { recordStory } from "@/server/demo/stories";
import { readRos2Messages } from "@/server/testing/ros2-messages";

interface Vector {
  x: number;
  y: number;
  z: number;
}
interface Quaternion extends Vector {
  w: number;
}
interface Stamped {
  header: { stamp: { sec: number; nanosec: number }; frame_id: string };
}
interface Transform extends Stamped {
  child_frame_id: string;
  transform: { translation: Vector; rotation: Quaternion };
}
interface Message extends Stamped {
  transforms: Transform[];
  data: Uint8Array & string;
  width: number;
  ranges: Float32Array;
  k: Float64Array;
  child_frame_id: string;
  pose: { position: Vector; orientation: Quaternion; pose: { position: Vector; orientation: Quaternion } };
  twist: { twist: { linear: Vector; angular: Vector } };
}

const record = async () =>
  readRos2Messages<Message>(
    await recordStory({
      robot: "amr",
      seed: 31,
      start: 1_767_258_000_000_000_000n,
      seconds: 40,
      pictures: true,
      lidar: "cloud",
      log: true,
      incidents: ["emergency_stop"],
    }),
  );

const toYaw = ({ z, w }: Quaternion) => 2 * Math.atan2(z, w);
const toPlane = (at: Vector, rotation: Quaternion) => ({ x: at.x, y: at.y, yaw: toYaw(rotation) });
const turn = (angle: number) => Math.atan2(Math.sin(angle), Math.cos(angle));

test("what the lidar measures of pallets lies where the picture of the same moment shows them", async () => {
  const messages = await record();
  const [fx = 0, , cx = 0, , , cy = 0] = messages.get("/camera/front/camera_info")![0]!.message.k;
  let shown = 0;
  for (const [n, { message: picture }] of messages.get("/camera/front/image/compressed")!.entries()) {
    const info = messages.get("/camera/front/camera_info")![n]!.message;
    expect(info.header).toEqual(picture.header);
    const { message: cloud } = messages.get("/lidar/points")![n * 20]!;
    const { pose } = messages.get("/pose")![n * 20]!.message;
    const at = toPlane(pose.position, pose.orientation);
    const boxes = visiblePallets({ ...at, z: 0, charge: 1, stopped: false });
    const values = new Float32Array(cloud.data.slice().buffer);
    for (let point = 0; point < cloud.width; point++) {
      const [x = 0, y = 0, z = 0, intensity] = values.subarray(4 * point, 4 * point + 4);
      // The camera is 0.2 m below the lidar, and looks along its x.
      const [u, v] = [cx - (fx * y) / x, cy - (fx * (z + 0.2)) / x];
      if (intensity !== brightness.pallet || x < 0.2 || u < 1 || u > 254 || v < 0 || v > 175) continue;
      const inside = (box: (typeof boxes)[number]) =>
        u > box.x - 2 && u < box.x + box.width + 1 && v > box.y - 2 && v < box.y + box.height + 1;
      // No box is drawn around the far ones.
      if (x < 12) expect(boxes.some(inside), `${u} ${v} of picture ${n}`).toBe(true);
      shown += 1;
    }
  }
  expect(shown).toBeGreaterThan(100);
});

test("frames, odometry and pose agree, and a stopped robot does not move", async () => {
  const messages = await record();
  const moving = messages.get("/tf")!;
  expect(moving).toHaveLength(400);
  for (const [n, { message }] of moving.entries()) {
    const [map, odom] = [message.transforms[0]!, message.transforms[1]!];
    expect([map.header.frame_id, map.child_frame_id, odom.child_frame_id]).toEqual(["map", "odom", "base_link"]);
    const inMap = compose(
      toPlane(map.transform.translation, map.transform.rotation),
      toPlane(odom.transform.translation, odom.transform.rotation),
    );
    const { header, pose } = messages.get("/pose")![n]!.message;
    expect(header.frame_id).toBe("map");
    expect(inMap.x).toBeCloseTo(pose.position.x, 9);
    expect(inMap.y).toBeCloseTo(pose.position.y, 9);
    expect(turn(inMap.yaw - toYaw(pose.orientation))).toBeCloseTo(0, 9);
    const odometry = messages.get("/odom")![n]!.message;
    expect(odometry.pose.pose.position.x).toBeCloseTo(odom.transform.translation.x, 9);
    expect(odometry.twist.twist.linear.x).toBe(n >= 200 && n < 340 ? 0 : 0.8);
  }
});

test("sensors and the description of the robot come once, at the start", async () => {
  const messages = await record();
  const [frames, ...more] = messages.get("/tf_static")!;
  const [description, ...others] = messages.get("/robot_description")!;
  expect([more, others]).toEqual([[], []]);
  const children = frames!.message.transforms.map(({ child_frame_id: child }) => child);
  expect(children).toEqual(["camera_front", "lidar", "scanner"]);
  for (const child of children) expect(description!.message.data).toContain(`<link name="${child}">`);
  expect(description!.message.data).toMatch(/<box size=.*<cylinder radius=/s);
});

test("the scanner sees walls and racks at a distance of metres, never none", async () => {
  const messages = await record();
  for (const { message } of messages.get("/scan")!) {
    expect(message.ranges).toHaveLength(271);
    expect(message.ranges.every((range) => range > 0.3 && range < 31)).toBe(true);
  }
});
