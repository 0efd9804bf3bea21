import { expect, test } from "vitest";
import { parsePanel } from "@/domain/layouts/layout-schema";
import { readSceneConfig, toSceneConfig } from "./scene-config";
import { defaultLayer } from "./scene-settings";

const topics = Array.from({ length: 10 }, (_, at) => ({
  name: `/cloud${at}`,
  schema: "sensor_msgs/msg/PointCloud2",
  message_count: 1,
  frequency_hz: 1,
}));

test("a scene without a config shows the first layers, following the robot", () => {
  const settings = readSceneConfig({}, topics);
  expect(settings).toMatchObject({ follow: "position", isTop: false, fixedFrame: null, followFrame: null });
  expect(Object.entries(settings.layers).map(([name, { isShown }]) => [name, isShown])).toEqual([
    ["/cloud8", false],
    ["/cloud9", false],
  ]);
});

test("settings come back from their config, which holds no more of layers than was chosen", () => {
  const settings = {
    ...readSceneConfig({}, topics),
    fixedFrame: "map",
    follow: "pose" as const,
    isTop: true,
    layers: {
      "/cloud0": { ...defaultLayer, colourBy: "intensity", min: -1, pointSize: 4, decay: 5, isLine: true },
      "/cloud1": { ...defaultLayer, isShown: false },
      "/cloud8": { ...defaultLayer, isShown: false },
      "/cloud9": { ...defaultLayer, allEchoes: true, isCostmap: true, colourScale: "grey" as const },
    },
  };
  const config = toSceneConfig(settings, topics);
  expect(config.layers).toEqual({
    "/cloud0": { colour_by: "intensity", min: -1, point_size: 4, decay: 5, line: true },
    "/cloud1": { is_shown: false },
    "/cloud9": { is_shown: true, all_echoes: true, costmap: true, colour_scale: "grey" },
  });
  expect(parsePanel("scene", config)).toEqual({ type: "scene", config });
  expect(readSceneConfig(config, topics)).toEqual(settings);
});
