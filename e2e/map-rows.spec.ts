import type { APIRequestContext, Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { readScreen } from "./drawn-pixels";
import { expect, live, registerDevice, test, type Api, type Device } from "./fixtures";
import { start } from "./map-recording";
import { uploadRecording, waitUntilReady } from "./recording-files";

const schemas = {
  "/gps/lost": "sensor_msgs/NavSatFix",
  "/gps/unset": "sensor_msgs/NavSatFix",
  "/gps/car": "foxglove.LocationFix",
  "/odom": "nav_msgs/Odometry",
  "/zones": "foxglove.GeoJSON",
} as const;
type Topic = keyof typeof schemas;
const allTopics = Object.keys(schemas) as Topic[];

/** Ten seconds: a receiver that loses its fix, one that never sets its status, a coloured one, odometry, and torn GeoJSON. */
function writeRows(topics: readonly Topic[] = allTopics): Promise<Buffer> {
  const channels = topics.map((topic) => ({
    topic,
    schemaName: schemas[topic],
    messageEncoding: "json",
    schemaEncoding: "jsonschema",
    schema: "{}",
  }));
  const messages = Array.from({ length: 101 }, (_, n): TestMessage[] => {
    const write = (topic: Topic, value: object): TestMessage => ({
      topic,
      time: start + BigInt(n) * 100_000_000n,
      data: Buffer.from(JSON.stringify(value)),
    });
    const place = { latitude: 47, longitude: 8 + n * 1e-5 };
    return [
      write("/gps/lost", { ...place, status: { status: n > 50 ? -1 : 0 } }),
      write("/gps/unset", { ...place, status: { status: -2 } }),
      write("/gps/car", { ...place, heading: 180, velocity: { x: 3, y: 4, z: 0 }, color: { r: 1, g: 0, b: 1, a: 1 } }),
      write("/odom", { pose: { pose: { position: { x: n / 10, y: 0 } } } }),
      write("/zones", { geojson: '{"type": "Feature" "geometry"}' }),
    ];
  });
  const isKept = ({ topic }: TestMessage) => channels.some((channel) => channel.topic === topic);
  return writeMcap(channels, messages.flat().filter(isKept), { compression: "zstd" });
}

async function open(page: Page, api: Api, request: APIRequestContext, topic: Topic, device: Device) {
  const { uid } = await uploadRecording(api, request, { bytes: await writeRows(), device, name: "Rows" });
  await waitUntilReady(api, uid);
  const tree = JSON.stringify({ v: 1, root: { panel: "p1" }, panels: { p1: { type: "map", config: { topic } } } });
  const at = isoFromNs(start + 8_000_000_000n);
  await page.goto(`/recordings/${uid}?t=${at}&full=p1&tree=${encodeURIComponent(tree)}`);
  await live(page);
  return page.getByRole("figure", { name: topic });
}

/** Whether the map has a colour, within 20 of 255. */
async function hasColour(page: Page, [red, green, blue]: readonly [number, number, number]): Promise<boolean> {
  const { data, width, height } = await readScreen(page.getByRole("img", { name: /^Map of/ }));
  for (let at = 0; at < width * height * 3; at += 3)
    if (Math.max(Math.abs(data[at]! - red), Math.abs(data[at + 1]! - green), Math.abs(data[at + 2]! - blue)) < 20)
      return true;
  return false;
}

test("a place without a fix has the word, also of a receiver that never had one", async ({ page, api, request }) => {
  const device = await registerDevice(api);
  const lost = await open(page, api, request, "/gps/lost", device);
  await expect(lost).toContainText("47.000000, 8.000800, no fix");
  await expect(page.getByRole("img", { name: /^Map of/ })).toHaveAccessibleName(/8\.000800, no fix/);
  const unset = await open(page, api, request, "/gps/unset", device);
  await expect(unset).toContainText("47.000000, 8.000800, status not set");
  await expect(unset.getByText("No map tiles are set up; distances are true. MAP_STYLE_URL names a map")).toBeVisible();
});

test("a fix has the heading, speed and colour of its message; torn GeoJSON says where @full", async ({
  page,
  api,
  request,
}) => {
  const car = await open(page, api, request, "/gps/car", await registerDevice(api));
  await expect(car).toContainText("47.000000, 8.000800, 5 m/s");
  await expect.poll(() => hasColour(page, [255, 0, 255])).toBe(true);
  await expect(car.getByRole("list", { name: "Not shown" })).toHaveText(
    /^\/zones: Cannot be shown: not GeoJSON: Unexpected token at 19 /,
  );
});

test("odometry is metres of its frame, until a datum of its device places it on earth @full", async ({
  page,
  api,
  request,
}) => {
  const device = await registerDevice(api);
  const odometry = await open(page, api, request, "/odom", device);
  await expect(odometry).toContainText("x 8 m, y 0 m");
  await expect(odometry.getByText("No datum places this frame on earth; distances are true")).toBeVisible();
  await api.patch(`/fleet/devices/${device.uid}/`, { metadata: { datum: { lat: 47, lon: 8, yaw: 0 } } });
  await page.reload();
  await live(page);
  // 8 m at 75,970 m a degree.
  await expect(odometry).toContainText("47.000000, 8.000105");
});

test("recordings of odometry are compared on maps where a datum places them @full", async ({ page, api, request }) => {
  const device = await registerDevice(api, { metadata: { datum: { lat: 47, lon: 8, yaw: 0 } } });
  const upload = async (name: string) => {
    const { uid } = await uploadRecording(api, request, { bytes: await writeRows(["/odom"]), device, name });
    await waitUntilReady(api, uid);
    return uid;
  };
  const [a, b] = [await upload("First"), await upload("Second")];
  await page.goto(`/recordings/compare?a=${a}&b=${b}&t=${isoFromNs(start + 8_000_000_000n)}`);
  await live(page);
  const pair = page.getByRole("region", { name: "Map /odom" });
  for (const letter of ["A", "B"])
    await expect(pair.getByRole("group", { name: `${letter}: Map /odom` })).toContainText("47.000000, 8.000105");
});
