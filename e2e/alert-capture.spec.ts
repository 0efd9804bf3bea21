import type { Page } from "@playwright/test";
import { colourAt, openCameras } from "./camera-recording";
import { inDatabase, readDatabase } from "./data-loop";
import { checkAxe, expect, expectNoLayoutShift, inEveryLook, live, test, unique, widths, type Api } from "./fixtures";

/** A rule that finds one line of the log, the recording that has it, and the alert about it. */
async function raiseAlert(api: Api, request: Parameters<typeof openCameras>[1]): Promise<string> {
  await api.post("/fleet/rules/", {
    name: unique("Cycle failed"),
    condition: { type: "pattern", topic: "/rosout", field: "msg", regex: "cycle 20 failed" },
    actions: [{ type: "flag_for_review", severity: "error" }],
  });
  const recording = await openCameras(api, request);
  const { results } = await api.get<{ results: { uid: string }[] }>(`/fleet/alerts/?recording_id=${recording}`);
  return results[0]!.uid;
}

/** Waits until the capture of an alert is made, and takes it away until it is released, as if it were still being made. */
async function holdCapture(alert: string): Promise<{ release: () => Promise<void> }> {
  const find = () => readDatabase("select uid from alert_captures where alert_id = $1", [alert]);
  await expect.poll(async () => (await find()).length).toBe(1);
  const uid = String((await find())[0]!["uid"]);
  await inDatabase("update alert_captures set alert_id = null where uid = $1", [uid]);
  return { release: () => inDatabase("update alert_captures set alert_id = $2 where uid = $1", [uid, alert]) };
}

const picture = (page: Page, name: string | RegExp) => page.getByRole("img", { name });

/** The colour in the middle of a picture. */
const readColour = (page: Page, name: string): Promise<number[]> =>
  picture(page, name).evaluate(async (image: HTMLImageElement) => {
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d")!;
    context.drawImage(image, 0, 0);
    return [...context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data.slice(0, 3)];
  });

async function expectColour(page: Page, name: string, n: number): Promise<void> {
  const colour = await readColour(page, name);
  // A JPEG stores colours less exactly than brightness.
  for (const [at, value] of colourAt(n).entries()) expect(Math.abs(colour[at]! - value)).toBeLessThan(6);
}

test("an alert shows what the cameras saw, what the log said and what else happened", async ({
  page,
  api,
  request,
}) => {
  const uid = await raiseAlert(api, request);
  await page.goto(`/alerts/${uid}`);
  await live(page);
  // It is made after the recording was processed, and appears by itself.
  await expect(picture(page, "/front, at the moment")).toBeVisible();
  await expectColour(page, "/front, at the moment", 20);

  const strip = page.getByRole("list", { name: "Pictures around the moment" });
  await expect(strip.getByRole("button")).toHaveText(["2.0 s before", "1.0 s before", "at the moment", "1.0 s after"]);
  await strip.getByRole("button", { name: "at the moment" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(strip.getByRole("button", { name: "1.0 s after" })).toBeFocused();
  await expectColour(page, "/front, 1.0 s after", 30);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expectColour(page, "/front, 1.0 s before", 10);

  await page.getByRole("combobox", { name: "Camera" }).click();
  await page.getByRole("option", { name: "/left" }).click();
  await expectColour(page, "/left, at the moment", 20);
  await expect(page.getByText("/broken: The message says 8 × 1000 rgb8")).toBeVisible();

  const lines = page.getByRole("list", { name: "Log lines around the moment" }).getByRole("listitem");
  await expect(lines).toHaveCount(10);
  await expect(lines.nth(4)).toContainText("motor: cycle 20 failed");
  const others = page.getByRole("list", { name: "What else happened" }).getByRole("listitem");
  await expect(others).toHaveText([0, 10, 20, 30, 40].map((n) => new RegExp(`Log.*cycle ${n} failed`)));
  await others.nth(3).getByRole("link").click();
  await expect(page).toHaveURL(/\/recordings\/.*t=2026-02-02T02%3A40%3A03/);
});

for (const [name, size] of Object.entries(widths))
  test(`pictures, log and notes that arrive while the page is open leave what is below in its place: ${name} @full`, async ({
    page,
    api,
    request,
  }) => {
    const uid = await raiseAlert(api, request);
    const capture = await holdCapture(uid);
    await page.setViewportSize(size);
    await page.goto(`/alerts/${uid}`);
    await live(page);
    const below = page.getByRole("heading", { name: "What triggered it" });
    const before = await below.boundingBox();
    await expectNoLayoutShift(page);
    await expect(picture(page, "/front, at the moment")).toBeHidden();
    await capture.release();
    // Tells pages that the alert has changed, as the end of the capture does.
    await api.post(`/fleet/alerts/${uid}/comments/`, { body: "Seen" });
    await expect(picture(page, "/front, at the moment")).toBeVisible();
    await expect(page.getByText("/broken: The message says 8 × 1000 rgb8")).toBeVisible();
    expect(Math.abs((await below.boundingBox())!.y - before!.y)).toBeLessThan(4);
    await expectNoLayoutShift(page);
  });

test("is accessible in both themes, on desktop and phone", async ({ page, api, request }) => {
  const uid = await raiseAlert(api, request);
  await page.goto(`/alerts/${uid}`);
  await expect(picture(page, "/front, at the moment")).toBeVisible();
  await inEveryLook(page, async () => {
    await page.goto(`/alerts/${uid}`);
    await expect(picture(page, "/front, at the moment")).toBeVisible();
    await live(page);
  });
  await checkAxe(page);
  // On a phone, what is known has the whole screen.
  await page.getByRole("heading", { name: "Details" }).scrollIntoViewIfNeeded();
  await expect(page.getByRole("heading", { level: 1 })).not.toBeInViewport();
});
