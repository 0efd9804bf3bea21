import type { APIRequestContext, Page } from "@playwright/test";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { zipBytes } from "@/server/testing/zip-bytes";
import { readScreen } from "./drawn-pixels";
import { expect, live, lookFirst, registerDevice, test, unique, type Api } from "./fixtures";
import { uploadRecording, waitUntilReady } from "./recording-files";
import { cubesRecording, cubesZip, jointsRecording, start } from "./robot-zip";

const panel = (page: Page) => page.getByRole("figure", { name: "3-D" });
const view = (page: Page) => panel(page).getByRole("img");

type Channels = readonly [red: boolean, green: boolean, blue: boolean];
const colours = {
  red: [true, false, false],
  green: [false, true, false],
  blue: [false, false, true],
  magenta: [true, false, true],
  yellow: [true, true, false],
} as const satisfies Record<string, Channels>;

/** How many pixels of each colour the view has, and their middle from the top. */
async function countColours(page: Page) {
  const { data, width, height } = await readScreen(view(page));
  const found = Object.fromEntries(Object.keys(colours).map((name) => [name, { count: 0, y: 0 }]));
  for (let at = 0; at < width * height; at++) {
    const parts = [data[at * 3]!, data[at * 3 + 1]!, data[at * 3 + 2]!];
    const most = Math.max(...parts);
    if (most < 90) continue;
    for (const [name, wanted] of Object.entries(colours)) {
      if (!parts.every((part, channel) => (wanted[channel] ? part > most * 0.7 : part < most * 0.35))) continue;
      found[name]!.count++;
      found[name]!.y += Math.floor(at / width);
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, { count, y }]) => [name, { count, y: y / count }]));
}

const countColour = async (page: Page, colour: keyof typeof colours): Promise<number> =>
  (await countColours(page))[colour]!.count;

/** Opens the recording at a moment and looks at it from above, far enough for what is said not to cover anything. */
async function openAt(page: Page, uid: string, second: number): Promise<void> {
  const moment = isoFromNs(start + BigInt(second * 1000) * 1_000_000n);
  await page.goto(`/recordings/${uid}?t=${moment}`);
  await live(page);
  await expect(view(page)).toHaveAccessibleName(/Robot description: 4 objects(;|$)/);
  await expect(view(page)).toHaveAccessibleName(/\/things: 1 object(;|$)/);
  await view(page).focus();
  for (const key of ["2", "0", "-", "-"]) await page.keyboard.press(key);
}

/** How much farther the green cube is from the red one than the blue one is. */
async function compareDistances(page: Page): Promise<number> {
  const { red, green, blue } = await countColours(page);
  return Math.abs(green!.y - red!.y) / Math.abs(blue!.y - red!.y);
}

/** Uploads the robot of cubes for a new device type, which is returned. */
async function addCubes(api: Api, request: APIRequestContext): Promise<string> {
  const type = unique("cubes");
  const bytes = cubesZip();
  const begun = await api.post<{ uid: string; put_url: string }>("/fleet/robot-descriptions/", {
    device_type: type,
    size_bytes: bytes.length,
  });
  await request.put(begun.put_url, { data: Buffer.from(bytes) });
  await api.post(`/fleet/robot-descriptions/${begun.uid}/finalize/`, {});
  return type;
}

const upload = (page: Page, type: string, zip: Uint8Array) => {
  const dialog = page.getByRole("dialog");
  return {
    dialog,
    send: async (button: string) => {
      if (type !== "") {
        await dialog.getByRole("combobox", { name: "Device type" }).fill(type);
        // The list of known types closes.
        await page.keyboard.press("Tab");
      }
      await dialog
        .getByLabel("Zip file")
        .setInputFiles({ name: "cubes.zip", mimeType: "application/zip", buffer: Buffer.from(zip) });
      await dialog.getByRole("button", { name: button, exact: true }).click();
    },
  };
};

test("a description is uploaded, refused with the reason, replaced and deleted", async ({ page, faults }) => {
  const type = unique("cubes");
  await page.goto("/settings/robot-descriptions");
  await expect(page.getByRole("heading", { name: "No robot descriptions yet" })).toBeVisible();
  await live(page);
  await page.getByRole("button", { name: "Add a description" }).click();
  faults.expect(/status of 400 .*robotDescriptions\.finalize/);
  const refused = upload(page, type, zipBytes([{ path: "a.stl", bytes: "solid" }]));
  await refused.send("Upload");
  await expect(refused.dialog.getByRole("alert")).toHaveText("The zip holds no .urdf file.");
  await upload(page, type, cubesZip()).send("Upload");
  await expect(page.getByText(`${type}: 7 files, 1 mesh missing`)).toBeVisible();
  const row = page.getByRole("row", { name: new RegExp(type) });
  await expect(row).toContainText("1 mesh missing: hand.dae");

  await row.click();
  const drawer = page.getByRole("dialog", { name: type });
  await expect(drawer.getByRole("list", { name: "1 mesh missing" })).toHaveText("package://cubes/meshes/hand.dae");
  await expect(drawer.getByRole("list", { name: "Files" }).getByRole("listitem")).toHaveCount(7);
  await page.keyboard.press("Escape");

  await row.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("menuitem", { name: "Replace" }).click();
  await upload(page, "", zipBytes([{ path: "a.urdf", bytes: `<robot name="other"><link name="a"/></robot>` }])).send(
    "Replace",
  );
  await expect(page.getByText(`${type}: 1 file`)).toBeVisible();
  await expect(row).toContainText("other");

  await row.getByRole("button", { name: /^Actions/ }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Download the zip" }).click();
  expect((await saved).suggestedFilename()).toBe(`${type}.zip`);

  await row.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete description" }).click();
  await expect(page.getByRole("heading", { name: "No robot descriptions yet" })).toBeVisible();
});

test("meshes of a device type's description are drawn, moved by joints; what is missing or torn is said @full", async ({
  page,
  api,
  request,
}) => {
  const type = await addCubes(api, request);
  const device = await registerDevice(api, { type });
  const { uid } = await uploadRecording(api, request, { bytes: await cubesRecording(), device, name: "Cubes" });
  await waitUntilReady(api, uid);
  const outside: string[] = [];
  page.on("request", (each) => each.url().includes("example.com") && outside.push(each.url()));

  await openAt(page, uid, 1);
  for (const colour of ["red", "green", "blue", "magenta", "yellow"] as const)
    await expect.poll(() => countColour(page, colour), { message: colour }).toBeGreaterThan(40);
  await expect.poll(async () => Math.abs((await compareDistances(page)) - 1)).toBeLessThan(0.1);
  const problems = panel(page).getByRole("list", { name: "Not shown" });
  await expect(problems).toContainText("Robot description: 1 mesh missing: hand.dae");
  await expect(problems).toContainText("/things: torn.stl is not drawn: it says 12 triangles, but holds 4");

  // Its joint has moved three metres.
  await openAt(page, uid, 3);
  await expect.poll(async () => Math.abs((await compareDistances(page)) - 2.5)).toBeLessThan(0.2);

  await panel(page).getByRole("button", { name: "Layers and frames" }).click();
  await page.getByRole("combobox", { name: "Robots", exact: true }).click();
  await page.getByRole("option", { name: "As they collide" }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => countColour(page, "red")).toBe(0);
  await expect.poll(() => decodeURIComponent(page.url())).toContain('"robot":"collision"');
  expect(outside).toEqual([]);
});

test("joints alone open a 3-D view of the robot, whose device links to its description", async ({
  page,
  api,
  request,
}) => {
  const type = await addCubes(api, request);
  // Types match in upper and lower case.
  const device = await registerDevice(api, { type: type.toUpperCase() });
  const { uid } = await uploadRecording(api, request, { bytes: await jointsRecording(), device, name: "Joints" });
  await waitUntilReady(api, uid);
  await page.goto(`/recordings/${uid}`);
  await live(page);
  await expect(view(page)).toHaveAccessibleName(/Robot description: 4 objects(;|$)/);
  const found = await api.get<{ device_id: string }>(`/fleet/recordings/${uid}/`);
  await page.goto(`/devices/${found.device_id}`);
  await page.getByRole("link", { name: "cubes: 4 links, 3 joints" }).click();
  await expect(page.getByRole("dialog", { name: type })).toBeVisible();
  await lookFirst(page, async () => {
    await page.goto("/settings/robot-descriptions");
    await live(page);
    await page.getByText(type).first().click();
    await expect(page.getByRole("dialog", { name: type })).toContainText("package://cubes/meshes/hand.dae");
  });

  // Two of them are compared in 3-D, without anybody having asked for it.
  const other = await uploadRecording(api, request, { bytes: await jointsRecording(), device, name: "Joints again" });
  await waitUntilReady(api, other.uid);
  await page.goto(`/recordings/compare?a=${uid}&b=${other.uid}`);
  await live(page);
  for (const side of ["A", "B"])
    await expect(page.getByRole("group", { name: `${side}: 3-D` }).getByRole("img")).toHaveAccessibleName(
      /Robot description: 4 objects(;|$)/,
    );
});
