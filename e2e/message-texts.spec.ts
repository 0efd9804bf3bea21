import type { APIRequestContext, Locator, Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { expect, live, test, unique, type Api } from "./fixtures";
import { toPanelsAddress } from "./panel-address";
import { uploadRecording, waitUntilReady } from "./recording-files";
import {
  jsonTopic,
  protobufTopic,
  readReference,
  ros2Topic,
  second,
  start,
  toStamp,
  toTimestamp,
  type WireTopic,
} from "./wire-formats";

interface Sent {
  wire: WireTopic;
  /** The nth of ten messages, one each second. */
  value: (n: number, time: bigint) => object;
}

async function upload(api: Api, request: APIRequestContext, sent: readonly Sent[]) {
  const messages = Array.from({ length: 10 }, (_, n) =>
    sent.map(({ wire, value }): TestMessage => {
      const time = start + BigInt(n) * second;
      return { topic: wire.channel.topic, time, data: wire.write(value(n, time)) };
    }),
  ).flat();
  const topics = sent.map(({ wire }) => wire);
  const bytes = await writeMcap(
    topics.map(({ channel }) => channel),
    messages,
    { compression: "zstd" },
  );
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Texts" });
  await waitUntilReady(api, uid);
  return { uid, reference: await readReference(bytes, topics) };
}

const place = (n: number) => ({ latitude: 47 + n * 1e-4, longitude: 8 + n * 2e-4, altitude: 400 });
/** Of a standard deviation of 1.5 m in each direction. */
const covariance = [2.25, 0, 0, 0, 2.25, 0, 0, 0, 9];

const fixes: readonly Sent[] = [
  {
    wire: ros2Topic("/fix", "sensor_msgs/NavSatFix"),
    value: (n, time) => ({
      header: { stamp: toStamp(time), frame_id: "gps" },
      status: { status: 0, service: 1 },
      ...place(n),
      position_covariance: covariance,
      position_covariance_type: 2,
    }),
  },
  {
    wire: protobufTopic("/phone", "foxglove.LocationFix"),
    value: (n, time) => ({
      timestamp: toTimestamp(time),
      frame_id: "gps",
      ...place(n),
      position_covariance: [16, 0, 0, 0, 4, 0, 0, 0, 9],
      position_covariance_type: 2,
    }),
  },
  { wire: jsonTopic("/gps", "gps_common/GPSFix"), value: (n) => ({ status: { status: 0 }, ...place(n), track: 90 }) },
  {
    wire: ros2Topic("/goal", "geographic_msgs/GeoPoseStamped"),
    value: (n, time) => ({
      header: { stamp: toStamp(time), frame_id: "" },
      pose: { position: place(n), orientation: { x: 0, y: 0, z: 0, w: 1 } },
    }),
  },
];

const ring = [
  [8, 47],
  [8.0018, 47],
  [8.0018, 47.0009],
  [8, 47],
];
const zone = {
  type: "Feature",
  properties: { style: { color: "#ff00ff", fillColor: "#ff0000", fillOpacity: 1 } },
  geometry: { type: "Polygon", coordinates: [ring] },
};
const shapes: readonly Sent[] = [
  { wire: jsonTopic("/zone", "foxglove.GeoJSON"), value: () => ({ geojson: JSON.stringify(zone) }) },
  { wire: jsonTopic("/zone_broken", "foxglove_msgs/msg/GeoJSON"), value: () => ({ geojson: "{broken" }) },
];

/** Pixels of a map in the colour that the zone is filled with. */
const countRed = (page: Page, topic: string): Promise<number> =>
  page.getByRole("img", { name: new RegExp(`^Map of ${topic}:`) }).evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === 255 && data[at + 1] === 0 && data[at + 2] === 0) count += 1;
    return count;
  });

const measure = (part: Locator): Promise<DOMRect> => part.evaluate((element) => element.getBoundingClientRect());

test("maps say where every kind of fix was, how accurate it is, and draw what topics of shapes hold @full", async ({
  page,
  api,
  request,
}) => {
  const { uid, reference } = await upload(api, request, [...fixes, ...shapes]);
  const panels = fixes.map(({ wire }) => ({ type: "map", config: { topic: wire.channel.topic } }));
  await page.goto(toPanelsAddress(uid, panels, isoFromNs(start + 4n * second)));
  await live(page);
  const accuracies: Readonly<Record<string, string>> = { "/fix": "; accurate to 3 m", "/phone": "; accurate to 8 m" };
  for (const { wire } of fixes) {
    const { topic } = wire.channel;
    const message = reference.get(topic)?.[4] as { pose?: { position: object } };
    const found = (message.pose?.position ?? message) as { latitude: number; longitude: number };
    const where = `${found.latitude.toFixed(6)}, ${found.longitude.toFixed(6)}`;
    await expect(page.getByRole("img", { name: `Map of ${topic}` })).toHaveAccessibleName(
      `Map of ${topic}: ${where}${accuracies[topic] ?? ""}; 1 shape of /zone`,
    );
    await expect.poll(() => countRed(page, topic)).toBeGreaterThan(1_000);
    // In maps as narrow as these, why there is no map lies below the buttons that zoom.
    const figure = page.getByRole("figure", { name: topic, exact: true });
    const { y, height } = await measure(figure.getByRole("button", { name: "Zoom out" }));
    expect((await measure(figure.getByText("No map tiles are set up"))).y).toBeGreaterThanOrEqual(y + height);
    // What is broken says why, and the other shapes stay.
    await expect(
      page.getByRole("figure", { name: topic, exact: true }).getByRole("list", { name: "Not shown" }),
    ).toContainText(/^\/zone_broken: Cannot be shown: not GeoJSON: Unexpected token at 1 /);
  }
});

test("shapes without the way of a robot have a map of their own @full", async ({ page, api, request }) => {
  const { uid } = await upload(api, request, shapes.slice(0, 1));
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await expect(page.getByRole("img", { name: "Map of /zone: 1 shape of /zone" })).toBeVisible();
  await expect.poll(() => countRed(page, "/zone")).toBeGreaterThan(1_000);
});

const levels = ["debug", "info", "warning", "error", "fatal"] as const;
const level = (n: number): (typeof levels)[number] => levels[n % levels.length]!;
const terminal = `${String.fromCharCode(27)}[31m<b>cycle</b>\0`;

const texts: readonly Sent[] = [
  {
    wire: ros2Topic("/rosout", "rcl_interfaces/Log"),
    value: (n, time) => ({
      stamp: toStamp(time),
      level: (levels.indexOf(level(n)) + 1) * 10,
      name: "motor",
      msg: `${terminal} ${n}`,
      file: "motor.cpp",
      function: "run",
      line: n,
    }),
  },
  {
    wire: protobufTopic("/log", "foxglove.Log"),
    value: (n, time) => ({
      timestamp: toTimestamp(time),
      level: levels.indexOf(level(n)) + 1,
      message: `plan ${n}`,
      name: "planner",
    }),
  },
  {
    wire: jsonTopic("/rosout_agg", "rosgraph_msgs/Log"),
    value: (n) => ({ level: 2 ** levels.indexOf(level(n)), name: "arm", msg: `grip ${n}` }),
  },
  {
    wire: ros2Topic("/diagnostics", "diagnostic_msgs/DiagnosticArray"),
    value: (n, time) => ({
      header: { stamp: toStamp(time), frame_id: "" },
      status: [
        {
          level: 2,
          name: "/base/motor",
          message: `Hot ${n}`,
          hardware_id: "m1",
          values: [{ key: "t", value: `${80 + n}` }],
        },
        { level: 1, name: "/base/radio", message: "Weak", hardware_id: "r1", values: [] },
      ],
    }),
  },
  {
    wire: ros2Topic("/battery", "sensor_msgs/BatteryState"),
    value: (n, time) => ({
      header: { stamp: toStamp(time), frame_id: "base" },
      voltage: 24.5 - n / 2,
      temperature: Number.NaN,
      current: -1.25,
      charge: 0,
      capacity: 0,
      design_capacity: 0,
      percentage: 0.75,
      power_supply_status: n < 5 ? 1 : 2,
      power_supply_health: 1,
      power_supply_technology: 3,
      present: true,
      cell_voltage: [4.125, 4.25],
      cell_temperature: [],
      location: "slot",
      serial_number: "42",
    }),
  },
];

test("logs, diagnostics, messages, tables and states hold what other decoders read @full", async ({
  page,
  api,
  request,
}) => {
  const { uid, reference } = await upload(api, request, texts);
  const at = isoFromNs(start + 7n * second);
  await page.goto(`/recordings/${uid}?tab=log&t=${at}`);
  await live(page);
  const lines = page.getByRole("list", { name: "Log lines" }).getByRole("listitem");
  await expect(lines).toHaveCount(30);
  for (let n = 0; n < 10; n++)
    for (const text of [`motor: <b>cycle</b> ${n}`, `planner: plan ${n}`, `arm: grip ${n}`])
      await expect(lines.filter({ hasText: text })).toContainText(level(n));

  await page.getByRole("tab", { name: "Diagnostics" }).click();
  const [, , , , , , , array] = reference.get("/diagnostics") as { status: { name: string; message: string }[] }[];
  await expect(page.getByRole("list", { name: "Diagnostics" }).getByRole("listitem")).toHaveText(
    (array?.status ?? []).map(({ name, message }) => new RegExp(`${name}.*${message}`)),
  );

  const battery = (reference.get("/battery") as Record<string, unknown>[])[7]!;
  await page.goto(`/recordings/${uid}?tab=message&topic=/battery&t=${at}`);
  await live(page);
  const tree = page.getByRole("group", { name: "Message" });
  // With the sign of typographers.
  const shown = (field: string): string => String(battery[field]).replace("-", "−");
  for (const field of ["voltage", "current", "percentage", "present"])
    await expect(tree.getByRole("button", { name: new RegExp(`^${field}`) }).first()).toContainText(
      `${field}${shown(field)}`,
    );
  await expect(tree).toContainText("NaN");

  await page.goto(`/recordings/${uid}?tab=table&topic=/battery&t=${at}`);
  await live(page);
  const table = page.getByRole("table", { name: "Latest message of /battery" });
  for (const field of ["voltage", "current", "percentage", "present"])
    await expect(table.getByRole("row", { name: new RegExp(`^${field}`) })).toContainText(shown(field));

  await page.goto(`/recordings/${uid}?tab=states&t=${at}`);
  await live(page);
  await expect(page.getByRole("region", { name: "/battery.power_supply_status" })).toContainText(/DISCHARGING|2/);
});
