import { expect, test } from "vitest";
import { isFixSchema, readFix } from "@/engine/messages/positions/fix";
import { UnreadableMessage } from "@/engine/messages/reading";

const place = { latitude: 47.3769, longitude: 8.5417, altitude: 408.5 };

test("a fix has degrees and metres, whatever the message calls its status", () => {
  expect(readFix({ status: { status: 0, service: 1 }, ...place, position_covariance: [] })).toEqual(place);
  expect(readFix({ latitude: "47.5", longitude: -8 })).toEqual({ latitude: 47.5, longitude: -8, altitude: null });
  expect(readFix({ ...place, altitude: NaN })).toEqual({ ...place, altitude: null });
});

test.each([
  ["its status says so", { ...place, status: { status: -1 } }],
  ["its status was not set", { ...place, status: { status: -2 } }],
  ["it sends no numbers", { ...place, latitude: NaN }],
  ["it sends zeros", { latitude: 0, longitude: 0 }],
])("a receiver has no fix when %s", (_why, message) => {
  expect(readFix(message)).toBeNull();
});

test.each([["no object"], [{ latitude: 91, longitude: 8 }], [{ latitude: 47 }]])("%j is refused", (message) => {
  expect(() => readFix(message)).toThrow(UnreadableMessage);
});

test.each([
  ["sensor_msgs/msg/NavSatFix", true],
  ["foxglove_msgs/msg/LocationFix", true],
  ["gps_common/GPSFix", true],
  ["sensor_msgs/msg/Imu", false],
])("%s is a fix: %s", (schema, isFix) => {
  expect(isFixSchema(schema)).toBe(isFix);
});
