import { readFileSync } from "node:fs";
import sharp from "sharp";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { expectPixels } from "./drawn-pixels";
import { expect, live, test, unique, widths } from "./fixtures";
import { toPanelsAddress } from "./panel-address";
import { pictureSize, pixels } from "./picture-rows";
import { uploadRecording, waitUntilReady } from "./recording-files";
import { cloudValue } from "./scene-values";
import { jsonTopic, ros2Topic, second, start, toStamp, type WireTopic } from "./wire-formats";

interface Broken {
  wire: WireTopic;
  value: object;
  /** Changes the bytes of the message. */
  damage?: (data: Uint8Array) => Uint8Array;
  reason: string | RegExp;
}

const time = start + second / 2n;
const header = { stamp: toStamp(time), frame_id: "map" };
const raw = { ...pictureSize, encoding: "rgb8", step: pictureSize.width * 3, data: pixels };
const image = (topic: string) => ros2Topic(topic, "sensor_msgs/Image");
const imageValue = (change: object = {}) => ({ header, is_bigendian: 0, ...raw, ...change });
const half = (data: Uint8Array): Uint8Array => data.subarray(0, data.length / 2);

/** A PNG file that says it has so many pixels, and none of them. */
function makeBomb(side: number): Buffer {
  const file = Buffer.alloc(57);
  file.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  file.writeUInt32BE(13, 8);
  file.write("IHDR", 12, "latin1");
  file.writeUInt32BE(side, 16);
  file.writeUInt32BE(side, 20);
  file.set([8, 2, 0, 0, 0], 24);
  return file;
}

const makePictures = async (): Promise<Broken[]> => {
  const jpeg = await sharp(pixels, { raw: { ...pictureSize, channels: 3 } })
    .jpeg()
    .toBuffer();
  const file = (topic: string) => ros2Topic(topic, "sensor_msgs/CompressedImage");
  return [
    {
      wire: image("/short"),
      value: imageValue({ data: pixels.subarray(0, 100) }),
      reason: "The message says 32 × 24 rgb8 (2,304 bytes) but carries 100.",
    },
    {
      wire: image("/huge"),
      value: imageValue({ width: 40_000, height: 40_000, step: 120_000 }),
      reason: "The picture has 40000 × 40000 pixels; at most 100 megapixels are shown.",
    },
    { wire: image("/step"), value: imageValue({ step: 10 }), reason: /The field "step" is 10/ },
    {
      wire: image("/unknown"),
      value: imageValue({ encoding: "bayer_xtrans" }),
      reason: 'The encoding "bayer_xtrans" is not known.',
    },
    {
      wire: image("/cut"),
      value: imageValue(),
      damage: half,
      reason: "A message declares an array longer than itself.",
    },
    { wire: file("/cut_file"), value: { header, format: "jpeg", data: half(jpeg) }, reason: /damaged/ },
    { wire: file("/bomb"), value: { header, format: "png", data: makeBomb(60_000) }, reason: /megapixels|damaged/ },
  ];
};

const cloud = cloudValue({ header, timestamp: {}, frame_id: "map" });
const clouds: readonly Broken[] = [
  {
    wire: ros2Topic("/cloud_huge", "sensor_msgs/PointCloud2"),
    value: { ...cloud, width: 1_000_000_000 },
    reason: "The cloud says 1,000,000,000 points; at most 20,000,000 are drawn.",
  },
  {
    wire: ros2Topic("/cloud_short", "sensor_msgs/PointCloud2"),
    value: { ...cloud, width: 3, row_step: 60 },
    reason: "The message says 3 × 1 points of 20 bytes (60) but carries 40.",
  },
  {
    wire: ros2Topic("/cloud_cut", "sensor_msgs/PointCloud2"),
    value: cloud,
    damage: half,
    reason: "A message declares a string longer than itself.",
  },
  {
    wire: jsonTopic("/pose_nowhere", "geometry_msgs/PoseStamped"),
    value: { header, pose: { position: { x: "NaN", y: 0, z: 0 } } },
    reason: /The field "x" is not a (finite )?number\./,
  },
  {
    wire: jsonTopic("/draco", "foxglove.CompressedPointCloud"),
    value: { frame_id: "map", format: "draco", data: Buffer.alloc(12) },
    reason: "The data does not begin as Draco's does.",
  },
  {
    wire: ros2Topic("/grid_short", "nav_msgs/OccupancyGrid"),
    value: { header, info: { width: 1_000, height: 1_000, resolution: 0.1 }, data: Int8Array.of(1, 2) },
    reason: "The message says 1000 × 1000 cells but carries 2.",
  },
];

test("a message that is wrong, huge or damaged says why in its panel, and the others go on", async ({
  page,
  api,
  request,
}) => {
  const broken = [...(await makePictures()), ...clouds];
  const fine = [image("/fine"), ros2Topic("/cloud_fine", "sensor_msgs/PointCloud2")] as const;
  const messages = [0n, 1n].flatMap((later): TestMessage[] => [
    { topic: "/fine", time: time + later * second, data: fine[0].write(imageValue()) },
    { topic: "/cloud_fine", time: time + later * second, data: fine[1].write(cloud) },
    ...broken.map(({ wire, value, damage = (data) => data }) => ({
      topic: wire.channel.topic,
      time: time + later * second,
      data: damage(wire.write(value)),
    })),
  ]);
  // Of this one not even a field is known.
  const stub = jsonTopic("/stub", "geometry_msgs/PoseStamped");
  messages.push({ topic: "/stub", time, data: Buffer.from('{"pose":') });
  const channels = [stub, ...fine, ...broken.map(({ wire }) => wire)].map(({ channel }) => channel);
  const bytes = await writeMcap(channels, messages, { compression: "zstd" });
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Broken" });
  await waitUntilReady(api, uid);

  const pictures = broken.filter(({ wire }) => /Image/.test(wire.channel.schemaName ?? ""));
  const panels = ["/fine", ...pictures.map(({ wire }) => wire.channel.topic)].map((topic) => ({
    type: "image",
    config: { topic },
  }));
  const table = { type: "table", config: { topic: "/cut", rows: "all" } };
  await page.goto(toPanelsAddress(uid, [...panels, { type: "scene", config: {} }, table], isoFromNs(time)));
  await live(page);
  for (const { wire, reason } of pictures)
    await expect(page.getByRole("figure", { name: wire.channel.topic, exact: true })).toContainText(reason);
  const scene = page.getByRole("figure", { name: "3-D" });
  const view = scene.getByRole("img");
  for (const { wire, reason } of clouds) {
    const { topic } = wire.channel;
    const text = typeof reason === "string" ? reason.replaceAll(/[.()×?]/g, "\\$&") : reason.source;
    await expect(view).toHaveAccessibleName(new RegExp(`${topic}: ${text}`));
  }
  await expect(view).toHaveAccessibleName(/\/cloud_fine: 2 points/);

  // What it holds is seen and saved from where it cannot be shown.
  const short = broken.find(({ wire }) => wire.channel.topic === "/short")!;
  const figure = page.getByRole("figure", { name: "/short", exact: true });
  await expect(figure).toContainText(/^\/shortCannot be shown: .* · Raw · Download message$/);
  const saved = page.waitForEvent("download");
  await figure.getByRole("button", { name: "Download message of /short" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`short_${time}.cdr`);
  expect(readFileSync(await file.path())).toEqual(Buffer.from(short.wire.write(short.value)));
  await figure.getByRole("button", { name: "Raw message of /short" }).click();
  const message = page.getByRole("group", { name: /^Panel \d+: Message \/short$/ });
  await expect(message.getByRole("group", { name: "Message" })).toContainText("rgb8");
  await page
    .getByRole("figure", { name: "/huge", exact: true })
    .getByRole("button", { name: "Raw message of /huge" })
    .press("Enter");
  await expect(page.getByRole("group", { name: /^Panel \d+: Message/ })).toHaveCount(1);
  await expect(page.getByRole("group", { name: /^Panel \d+: Message \/huge$/ })).toContainText("40000");
  const rows = page.getByRole("table", { name: "Messages of /cut" }).getByRole("row");
  await expect(rows.nth(1)).toContainText(/Cannot be shown: A message declares an array.* · Raw · Download message$/);
  await rows.nth(1).getByRole("button", { name: "Raw message of /cut" }).click();
  await expect(page.getByRole("group", { name: /^Panel \d+: Message \/cut$/ })).toBeVisible();
  const failedCloud = scene.getByRole("listitem").filter({ hasText: "/cloud_huge: Cannot be shown: " });
  await expect(failedCloud.getByRole("button", { name: "Download message of /cloud_huge" })).toBeVisible();

  // The thread of all these goes on: what is fine follows the playhead.
  const moved = isoFromNs(time + second).slice(0, 19);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("img", { name: new RegExp(`^Picture of /fine of ${moved}`) })).toBeVisible();
  await expectPixels(page, "/fine", [...pixels]);
  await expect(view).toHaveAccessibleName(new RegExp(`^3-D view of ${moved}.*/cloud_fine: 2 points`));

  // Plots say the same, in panels and among the lanes.
  const [inPanel, amongLanes] = ["/stub.pose.position.x", "/stub.pose.position.y"];
  const plot = { type: "plot", config: { series: [inPanel], arrangement: "time" } };
  await page.goto(`${toPanelsAddress(uid, [plot], isoFromNs(time))}&plots=${encodeURIComponent(amongLanes)}`);
  await live(page);
  for (const plots of [
    page.getByRole("list", { name: "Plotted fields" }),
    page.getByRole("region", { name: "Plots" }),
  ]) {
    await expect(plots).toContainText(/Cannot be shown: .+ · Raw · Download message/);
    await plots.getByRole("button", { name: "Raw message of /stub" }).click();
    await expect(page.getByRole("combobox", { name: "Topic of the message" }).last()).toContainText("/stub");
  }

  // On a phone what can be done with a row is seen without scrolling sideways.
  await page.setViewportSize(widths.phone);
  await page.goto(`/recordings/${uid}?tab=table&topic=/cut&t=${isoFromNs(time)}`);
  await page.getByRole("radio", { name: "All messages" }).click();
  const actions = page.getByRole("table", { name: "Messages of /cut" }).getByRole("row").nth(1).getByRole("button");
  await actions.first().scrollIntoViewIfNeeded();
  await expect(actions).toHaveText([/:/, "Raw", "Download message"]);
  for (const action of await actions.all()) await expect(action).toBeInViewport({ ratio: 1 });
});
