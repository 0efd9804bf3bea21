import { expect, test } from "vitest";
import { defaultReading, toReading } from "@/engine/messages/scenes/layer-reading";

const chosen = { ...defaultReading, allEchoes: true, bySpeed: false, isCostmap: true, colourBy: "cost", min: 1 };

test("messages are read again only for what changes them", () => {
  expect(toReading("sensor_msgs/msg/PointCloud2", chosen)).toBeNull();
  expect(toReading("sensor_msgs/LaserScan", chosen)).toBeNull();
  expect(toReading("sensor_msgs/msg/MultiEchoLaserScan", chosen)).toEqual({ ...defaultReading, allEchoes: true });
  expect(toReading("nav_msgs/msg/Odometry", chosen)).toEqual({ ...defaultReading, bySpeed: false });
  expect(toReading("nav_msgs/OccupancyGrid", chosen)).toEqual({ ...defaultReading, isCostmap: true });
  expect(toReading("foxglove_msgs/msg/Grid", chosen)).toEqual({ ...defaultReading, colourBy: "cost", min: 1 });
});
