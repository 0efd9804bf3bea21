import type { Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap } from "@/engine/testing/write-mcap";
import { expect, live, test, unique, type Api } from "./fixtures";
import { onlookers, once } from "./onlookers";
import { toPanelsAddress } from "./panel-address";
import { pictureSize, pixels } from "./picture-rows";
import { uploadRecording, waitUntilReady } from "./recording-files";
import { jsonTopic, second, start, toStamp } from "./wire-formats";

const topics = {
  picture: jsonTopic("/cam", "foxglove.RawImage"),
  pose: jsonTopic("/pose", "geometry_msgs/PoseStamped"),
  fix: jsonTopic("/fix", "sensor_msgs/NavSatFix"),
  log: jsonTopic("/rosout", "rcl_interfaces/msg/Log"),
  parts: jsonTopic("/diagnostics", "diagnostic_msgs/DiagnosticArray"),
} as const;

/** A panel of each type. */
const panels = [
  { type: "image", config: { topic: "/cam" } },
  { type: "scene", config: {} },
  { type: "map", config: { topic: "/fix" } },
  { type: "plot", config: { series: ["/fix.latitude"] } },
  { type: "log", config: { level: "debug", search: "" } },
  { type: "diagnostics", config: { all: true } },
  { type: "states", config: { search: "" } },
  { type: "raw", config: { topic: "/rosout" } },
  { type: "table", config: { topic: "/rosout", rows: "latest" } },
] as const;

/** After so long, in nanoseconds, nothing is recorded for a while. */
const pauseAt = 5n * second;
const pause = 60n * second;

/** Ten seconds of every topic, with a pause. */
async function openAll(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const messages = Array.from({ length: 100 }, (_, n) => {
    const at = (BigInt(n) * second) / 10n;
    const time = start + (at < pauseAt ? at : at + pause);
    const header = { stamp: toStamp(time), frame_id: "map" };
    const raw = { timestamp: toStamp(time), frame_id: "cam", ...pictureSize, encoding: "rgb8", step: 96 };
    const values = {
      picture: { ...raw, data: pixels.toString("base64") },
      pose: { header, pose: { position: { x: n, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } } },
      fix: { header, status: { status: 0 }, latitude: 52 + n / 1e5, longitude: 13, altitude: 0 },
      log: { stamp: toStamp(time), level: 20, name: "node", msg: `line ${n}` },
      parts: { header, status: [{ level: 0, name: "motor", message: "", hardware_id: "", values: [] }] },
    };
    return (Object.keys(topics) as (keyof typeof topics)[]).map((name) => ({
      topic: topics[name].channel.topic,
      time,
      data: topics[name].write(values[name]),
    }));
  }).flat();
  const channels = Object.values(topics).map(({ channel }) => channel);
  const bytes = await writeMcap(channels, messages, { compression: "", chunkBytes: 16_384 });
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "All panels" });
  await waitUntilReady(api, uid);
  return uid;
}

const all = once(openAll);

const group = (page: Page, number: number) => page.getByRole("group", { name: new RegExp(`^Panel ${number}:`) });

test("a bucket that refuses and files that are gone are said in the same words by every panel that reads them", async ({
  page,
  api,
  request,
}) => {
  const uid = await openAll(api, request);
  const reading = [1, 2, 5, 6];
  const refuse = (status: number, detail: string) =>
    page.route(`**/media/recordings/${uid}/**`, (route) =>
      route.fulfill({ status, contentType: "application/json", body: JSON.stringify({ detail }) }),
    );
  await refuse(502, 'The bucket "yard-logs" could not be used: access denied (403).');
  await page.goto(toPanelsAddress(uid, panels, isoFromNs(start + second)));
  await live(page);
  for (const number of reading) {
    await expect(group(page, number)).toContainText("Bucket yard-logs does not answer (403). Storage");
    await expect(group(page, number).getByRole("link", { name: "Storage" })).toHaveAttribute("href", "/storage");
  }
  await page.unroute(`**/media/recordings/${uid}/**`);
  await refuse(404, "Not found.");
  await page.reload();
  await live(page);
  for (const number of reading)
    await expect(group(page, number)).toContainText("The files of this recording are gone; its evidence stays.");
  await page.unroute(`**/media/recordings/${uid}/**`);
});

onlookers("a playhead where the recording has no data is said by every type of panel @full", async ({ page }) => {
  const uid = await all();
  await page.goto(toPanelsAddress(uid, panels, isoFromNs(start + pauseAt + pause / 2n)));
  await live(page);
  for (let number = 1; number <= panels.length; number++)
    await expect(group(page, number)).toContainText(/no data \d\d:\d\d:\d\d–\d\d:\d\d:\d\d/);
  await page.goto(toPanelsAddress(uid, panels, isoFromNs(start + second)));
  await live(page);
  await expect(group(page, 1).getByRole("img", { name: /^Picture of \/cam/ })).toBeVisible();
  await expect(page.getByText(/^no data/)).toHaveCount(0);
});
