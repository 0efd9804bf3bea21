import { expect, test } from "vitest";
import type { Grid } from "@/engine/messages/scene-object";
import { isGridUpdateSchema } from "@/engine/messages/scene-schemas";
import { readOccupancyGrid } from "@/engine/messages/scenes/grid";
import { findUpdatedTopic, listUpdateTopics } from "@/engine/messages/scenes/grid-update";

const whole = {
  header: { stamp: { sec: 1, nanosec: 0 }, frame_id: "map" },
  info: { width: 3, height: 2, resolution: 0.5, origin: {} },
  data: Int8Array.of(0, 0, 0, 100, -1, 0),
};
const read = (...updates: unknown[]) => {
  const { objects, notes } = readOccupancyGrid(whole, undefined, updates);
  const { pixels } = objects[0] as Grid;
  return { pixels: [...new Uint32Array(pixels.buffer)], notes };
};
const [free, occupied, unknown] = [0xff_f5_f5_f5, 0xff_19_19_19, 0x60_88_80_78];

test("updates change their part of the last whole grid, one after the other", () => {
  expect(read().pixels).toEqual([free, free, free, occupied, unknown, free]);
  const corner = { x: 1, y: 0, width: 2, height: 2, data: Int8Array.of(100, -1, 0, 100) };
  expect(read(corner).pixels).toEqual([free, occupied, unknown, occupied, free, occupied]);
  const later = { x: 1, y: 0, width: 1, height: 1, data: [0] };
  expect(read(corner, later).pixels).toEqual([free, free, unknown, occupied, free, occupied]);
  // The message itself stays as it was.
  expect(whole.data).toEqual(Int8Array.of(0, 0, 0, 100, -1, 0));
});

test("updates that do not fit are counted, and the others drawn", () => {
  const { pixels, notes } = read(
    { x: 2, y: 0, width: 2, height: 1, data: [100, 100] },
    { x: 0, y: 0, width: 2, height: 2, data: [100] },
    { x: 0, y: 0, width: 1, height: 1, data: [100] },
  );
  expect(pixels[0]).toBe(occupied);
  expect(notes).toEqual([
    "1 update not drawn: An update of 2 × 1 cells at 2, 0 does not fit into 3 × 2.",
    "1 update not drawn: An update says 2 × 2 cells but carries 1.",
  ]);
});

test("updates belong to the grid that they are named after, else to the one named most alike", () => {
  const [grid, update] = ["nav_msgs/msg/OccupancyGrid", "map_msgs/msg/OccupancyGridUpdate"];
  const topics = [
    { name: "/map", schema: grid },
    { name: "/global_costmap/costmap", schema: grid },
    { name: "/global_costmap/costmap_updates", schema: update },
    { name: "/local/changes", schema: update },
  ];
  expect(isGridUpdateSchema(update)).toBe(true);
  expect(findUpdatedTopic("/global_costmap/costmap_updates", topics)).toBe("/global_costmap/costmap");
  expect(listUpdateTopics("/map", topics)).toEqual(["/local/changes"]);
  expect(findUpdatedTopic("/map_updates", [])).toBeNull();
});
