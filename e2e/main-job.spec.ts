import { createHash } from "node:crypto";
import { back, expect, live, unique, visitors } from "./fixtures";
import { recordingBytes } from "./recording-files";

visitors.use({ contextOptions: { reducedMotion: "no-preference" } });

/** Messages that make about ten megabytes. */
const tenMegabytes = 155_000;

/**
 * The main job from start to finish by one person: from sign-up to a resolved alert. The
 * time from the end of an upload to the alert on screen is printed, not asserted.
 */
visitors(
  "from sign-up to a resolved alert: recording, timeline, rule from a dragged line, alert, evidence, triage by keys",
  async ({ page, request }) => {
    await page.goto("/signup");
    await page.getByLabel("E-mail").fill(`${unique("grace")}@example.com`);
    await page.getByLabel("Password").fill("a password for tests");
    await page.getByLabel("Organization").fill("Grace Robotics");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL("**/overview");

    // A device, its token taken from where it is shown once.
    await page.goto("/devices?register=1");
    await live(page);
    await page.getByLabel("Name").fill("arm-01");
    await page.getByRole("button", { name: "Register", exact: true }).click();
    const registered = page.getByRole("dialog", { name: "arm-01 is registered" });
    const command =
      (await registered.getByLabel("curl heartbeat", { exact: true }).locator("code").textContent()) ?? "";
    const token = /svd_\w+/.exec(command)?.[0] ?? "";
    await registered.getByRole("checkbox", { name: "I stored it" }).click();
    await registered.getByRole("button", { name: "Done" }).click();
    await expect(registered).toBeHidden();

    // Its first recording, uploaded in the browser and followed to its timeline.
    await page.goto("/recordings?upload=1");
    await live(page);
    const upload = page.getByRole("dialog", { name: "Upload recordings" });
    const file = { name: "first.mcap", mimeType: "application/octet-stream", buffer: recordingBytes(3_000) };
    await upload.getByLabel("Files to upload").setInputFiles([file]);
    await upload.getByRole("combobox", { name: "Whose is it?" }).click();
    await page.getByRole("option", { name: /arm-01/ }).click();
    await upload.getByRole("button", { name: /^Upload/ }).click();
    await page.waitForURL("**/recordings/rec_*");
    await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();

    // A rule from a line that is dragged on a plot; the preview shows where it would have triggered.
    await page.getByRole("combobox", { name: "Add a plot" }).click();
    await page
      .getByRole("option", { name: /motor\/temp/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Add a threshold line" }).click();
    const line = page.getByRole("slider", { name: "Threshold" });
    await expect(line).toBeVisible();
    await line.hover();
    const box = await line.boundingBox();
    if (!box) throw new Error("the line is not on screen");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 12, { steps: 4 });
    await page.mouse.up();
    const dragged = Number(await line.getAttribute("aria-valuenow"));
    await page.getByRole("link", { name: "Create rule from this" }).click();
    await page.waitForURL("**/rules/new?**");
    await live(page);
    const preview = page.getByRole("region", { name: "Preview" });
    await expect(preview.getByText(/^Triggers \d+ times? on 1 of 1 device/)).toBeVisible();
    await expect(page.getByRole("slider", { name: "Value" })).toBeVisible();
    await expect
      .poll(async () => Number(await page.getByRole("slider", { name: "Value" }).inputValue()))
      .toBeCloseTo(dragged, 0);
    await page.getByLabel("Name").fill("Motor too hot");
    await page.getByRole("combobox", { name: "Severity" }).first().click();
    await page.getByRole("option", { name: "Critical" }).click();
    await page.getByRole("button", { name: "Create rule" }).click();
    const doubt = page.getByRole("dialog", { name: "Save it anyway?" });
    await expect(doubt.or(page.getByRole("heading", { name: "Motor too hot", level: 1 }))).toBeVisible();
    if (await doubt.isVisible()) await doubt.getByRole("button", { name: "Create rule" }).click();
    await expect(page.getByRole("heading", { name: "Motor too hot", level: 1 })).toBeVisible();

    // Ten megabytes from the robot itself, while the inbox is open.
    await page.goto("/alerts");
    await live(page);
    const headers = { "X-Service-Device-Token": token };
    const call = async <T>(path: string, data: object): Promise<T> => {
      const response = await request.post(`/api/v1${path}`, { headers, data });
      expect(response.ok(), await response.text()).toBe(true);
      return (await response.json()) as T;
    };
    const bytes = recordingBytes(tenMegabytes);
    const { uid } = await call<{ uid: string }>("/fleet/recordings/", { name: "Second shift" });
    const at = `/fleet/recordings/${uid}/upload`;
    const session = await call<{ uid: string }>(`${at}/init/`, {
      files: [{ path: "second.mcap", size_bytes: bytes.length }],
    });
    const { urls } = await call<{ urls: { put_url: string; headers: Record<string, string> }[] }>(`${at}/urls/`, {
      session_uid: session.uid,
      file_paths: ["second.mcap"],
    });
    await request.put(urls[0]?.put_url ?? "", { data: bytes, headers: urls[0]?.headers ?? {} });
    const etag = createHash("md5").update(bytes).digest("hex");
    await call(`${at}/confirm/`, {
      session_uid: session.uid,
      files: [{ path: "second.mcap", etag, size_bytes: bytes.length }],
    });
    let loads = 0;
    page.on("load", () => loads++);
    await call(`${at}/finalize/`, { session_uid: session.uid });
    const finalized = Date.now();
    const row = page.getByRole("row", { name: /Critical.*Motor too hot.*arm-01/ });
    await expect(row).toBeVisible();
    process.stdout.write(
      `      ${(bytes.length / 1e6).toFixed(1)} MB: alert on screen ${((Date.now() - finalized) / 1_000).toFixed(2)} s after finalize\n`,
    );
    expect(loads).toBe(0);

    // Evidence, and from there the moment in the recording.
    await row.click();
    const pane = page.getByRole("region", { name: "Motor too hot" });
    await expect(pane.locator(".uplot canvas")).toBeVisible();
    await pane.getByRole("link", { name: "Open at this moment" }).click();
    await expect(page).toHaveURL(/\/recordings\/rec_.*t=/);
    await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
    await back(page);

    // Resolved by keyboard alone.
    await page.goto("/alerts");
    await live(page);
    await expect(row).toBeVisible();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await expect(page.getByRole("tab", { name: "Acknowledged 1" })).toBeVisible();
    await page.keyboard.press("u");
    await expect(page.getByRole("tab", { name: "Open 1" })).toBeVisible();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await expect(page.getByRole("tab", { name: "Acknowledged 1" })).toBeVisible();
    await page.goto("/alerts?status=acknowledged");
    await live(page);
    await expect(row).toBeVisible();
    await page.keyboard.press("j");
    await page.keyboard.press("r");
    const note = page.getByRole("dialog", { name: /^Resolve/ }).getByRole("textbox", { name: /Note/ });
    await note.fill("Fan replaced");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("tab", { name: "Resolved 1" })).toBeVisible();
  },
);
