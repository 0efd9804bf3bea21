import type { APIRequestContext, Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { share } from "@/server/testing/generated-cases";
import { readScreen } from "./drawn-pixels";
import { expect, live, test, unique, type Api } from "./fixtures";
import { uploadRecording, waitUntilReady } from "./recording-files";
import { bagRows, sceneRows, type SceneRow } from "./scene-rows";
import type { Heading } from "./scene-values";
import { findColour, measureView, panel, status, view } from "./scene-view";
import { ros1Topic, ros2Topic, second, start, toStamp, toStamp1, type WireTopic } from "./wire-formats";

/** Rows stand in frames of their own, so many beside each other, so many metres apart. */
const [columns, apart] = [7, 2.5] as const;
const toPlace = (n: number) => ({ x: (n % columns) * apart, y: Math.floor(n / columns) * apart });
const toFrame = (n: number): string => `row${n}`;

/** Transforms from the map to the frame of each row. */
const listTransforms = (rows: readonly SceneRow[], toHeader: (frame: string) => object): object => ({
  transforms: rows.map((_, n) => ({
    header: toHeader("map"),
    child_frame_id: toFrame(n),
    transform: { translation: { ...toPlace(n), z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } },
  })),
});

async function open(page: Page, api: Api, request: APIRequestContext, bytes: Buffer): Promise<void> {
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Scene" });
  await waitUntilReady(api, uid);
  const tree = JSON.stringify({ v: 1, root: { panel: "p1" }, panels: { p1: { type: "scene", config: {} } } });
  const at = isoFromNs(start + second);
  await page.setViewportSize({ width: 1_920, height: 1_200 });
  await page.goto(`/recordings/${uid}?t=${at}&full=p1&tree=${encodeURIComponent(tree)}`);
  await live(page);
}

/** Shows all layers: at first, only some are. */
async function showAll(page: Page, rows: readonly SceneRow[]): Promise<void> {
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  for (const { topic, isAlwaysShown } of rows) {
    if (isAlwaysShown) continue;
    const shown = page.getByRole("switch", { name: topic, exact: true });
    if ((await shown.getAttribute("aria-checked")) !== "true") await shown.click();
  }
  await page.keyboard.press("Escape");
}

/** Compares each row with what it says, and where it was put. Places within 0.1 m, colours within 8 of 255. */
async function check(page: Page, rows: readonly SceneRow[]): Promise<void> {
  await showAll(page, rows);
  for (const { topic, layer } of rows)
    await expect(view(page)).toHaveAccessibleName(new RegExp(`${topic}: ${layer}(;|$)`));
  await view(page).focus();
  await page.keyboard.press("2");
  await page.keyboard.press("0");
  // Arrows are a few pixels wide.
  await view(page).hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -150);
  await page.keyboard.up("Control");
  const toPixel = await measureView(page);
  const probes = rows.flatMap((row, n) =>
    row.probes.map((probe) => ({
      ...probe,
      topic: row.topic,
      place: { x: toPlace(n).x + probe.at[0], y: toPlace(n).y + probe.at[1] },
    })),
  );
  // The screen follows what the view says of itself some pictures later.
  await expect(async () => {
    const picture = await readScreen(view(page));
    for (const { topic, place, colour } of probes) {
      const pixel = toPixel(place.x, place.y);
      if (colour) expect(findColour(picture, pixel.x, pixel.y, colour), topic).toBeLessThanOrEqual(8);
    }
  }).toPass();
  for (const { topic, at, place, says } of share(probes.filter((probe) => probe.says))) {
    if (!says) continue;
    await view(page).click({ position: toPixel(place.x, place.y) });
    await expect(status(page), `${topic} at ${at.join(", ")}`).toContainText(topic);
    for (const text of says) await expect(status(page)).toContainText(text);
    const findDistance = async (): Promise<number> => {
      const text = (await status(page).innerText()).replaceAll("−", "-");
      const [, x, y] = /(-?[\d.]+), (-?[\d.]+), /.exec(text) ?? [];
      return Math.hypot(Number(x) - place.x, Number(y) - place.y);
    };
    await expect.poll(findDistance, { message: `${topic} at ${at.join(", ")}` }).toBeLessThan(0.1);
  }
}

const write = (topic: WireTopic, time: bigint, value: object): TestMessage => ({
  topic: topic.channel.topic,
  time,
  data: topic.write(value),
});

test("every type of message is drawn where its transforms say, of ROS 2, protobuf and JSON", async ({
  page,
  api,
  request,
}) => {
  const fixed = ros2Topic("/tf_static", "tf2_msgs/TFMessage");
  const time = start + second / 2n;
  const heading = (n: number): Heading => ({
    header: { stamp: toStamp(time), frame_id: toFrame(n) },
    timestamp:
      sceneRows[n]?.wire.channel.messageEncoding === "protobuf"
        ? { seconds: Number(time / second), nanos: Number(time % second) }
        : { sec: Number(time / second), nsec: Number(time % second) },
    frame_id: toFrame(n),
  });
  const messages = [
    write(
      fixed,
      start,
      listTransforms(sceneRows, (frame_id) => ({ stamp: toStamp(start), frame_id })),
    ),
    ...sceneRows.flatMap((row, n) =>
      [row, ...(row.beside ? [row.beside] : [])].flatMap(({ wire, value }) =>
        [0n, 1n].map((later) => write(wire, time + later * second, value(heading(n)))),
      ),
    ),
  ].sort((a, b) => Number(a.time - b.time));
  const channels = [fixed, ...sceneRows.flatMap(({ wire, beside }) => [wire, ...(beside ? [beside.wire] : [])])].map(
    ({ channel }) => channel,
  );
  await open(page, api, request, await writeMcap(channels, messages, { compression: "zstd" }));
  await check(page, sceneRows);
  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  await expect(page.getByText("ARROW_STRIP (12) is not drawn: things 5")).toBeVisible();
});

test("bags of ROS 1 are drawn alike, with frames that begin with a slash @full", async ({ page, api, request }) => {
  const fixed = ros1Topic("/tf_static", "tf2_msgs/TFMessage");
  const time = start + second / 2n;
  const toHeader = (frame: string) => ({ seq: 0, stamp: toStamp1(time), frame_id: `/${frame}` });
  const messages = [
    write(fixed, start, listTransforms(bagRows, toHeader)),
    ...bagRows.flatMap(({ wire, value }, n) => {
      const heading = { header: toHeader(toFrame(n)), timestamp: {}, frame_id: "" };
      return [0n, 1n].map((later) => write(wire, time + later * second, value(heading)));
    }),
  ].sort((a, b) => Number(a.time - b.time));
  const channels = [fixed, ...bagRows.map(({ wire }) => wire)].map(({ channel }) => channel);
  await open(page, api, request, writeBag(channels, messages, { compression: "lz4" }));
  await check(page, bagRows);
});
