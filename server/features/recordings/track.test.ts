import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { processedRecording } from "@/server/testing/processing";
import { createTrpcCaller } from "@/server/testing/requests";

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
  {
    topic: "/odom",
    messageEncoding: "json",
    schemaName: "nav_msgs/Odometry",
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
      { topic: "/odom", time: time + 1n, data: json({ pose: { pose: { position: { x: n * 10, y: n } } } }) },
      { topic: "/speed", time: time + 2n, data: json({ speed: n }) },
    ];
  }).flat();
}

let org: TestOrganization;
let uid: string;
let deviceUid: string;
beforeAll(async () => {
  org = await makeOrganization();
  const device = await makeDevice(org);
  deviceUid = device.uid;
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

describe("odometry", () => {
  const setDatum = (datum: object | null) =>
    prisma.device.update({ where: { uid: deviceUid }, data: { metadata: datum === null ? {} : { datum } } });
  afterEach(() => setDatum(null));

  test("without a datum is metres from 0°, 0°, and says so", async () => {
    const track = await readTrack("/odom");
    expect(track).toMatchObject({ is_local: true, without_fix: 0 });
    expect([track?.latitudes[0], track?.longitudes[0]]).toEqual([0, 0]);
    // 990 m to the east of 111,319.49 m a degree, 99 m to the north of 110,574.28.
    expect(track?.longitudes.at(-1)).toBeCloseTo(990 / 111_319.49, 7);
    expect(track?.latitudes.at(-1)).toBeCloseTo(99 / 110_574.28, 7);
  });

  test("lies where the datum of its device places it, turned by its yaw", async () => {
    await setDatum({ lat: 60, lon: 10, yaw: Math.PI / 2 });
    const track = await readTrack("/odom");
    expect(track).toMatchObject({ is_local: false });
    expect([track?.latitudes[0], track?.longitudes[0]]).toEqual([60, 10]);
    // x is north now, and y west: at 60 degrees a degree is 111,412 m to the north and 55,800 m to the east.
    expect(track?.latitudes.at(-1)).toBeCloseTo(60 + 990 / 111_412, 6);
    expect(track?.longitudes.at(-1)).toBeCloseTo(10 - 99 / 55_800, 6);
  });

  test("lies where the first place of a topic is that the datum names; one that has none is no datum", async () => {
    await setDatum({ topic: "/phone" });
    const track = await readTrack("/odom");
    expect(track).toMatchObject({ is_local: false });
    expect([track?.latitudes[0], track?.longitudes[0]]).toEqual([47, 8]);
    for (const topic of ["/speed", "/odom", "/none"]) {
      await setDatum({ topic });
      expect(await readTrack("/odom")).toMatchObject({ is_local: true });
    }
  });

  test("does not change topics of receivers", async () => {
    await setDatum({ lat: 60, lon: 10 });
    expect(await readTrack("/phone")).toMatchObject({
      is_local: false,
      latitudes: expect.arrayContaining([47]) as number[],
    });
  });
});
