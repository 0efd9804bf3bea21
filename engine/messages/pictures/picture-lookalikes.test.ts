import { expect, test } from "vitest";
import { mayHoldPictures } from "@/engine/messages/pictures/picture-lookalikes";
import { findLookalikeAdapter } from "@/engine/messages/pictures/pictures";

const number = (path: string) => ({ path, kind: "number" });
const text = (path: string) => ({ path, kind: "string" });
const raw = [number("width"), number("height"), text("encoding"), number("step")];

test.each([
  ["acme/msg/Frame", raw, true],
  ["acme/msg/Frame", [text("format"), number("header.stamp.sec")], true],
  // Its own adapter reads it, or another panel draws it.
  ["sensor_msgs/msg/Image", raw, false],
  ["foxglove.CompressedPointCloud", [text("format")], false],
  ["acme/msg/Frame", [number("width"), number("height"), number("encoding")], false],
  ["acme/msg/Frame", [number("image.width"), number("image.height"), text("image.encoding")], false],
  ["acme/msg/Motor", [number("speed")], false],
])("%s with %j may hold pictures: %s", (schema, fields, may) => {
  expect(mayHoldPictures({ schema, fields })).toBe(may);
});

const data = new Uint8Array(12);
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0);

test("the fields of a message tell what reads it as a picture", () => {
  const found = findLookalikeAdapter({ width: 2, height: 2, encoding: "rgb8", step: 6, data });
  expect(found?.({ width: 2, height: 2, encoding: "rgb8", step: 6, data })).toMatchObject({ kind: "raw", width: 2 });
  const file = findLookalikeAdapter({ format: "", data: jpeg });
  expect(file?.({ format: "", data: jpeg })).toMatchObject({ kind: "compressed", mediaType: "image/jpeg" });
});

test.each([
  [{ width: 2, height: 2, encoding: "rgb8" }],
  [{ width: 2, height: "2", encoding: "rgb8", data }],
  [{ format: "opus", data }],
  [{ format: "jpeg", data: "%" }],
  [[1, 2]],
])("%j is no picture", (message) => {
  expect(findLookalikeAdapter(message)).toBeNull();
});
