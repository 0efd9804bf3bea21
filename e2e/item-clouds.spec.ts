import type { Page } from "@playwright/test";
import { inDatabase } from "./data-loop";
import { makeDataset } from "./dataset-files";
import { checkAxe, expect, inNextLook, live, test, unique } from "./fixtures";
import { cloudFile, pictureFile } from "./item-files";

test("a point cloud is drawn and coloured; one that cannot be says why and can be downloaded", async ({
  page,
  api,
  request,
}) => {
  const flat = Buffer.from(cloudFile().toString("latin1").replace("x y z", "x y h"), "latin1");
  const files = { "scan.pcd": cloudFile(), "strange.pcd": flat };
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, files);
  await page.goto(`${path}/items/${items.get("scan.pcd")}?ordering=key`);
  await live(page);
  await expect(page.getByText("400 points")).toHaveAttribute("data-drawn", "400");
  await page.getByRole("button", { name: "Side" }).click();
  await expect(page.getByRole("button", { name: "Side" })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("heading", { name: "It cannot be drawn" })).toBeVisible();
  await expect(page.getByText('The point cloud has no field "z".')).toBeVisible();
  await expect(page.getByRole("alert").getByRole("link", { name: "Download" })).toBeVisible();
  await inNextLook(page, async () => {
    await page.goto(`${path}/items/${items.get("scan.pcd")}`);
    await expect(page.getByText("400 points")).toHaveAttribute("data-drawn", "400");
  });
});

/** Drags a box over the left half of the cloud. */
async function boxLeftHalf(page: Page): Promise<void> {
  const area = page.getByRole("application", { name: "Box around the points to keep" });
  const { x, y, width, height } = (await area.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width / 2, y + height - 1);
  await page.mouse.down();
  await page.mouse.move(x + 1, y + 1, { steps: 4 });
  await page.mouse.up();
  await expect(area).toHaveCount(0);
}

test("the points inside a box stay, drawn or set by keys, from every side, until all are shown again @full", async ({
  page,
  api,
  request,
}) => {
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, { "scan.pcd": cloudFile() });
  await page.goto(`${path}/items/${items.get("scan.pcd")}`);
  await live(page);
  const drawn = page.locator("[data-drawn]");
  const said = page.getByRole("status").filter({ hasText: /points/ });
  await expect(drawn).toHaveAttribute("data-drawn", "400");
  await page.getByRole("button", { name: "Isolate" }).click();
  await expect(said).toHaveText(/^[1-9]\d* of 400 points inside$/);
  await checkAxe(page);
  await boxLeftHalf(page);
  await expect(said).toHaveText("200 of 400 points shown");
  await expect(page.getByRole("img", { name: "scan.pcd, 200 of 400 points shown" })).toBeFocused();
  await expect(drawn).toHaveAttribute("data-drawn", "200");

  // By keys alone, from another side, among those that are left.
  await page.keyboard.press("w");
  await page.keyboard.press("i");
  await expect(said.filter({ hasText: "inside" })).toHaveText(/^[1-9]\d* of 200 points inside$/);
  const inside = async () => Number((await said.filter({ hasText: "inside" }).textContent())?.split(" ").at(0));
  const before = await inside();
  for (let press = 0; press < 12; press++) await page.keyboard.press("Shift+ArrowLeft");
  for (let press = 0; press < 3; press++) await page.keyboard.press("ArrowDown");
  await expect.poll(inside).not.toBe(before);
  const kept = await inside();
  await page.keyboard.press("Enter");
  await expect(said).toHaveText(`${kept} of 400 points shown`);
  await expect(drawn).toHaveAttribute("data-drawn", String(kept));

  await page.keyboard.press("i");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("application")).toHaveCount(0);
  await expect(page).toHaveURL(/\/items\//);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(drawn).toHaveAttribute("data-drawn", "400");
  await expect(said).toHaveCount(0);
});

test("a cloud of more than two million points is thinned, which is said, and isolated points stay when all are loaded @full", async ({
  page,
  api,
  request,
}) => {
  const total = 400 * 5_005;
  const { path, items } = await makeDataset(api, request, { data_type: "lidar" }, { "large.pcd": cloudFile(5_005) });
  await page.goto(`${path}/items/${items.get("large.pcd")}`);
  await live(page);
  const drawn = page.locator("[data-drawn]");
  await expect(drawn).toHaveText("2,002,000 points, every 2nd is drawn");
  await expect(drawn).toHaveAttribute("data-drawn", String(total / 2));
  await page.getByRole("button", { name: "Isolate" }).click();
  await boxLeftHalf(page);
  const said = page.getByRole("status").filter({ hasText: /points shown/ });
  await expect(said).toHaveText("500,500 of 1,001,000 drawn points shown");
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(said).toHaveText("1,001,000 of 2,002,000 points shown");
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(drawn).toHaveText("2,002,000 points");
});

test("cuboids of a cloud are drawn into the pictures of its time where their camera is calibrated @full", async ({
  page,
  api,
  request,
}) => {
  const files = {
    "drive/front/1.png": await pictureFile(40),
    "drive/rear/1.png": await pictureFile(80),
    "drive/lidar/1.pcd": cloudFile(),
  };
  const { dataset, path, items } = await makeDataset(api, request, { data_type: "image", is_sequence: true }, files);
  const lidar = items.get("drive/lidar/1.pcd") ?? "";
  const project = await api.post<{ uid: string }>("/projects/", {
    name: unique("clouds"),
    task_type: "point-cloud-objects",
    datasets: [dataset.uid],
    labels: [{ name: "robot", color: "#0891b2" }],
  });
  await api.post(`/projects/${project.uid}/approve/`);
  const listTasks = async () =>
    (await api.get<{ results: { uid: string; dataset_item: string }[] }>(`/tasks/?project=${project.uid}`)).results;
  await expect.poll(async () => (await listTasks()).length).toBe(3);
  const task = (await listTasks()).find(({ dataset_item: item }) => item === lidar);
  const cuboid = { center: [10, 10, 1], size: [2, 2, 2], rotation: [0, 0, 0, 1] };
  const { uid } = await api.post<{ uid: string }>(`/tasks/${task?.uid}/results/`, {
    annotations: [{ label: "robot", type: "cuboid", coordinates: cuboid }],
  });
  await inDatabase("update results set status = 'accepted' where uid = $1", [uid]);
  // The camera stands at the edge of the cloud and looks at the cuboid.
  const calibration = {
    width: 64,
    height: 48,
    distortion_model: "plumb_bob",
    d: [],
    k: [40, 0, 31.5, 0, 40, 23.5, 0, 0, 1],
  };
  const pose = { position: [0, 10, 1], orientation: [-0.5, 0.5, -0.5, 0.5] };
  const calibrate = (name: string, metadata: object) =>
    inDatabase("update items set metadata = metadata || $2::jsonb where uid = $1", [
      items.get(name),
      JSON.stringify(metadata),
    ]);
  await calibrate("drive/front/1.png", { calibration, pose });
  await calibrate("drive/rear/1.png", { calibration: { ...calibration, width: 640 }, pose });

  await page.goto(`${path}/items/${lidar}`);
  await live(page);
  const beside = page.getByRole("complementary", { name: "Cameras at this time" });
  const seen = beside.getByRole("img", { name: "front at this time, with 1 cuboid of the cloud" });
  await expect(seen).toBeVisible();
  await expect(beside.getByText("No cuboids: The camera is calibrated for 640×48")).toBeVisible();
  const drawn = beside.locator("[data-cuboid=robot]");
  await expect(drawn).toHaveCount(1);
  // In the middle of the picture; its near side, 9 m away, is 2 / 9 of 40 pixels high.
  const part = await drawn.evaluate((path: SVGPathElement) => {
    const { x, y, width, height } = path.getBBox();
    return { middle: [x + width / 2, y + height / 2].map(Math.round), height: Math.round(height) };
  });
  expect(part).toEqual({ middle: [32, 24], height: 9 });
  const [whole, over] = [await seen.boundingBox(), await beside.locator("svg:has([data-cuboid])").boundingBox()];
  expect(over).toEqual(whole);
  await page.keyboard.press("h");
  await expect(drawn).toHaveCount(0);
  await page.keyboard.press("h");
  await inNextLook(page, async () => {
    await page.goto(`${path}/items/${lidar}`);
    await expect(drawn).toHaveCount(1);
  });
});
