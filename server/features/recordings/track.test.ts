import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { beforeAll, expect, test } from "vitest";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { createTrpcCaller, makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { processedRecording } from "@/server/testing/processing";

const navSatFix = `std_msgs/Header header
sensor_msgs/NavSatStatus status
float64 latitude
float64 longitude
float64 altitude
float64[9] position_covariance
uint8 position_covariance_type
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: sensor_msgs/NavSatStatus
int8 status
uint16 service
`;
const channels: TestChannel[] = [
  {
    topic: "/gps",
    messageEncoding: "cdr",
    schemaName: "sensor_msgs/msg/NavSatFix",
    schemaEncoding: "ros2msg",
    schema: navSatFix,
  },
  {
    topic: "/phone",
    messageEncoding: "json",
    schemaName: "foxglove.LocationFix",
    schemaEncoding: "jsonschema",
    schema: "{}",
  },
  {
    topic: "/goal",
    messageEncoding: "json",
    schemaName: "geographic_msgs/GeoPoseStamped",
    schemaEncoding: "jsonschema",
    schema: "{}",
  },
  { topic: "/speed", messageEncoding: "json", schemaName: "Speed", schemaEncoding: "jsonschema", schema: "{}" },
];
const start = 1_770_000_000_000_000_000n;
const writer = new MessageWriter(parse(navSatFix, { ros2: true }));

/** Ten minutes at 20 Hz; without a fix in the second minute. */
function makeMessages(): TestMessage[] {
  return Array.from({ length: 12_000 }, (_, n): TestMessage[] => {
    const time = start + BigInt(n) * 50_000_000n;
    const status = { status: n >= 1200 && n < 2400 ? -1 : 0, service: 1 };
    const place = { latitude: 47 + n * 1e-6, longitude: 8 - n * 1e-6, altitude: 400 };
    const header = { stamp: { sec: 0, nanosec: 0 }, frame_id: "gps" };
    const covariance = { position_covariance: Array<number>(9).fill(0), position_covariance_type: 0 };
    const messages = [{ topic: "/gps", time, data: writer.writeMessage({ header, status, ...place, ...covariance }) }];
    if (n >= 100) return messages;
    const json = (value: object) => Buffer.from(JSON.stringify(value));
    return [
      ...messages,
      { topic: "/phone", time: time + 1n, data: json(place) },
      { topic: "/goal", time: time + 1n, data: json({ pose: { position: place } }) },
      { topic: "/speed", time: time + 2n, data: json({ speed: n }) },
    ];
  }).flat();
}

let org: TestOrganization;
let uid: string;
beforeAll(async () => {
  org = await makeOrganization();
  const device = await makeDevice(org);
  uid = await processedRecording(org, device.uid, [await writeMcap(channels, makeMessages(), { compression: "zstd" })]);
});

const readTrack = (topic: string, of = org, colour?: string) =>
  createTrpcCaller(of).recordings.track({ uid, topic, ...(colour !== undefined && { colour }) });

test("a track is thinned evenly, and interrupted where the receiver had no fix", async () => {
  const track = await readTrack("/gps");
  expect(track).toMatchObject({ start_ns: String(start), without_fix: 1200 });
  const { times_ms: times, latitudes, longitudes } = track!;
  expect(times.length).toBeGreaterThan(2_500);
  expect(times.length).toBeLessThanOrEqual(4_002);
  expect([times[0], times.at(-1)]).toEqual([0, 599_950]);
  expect([latitudes[0], longitudes[0]]).toEqual([47, 8]);
  expect([latitudes.at(-1), longitudes.at(-1)]).toEqual([47.011999, 7.988001]);
  const gap = latitudes.indexOf(null);
  expect(latitudes.filter((latitude) => latitude === null)).toHaveLength(1);
  expect(times.slice(gap - 1, gap + 2)).toEqual([59_950, 60_000, 120_000]);
});

test("a short one of JSON has every place", async () => {
  const track = await readTrack("/phone");
  expect(track?.latitudes).toEqual(Array.from({ length: 100 }, (_, n) => Number((47 + n * 1e-6).toFixed(8))));
  expect(track?.without_fix).toBe(0);
});

test("a pose on earth has its place within", async () => {
  const [goal, phone] = [await readTrack("/goal"), await readTrack("/phone")];
  expect(goal?.longitudes).toEqual(phone?.longitudes);
  expect(goal?.fields).toEqual(["pose.position.altitude"]);
});

test("a field of its topic colours it; one that is not stored does not", async () => {
  const track = await readTrack("/gps", org, "status.status");
  expect(track?.fields).toEqual(expect.arrayContaining(["altitude", "status.status", "status.service"]));
  expect(track?.fields).not.toContain("latitude");
  expect(track?.values).toHaveLength(track?.times_ms.length ?? 0);
  expect(new Set(track?.values)).toEqual(new Set([0, null]));
  expect((await readTrack("/gps", org, "nothing"))?.values).toEqual([]);
  expect((await readTrack("/gps"))?.values).toEqual([]);
});

test("a topic without places has none, and others see none", async () => {
  expect(await readTrack("/speed")).toBeNull();
  await expect(readTrack("/none")).rejects.toThrow("is not a topic of this recording.");
  await expect(readTrack("/gps", await makeOrganization())).rejects.toMatchObject({ code: "NOT_FOUND" });
});
