import { expect, test } from "vitest";
import { findCompanions, listFramed } from "./companion-topics";

const topic = (name: string, schema: string) => ({ name, schema, message_count: 100, frequency_hz: 10 });
const cameras = [
  topic("/front/image", "sensor_msgs/msg/CompressedImage"),
  topic("/rear/image", "sensor_msgs/msg/CompressedImage"),
];

test("a camera's calibration is that whose name begins as its own", () => {
  const topics = [
    ...cameras,
    topic("/rear/info", "sensor_msgs/msg/CameraInfo"),
    topic("/front/info", "sensor_msgs/CameraInfo"),
  ];
  expect(findCompanions("/front/image", topics).calibration).toBe("/front/info");
  expect(findCompanions("/rear/image", topics).calibration).toBe("/rear/info");
  expect(findCompanions("/front/image", [...cameras, topic("/info", "sensor_msgs/CameraInfo")]).calibration).toBeNull();
});

test("what is drawn over pictures is near those of the same name, and over the only camera whatever it is called", () => {
  const topics = [
    ...cameras,
    topic("/front/boxes", "vision_msgs/Detection2DArray"),
    topic("/lines", "foxglove.ImageAnnotations"),
  ];
  const near = (camera: string, all: typeof topics) =>
    findCompanions(camera, all).overlays.map(({ name, isNear }) => [name, isNear]);
  expect(near("/front/image", topics)).toEqual([
    ["/front/boxes", true],
    ["/lines", false],
  ]);
  expect(
    near(
      "/front/image",
      topics.filter(({ name }) => name !== "/rear/image"),
    ),
  ).toEqual([
    ["/front/boxes", true],
    ["/lines", true],
  ]);
});

test("what names the frame of a camera belongs to it, whatever it is called; without frames names count", () => {
  const topics = [
    ...cameras,
    topic("/front/detections", "vision_msgs/Detection2DArray"),
    topic("/boxes", "vision_msgs/Detection2DArray"),
    topic("/calibration", "sensor_msgs/CameraInfo"),
  ];
  const frames = {
    "/front/image": "cam_a",
    "/rear/image": "cam_b",
    "/front/detections": "cam_b",
    "/boxes": "cam_a",
    "/calibration": "cam_b",
  };
  expect(listFramed(topics)).toEqual(topics.map(({ name }) => name));
  expect(listFramed(topics.slice(0, 2))).toEqual([]);
  const [front, rear] = cameras.map(({ name }) => findCompanions(name, topics, frames));
  const near = (found: typeof front) => found?.overlays.filter(({ isNear }) => isNear).map(({ name }) => name);
  expect([near(front), near(rear)]).toEqual([["/boxes"], ["/front/detections"]]);
  expect([front?.calibration, rear?.calibration]).toEqual([null, "/calibration"]);
  // A detector that names the frame of no camera, as a robot's: names count.
  const odd = { ...frames, "/front/detections": "base_link" };
  expect(near(findCompanions("/front/image", topics, odd))).toEqual(["/boxes", "/front/detections"]);
});

test("clouds and scans can be drawn over a camera, those of its own namespace first", () => {
  const topics = [
    ...cameras,
    topic("/a/scan", "sensor_msgs/msg/LaserScan"),
    topic("/rear/points", "foxglove.PointCloud"),
    topic("/map", "nav_msgs/OccupancyGrid"),
    topic("/front/points", "sensor_msgs/PointCloud2"),
  ];
  const names = (camera: string) => findCompanions(camera, topics).clouds.map(({ name }) => name);
  expect(names("/front/image")).toEqual(["/front/points", "/a/scan", "/rear/points"]);
  expect(names("/rear/image")).toEqual(["/rear/points", "/a/scan", "/front/points"]);
});
