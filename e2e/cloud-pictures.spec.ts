import type { Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { encodeDraco } from "@/engine/testing/draco-cloud";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { checkAxe, expect, live, lookFirst, unique, type Api } from "./fixtures";
import { once, onlookers as test } from "./onlookers";
import { toPanelsAddress } from "./panel-address";
import { uploadRecording, waitUntilReady } from "./recording-files";
import { jsonTopic, ros2Topic, second, start, toStamp } from "./wire-formats";

const size = { width: 16, height: 12 } as const;
const cameras = ["/cam", "/raw", "/odd", "/lost"] as const;

const topics = {
  tf: ros2Topic("/tf_static", "tf2_msgs/TFMessage"),
  cloud: ros2Topic("/lidar/points", "sensor_msgs/PointCloud2"),
  late: ros2Topic("/late/points", "sensor_msgs/PointCloud2"),
  many: ros2Topic("/many/points", "sensor_msgs/PointCloud2"),
  packed: jsonTopic("/packed/points", "foxglove.CompressedPointCloud"),
  boxes: jsonTopic("/lidar/boxes", "vision_msgs/Detection3DArray"),
  cut: jsonTopic("/cut/points", "foxglove.CompressedPointCloud"),
};
const images = cameras.map((camera) => jsonTopic(`${camera}/image`, "foxglove.RawImage"));
const infos = cameras.map((camera) => jsonTopic(`${camera}/info`, "sensor_msgs/CameraInfo"));

const toInfo = (camera: (typeof cameras)[number], frame_id: string, stamp: object) => ({
  header: { stamp, frame_id },
  ...(camera === "/odd" ? { width: 32, height: 24 } : size),
  distortion_model: "plumb_bob",
  D: [0, 0, 0, 0, 0],
  K: camera === "/raw" ? Array(9).fill(0) : [8, 0, 7.5, 0, 8, 5.5, 0, 0, 1],
  R: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  // The rectified picture is half as large.
  P: [4, 0, 7.5, 0, 0, 4, 5.5, 0, 0, 0, 1, 0],
});

/** A place in the lidar's frame, x ahead and z up, that the camera sees at a pixel. */
const at = (u: number, v: number, ahead: number): [number, number, number] => [
  ahead + 0.5,
  -((u - 7.5) * ahead) / 8,
  -((v - 5.5) * ahead) / 8,
];

function toCloud(points: readonly (readonly [number, number, number])[], header: object): object {
  const data = Buffer.alloc(points.length * 16);
  for (const [n, point] of points.entries())
    for (const [axis, value] of [...point, n].entries()) data.writeFloatLE(value, n * 16 + axis * 4);
  const fields = ["x", "y", "z", "intensity"].map((name, n) => ({ name, offset: n * 4, datatype: 7, count: 1 }));
  const layout = { height: 1, width: points.length, point_step: 16, row_step: points.length * 16 };
  return { header, ...layout, fields, is_bigendian: false, data, is_dense: true };
}

/** Two beside each other, two behind each other of which the far one comes last, one beside the picture, one behind. */
const points = [at(3, 2, 2), at(12, 9, 8), at(5, 9, 2), at(5, 9, 8), at(20, 2, 2), at(3, 2, -2)];

const compress = (): Promise<Buffer> =>
  encodeDraco(points.length, [
    { kind: "POSITION", parts: 3, values: Float32Array.from(points.flat()) },
    { kind: "GENERIC", parts: 1, values: Float32Array.from(points, (_, n) => n), name: "intensity" },
  ]);

/** Three seconds of four cameras and five clouds, in frames that transforms connect, but for that of the last camera. */
async function makeRecording(): Promise<Buffer> {
  const messages: TestMessage[] = [];
  const add = (wire: (typeof images)[number], time: bigint, value: object) =>
    messages.push({ topic: wire.channel.topic, time, data: wire.write(value) });
  const link = {
    header: { stamp: toStamp(start), frame_id: "lidar" },
    child_frame_id: "optical",
    // Half a metre ahead of the lidar; its x to the right, y down and z ahead.
    transform: { translation: { x: 0.5, y: 0, z: 0 }, rotation: { x: -0.5, y: 0.5, z: -0.5, w: 0.5 } },
  };
  add(topics.tf, start, { transforms: [link] });
  const packed = await compress();
  const many = Array.from({ length: 400_002 }, (_, n) => at(n % 16, n % 12, 2));
  for (let n = 0; n < 3; n++) {
    const time = start + BigInt(n) * second;
    const stamp = toStamp(time);
    for (const [index, camera] of cameras.entries()) {
      const frame = camera === "/lost" ? "elsewhere" : "optical";
      const data = Buffer.alloc(size.width * size.height * 3, 40).toString("base64");
      add(images[index]!, time, {
        timestamp: { sec: Number(time / second), nsec: Number(time % second) },
        frame_id: frame,
        ...size,
        encoding: "rgb8",
        step: size.width * 3,
        data,
      });
      add(infos[index]!, time, toInfo(camera, frame, stamp));
    }
    // Logged after the picture that it was measured with.
    add(topics.cloud, time + 50_000_000n, toCloud(points, { stamp, frame_id: "lidar" }));
    const stamped = { timestamp: { sec: stamp.sec, nsec: stamp.nanosec }, frame_id: "lidar", format: "draco" };
    add(topics.packed, time, { ...stamped, data: packed });
    add(topics.cut, time, { ...stamped, data: packed.subarray(0, packed.length / 2) });
    const center = { position: { x: 4.5, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };
    const results = [{ hypothesis: { class_id: "pallet", score: 0.9 } }];
    add(topics.boxes, time, {
      header: { stamp, frame_id: "lidar" },
      detections: [{ bbox: { center, size: { x: 2, y: 2, z: 2 } }, results }],
    });
    if (n === 2) add(topics.late, time, toCloud(points, { stamp, frame_id: "lidar" }));
    if (n === 0) add(topics.many, time, toCloud(many, { stamp, frame_id: "lidar" }));
  }
  const channels = [
    topics.tf,
    topics.cloud,
    topics.late,
    topics.many,
    topics.packed,
    topics.cut,
    topics.boxes,
    ...images,
    ...infos,
  ];
  messages.sort((a, b) => Number(a.time - b.time));
  return writeMcap(
    channels.map(({ channel }) => channel),
    messages,
    { compression: "zstd" },
  );
}

const panel = (page: Page, camera: string) => page.getByRole("figure", { name: `${camera}/image`, exact: true });

async function upload(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const bytes = await makeRecording();
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Cloud and cameras" });
  await waitUntilReady(api, uid);
  return uid;
}

const cloudAndCameras = once(upload);

const toAddress = (uid: string, names: readonly string[], seconds = 1) =>
  toPanelsAddress(
    uid,
    names.map((camera) => ({ type: "image", config: { topic: `${camera}/image` } })),
    isoFromNs(start + BigInt(seconds) * second + second / 2n),
  );

async function draw(page: Page, camera: string, cloud = "/lidar/points"): Promise<void> {
  await panel(page, camera)
    .getByRole("button", { name: `Settings of ${camera}/image` })
    .click();
  await page.getByRole("switch", { name: "Draw a cloud" }).click();
  if ((await page.getByRole("combobox", { name: "Cloud", exact: true }).textContent()) !== cloud) {
    await page.getByRole("combobox", { name: "Cloud", exact: true }).click();
    await page.getByRole("option", { name: cloud }).click();
  }
  await page.keyboard.press("Escape");
}

/** The pixels that points are drawn in: "x y: red green blue". */
const readPoints = (page: Page, camera: string): Promise<string[]> =>
  panel(page, camera)
    .locator("canvas")
    .nth(1)
    .evaluate((canvas: HTMLCanvasElement) => {
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d")!;
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      return Array.from({ length: data.length / 4 }, (_, n) => n)
        .filter((n) => data[4 * n + 3] !== 0)
        .map((n) => {
          const [x, y] = [n % copy.width, Math.floor(n / copy.width)];
          return `${x} ${y}: ${[...data.slice(4 * n, 4 * n + 3)].join(" ")}`;
        });
    });

/** The ends of Google's colour map Turbo. */
const [near, far] = ["48 18 59", "122 4 3"];

test("a cloud is drawn where the camera sees it, near points over far ones, by its distance or a field", async ({
  page,
}) => {
  const uid = await cloudAndCameras();
  await lookFirst(
    page,
    async () => {
      await page.goto(toAddress(uid, ["/cam"]));
      await live(page);
      await draw(page, "/cam");
      await expect(panel(page, "/cam").getByRole("img", { name: /4 points of/ })).toBeVisible();
      await panel(page, "/cam").getByRole("button", { name: "Settings of /cam/image" }).click();
      await expect(page.getByRole("combobox", { name: "Cloud", exact: true })).toBeVisible();
    },
    () => checkAxe(page),
  );
  await page.keyboard.press("Escape");
  const view = panel(page, "/cam").getByRole("img", { name: /^Picture/ });
  await expect(view).toHaveAccessibleName(/, 4 points of \/lidar\/points$/);
  // The nearest of the four is the one in the middle of the lower rows, which hides the one behind it.
  await expect
    .poll(() => readPoints(page, "/cam"))
    .toEqual([expect.stringMatching(/^3 2: /), `5 9: ${near}`, `12 9: ${far}`]);
  await expect(panel(page, "/cam")).toContainText(/distance\s*2\.2\d*\s*to\s*9\.\d* m/);
  await expect(panel(page, "/cam").getByRole("list", { name: "Notes" })).toHaveCount(0);

  await panel(page, "/cam").getByRole("button", { name: "Settings of /cam/image" }).click();
  await page.getByRole("combobox", { name: "Colour of the cloud" }).click();
  await page.getByRole("option", { name: "intensity" }).click();
  await expect.poll(() => readPoints(page, "/cam")).toContain(`3 2: ${near}`);
  await expect(panel(page, "/cam")).toContainText(/intensity\s*0\s*to\s*3/);
  await page.getByRole("combobox", { name: "Point size" }).click();
  await page.getByRole("option", { name: "3 px" }).click();
  await expect.poll(async () => (await readPoints(page, "/cam")).length).toBe(27);
  // Halved by the rectified camera, which sees the one beside the picture, too.
  await page.getByRole("combobox", { name: "Point size" }).click();
  await page.getByRole("option", { name: "1 px" }).click();
  await page.getByRole("switch", { name: "Rectified" }).click();
  await expect
    .poll(async () => (await readPoints(page, "/cam")).map((point) => point.split(":")[0]))
    .toEqual(["5 4", "14 4", "6 7", "10 7"]);

  // The layout in the address keeps it; a camera without the switch has nothing drawn over it.
  await expect(page).toHaveURL((address) => /"rectified":true/.test(address.searchParams.get("tree") ?? ""));
  await page.reload();
  await expect.poll(async () => (await readPoints(page, "/cam")).length).toBe(4);
  await panel(page, "/cam").getByRole("button", { name: "Settings of /cam/image" }).click();
  await page.getByRole("switch", { name: "Draw a cloud" }).click();
  await expect(panel(page, "/cam").locator("canvas")).toHaveCount(1);
});

test("where a cloud cannot be drawn over a camera its panel says why @full", async ({ page }) => {
  const uid = await cloudAndCameras();
  await page.goto(toAddress(uid, ["/raw", "/odd", "/lost", "/cam"]));
  await live(page);
  for (const camera of cameras) await draw(page, camera);
  const says = (camera: string, text: string) => expect(panel(page, camera)).toContainText(text);
  await says("/raw", "/lidar/points is not drawn: The camera is not calibrated: K[0] is 0.");
  await says("/odd", "The camera is calibrated for 32×24, the picture is 16×12.");
  await says("/lost", "no transform lidar ← elsewhere: elsewhere is not connected (known: lidar, optical)");
  await expect(panel(page, "/cam").getByRole("img", { name: /4 points of/ })).toBeVisible();
});

test("a cloud that begins later, was measured at another time, or has very many points says so @full", async ({
  page,
}) => {
  const uid = await cloudAndCameras();
  // The first cloud by name, which is damaged, is still being read when another one is chosen.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/draco_decoder/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(toAddress(uid, ["/cam", "/lost"]));
  await live(page);
  await draw(page, "/cam", "/late/points");
  release();
  await expect(panel(page, "/cam")).toContainText(
    `First message of /late/points at ${isoFromNs(start + 2n * second).slice(11, 19)}`,
  );
  await panel(page, "/cam").getByRole("button", { name: "Settings of /cam/image" }).click();
  await page.getByRole("combobox", { name: "Cloud", exact: true }).click();
  await page.getByRole("option", { name: "/many/points" }).click();
  await page.keyboard.press("Escape");
  await expect(panel(page, "/cam")).toContainText("/many/points: one in 3 of 400,002 points is drawn");
  await expect(panel(page, "/cam")).toContainText("/many/points: 1.0 s before the picture");
  await expect(panel(page, "/cam").getByRole("img", { name: /133,334 points of/ })).toBeVisible();
});

test("boxes in space are drawn over a picture once they are switched on, and in 3-D @full", async ({ page }) => {
  const uid = await cloudAndCameras();
  await page.goto(toAddress(uid, ["/cam", "/lost"]));
  await live(page);
  const boxes = (camera: string) => panel(page, camera).locator("[data-topic='/lidar/boxes']");
  await expect(panel(page, "/cam").getByRole("img", { name: /^Picture/ })).toBeVisible();
  await expect(boxes("/cam")).toHaveCount(0);
  for (const camera of ["/cam", "/lost"]) {
    await panel(page, camera)
      .getByRole("button", { name: `Settings of ${camera}/image` })
      .click();
    await page.getByRole("switch", { name: "Draw /lidar/boxes" }).click();
    await page.keyboard.press("Escape");
  }
  await expect(boxes("/cam").locator("polyline")).toHaveCount(12);
  await expect(boxes("/cam").locator("text")).toHaveText("pallet 0.90");
  const found = await boxes("/cam")
    .locator("polyline")
    .evaluateAll((lines) =>
      lines.flatMap((line) =>
        (line.getAttribute("points") ?? "").split(" ").map((point) => point.split(",").map(Number)),
      ),
    );
  const [across, down] = [found.map(([x = 0]) => x), found.map(([, y = 0]) => y)];
  // The near side is 3 m ahead and 2 m wide: 8 ÷ 3 pixels from the middle.
  const ends = [across, down].flatMap((parts) => [Math.min(...parts), Math.max(...parts)]);
  for (const [n, wanted] of [8 - 8 / 3, 8 + 8 / 3, 6 - 8 / 3, 6 + 8 / 3].entries())
    expect(ends[n]).toBeCloseTo(wanted, 4);
  await expect(panel(page, "/lost")).toContainText("/lidar/boxes: no transform lidar ← elsewhere");

  await page.goto(toPanelsAddress(uid, [{ type: "scene", config: {} }], isoFromNs(start + second)));
  const scene = page.getByRole("figure", { name: "3-D" }).getByRole("img");
  await expect(scene).toHaveAccessibleName(/\/lidar\/boxes: 1 object/);
});

test("a cloud that Draco compressed is drawn as any other, by a decoder that is loaded when one is met @full", async ({
  page,
}) => {
  const uid = await cloudAndCameras();
  const loaded: string[] = [];
  page.on("request", (each) => /draco/.test(each.url()) && loaded.push(new URL(each.url()).pathname));
  const moment = isoFromNs(start + second + second / 2n);
  const config = { topic: "/cam/image", cloud: { topic: "/lidar/points" } };
  await page.goto(toPanelsAddress(uid, [{ type: "image", config }], moment));
  await live(page);
  await expect(panel(page, "/cam").getByRole("img", { name: /4 points of \/lidar\/points/ })).toBeVisible();
  await expect.poll(async () => (await readPoints(page, "/cam")).length).toBe(3);
  const plain = await readPoints(page, "/cam");
  expect(loaded).toEqual([]);

  await panel(page, "/cam").getByRole("button", { name: "Settings of /cam/image" }).click();
  await page.getByRole("combobox", { name: "Cloud", exact: true }).click();
  await page.getByRole("option", { name: "/packed/points" }).click();
  await expect(panel(page, "/cam").getByRole("img", { name: /4 points of \/packed\/points/ })).toBeVisible();
  await expect.poll(() => readPoints(page, "/cam")).toEqual(plain);
  expect(loaded.sort()).toEqual([
    expect.stringMatching(/^\/engine\/draco_decoder-\w+\.wasm$/),
    expect.stringMatching(/^\/engine\/draco_wasm_wrapper-\w+\.js$/),
  ]);
  await page.getByRole("combobox", { name: "Cloud", exact: true }).click();
  await page.getByRole("option", { name: "/cut/points" }).click();
  await expect(panel(page, "/cam")).toContainText("/cut/points is not drawn: The Draco data is damaged");

  await page.goto(toPanelsAddress(uid, [{ type: "scene", config: {} }], moment));
  const scene = page.getByRole("figure", { name: "3-D" }).getByRole("img");
  await expect(scene).toHaveAccessibleName(/\/packed\/points: 6 points/);
  await expect(scene).toHaveAccessibleName(/\/cut\/points: The Draco data is damaged/);
  await expect(scene).toHaveAccessibleName(/\/lidar\/points: 6 points/);
});
