import { expect, test } from "vitest";
import { findCompanions } from "./companion-topics";

const topic = (name: string, schema: string) => ({ name, schema, frequency_hz: 10 });
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
