import { readFile } from "node:fs/promises";
import { checkAxe, expect, inNextLook, live, registerDevice, test, reload } from "./fixtures";
import { once, onlookers } from "./onlookers";
import { recordingBytes, uploadRecording, waitUntilReady } from "./recording-files";

const attached = "focal_length: 612.5";
const longRun = once(async (api, request) => {
  const bytes = recordingBytes(700, { attached });
  const { uid } = await uploadRecording(api, request, { bytes, device: "arm-04", name: "Long run" });
  await waitUntilReady(api, uid);
  return uid;
});

test.describe("a recording on its timeline", () => {
  test("appears without a reload once it was processed, and can be used by keyboard alone", async ({
    api,
    page,
    request,
  }) => {
    const { uid } = await uploadRecording(api, request, {
      bytes: recordingBytes(400),
      device: "arm-04",
      name: "Night run",
    });
    await page.goto(`/recordings/${uid}`);
    await live(page);
    await expect(page.getByRole("heading", { name: "Night run" })).toBeVisible();
    await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();

    await page.keyboard.press("ArrowRight");
    await expect(page).toHaveURL(/[?&]t=/);
    await page.keyboard.press("+");
    await expect(page).toHaveURL(/from=.*to=/);
    await page.keyboard.press("0");
    await expect(page).not.toHaveURL(/from=/);
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Create event" });
    await dialog.getByLabel("Label").fill("Gripper slipped");
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("list", { name: "Events in view" })).toContainText("Gripper slipped");
    await page.keyboard.press(" ");
    await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
    await page.keyboard.press(" ");

    await page.getByRole("combobox", { name: "Add a plot" }).click();
    await page.getByRole("option").first().click();
    await expect(page.locator(".uplot canvas")).toBeVisible();
    await page.getByRole("button", { name: "Add a threshold line" }).click();
    const threshold = page.getByRole("slider", { name: "Threshold" });
    const before = await threshold.getAttribute("aria-valuenow");
    await threshold.press("PageDown");
    await expect(threshold).not.toHaveAttribute("aria-valuenow", before ?? "");
    await expect(page.getByRole("link", { name: "Create rule from this" })).toHaveAttribute(
      "href",
      /^\/rules\/new\?condition=.*threshold/,
    );
    await page.getByRole("button", { name: "Show as table" }).click();
    await expect(
      page
        .getByRole("region", { name: /Values of/ })
        .getByRole("row")
        .nth(1),
    ).toBeVisible();
    await reload(page);
    await expect(page.locator(".uplot canvas")).toBeVisible();
  });

  test("opens with the field its rule compared plotted and the alert's topic beside it, until other plots are chosen", async ({
    api,
    page,
    request,
  }) => {
    const condition = { type: "threshold", topic: "/motor/temp", field: "value", operator: "gt", value: 80 };
    await api.post("/fleet/rules/", { name: "Hot", condition, actions: [{ type: "flag_for_review" }] });
    const { uid } = await uploadRecording(api, request, {
      bytes: recordingBytes(300),
      device: "arm-04",
      name: "Hot run",
    });
    await expect
      .poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status)
      .toBe("ready");
    await page.goto("/recordings");
    await live(page);
    await page.getByRole("row", { name: /Hot run/ }).focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/recordings/${uid}$`));
    const plot = page.getByRole("region", { name: "/motor/temp.value" });
    await expect(plot.locator(".uplot canvas")).toBeVisible();
    await expect(page.getByRole("tab", { name: "Message" })).toHaveAttribute("aria-selected", "true");
    await expect(page.getByRole("combobox", { name: "Topic of the message" })).toHaveText("/motor/temp");
    await inNextLook(page, async () => {
      await page.goto(`/recordings/${uid}`);
      await live(page);
      await expect(plot.locator(".uplot canvas")).toBeVisible();
    });

    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`/recordings/${uid}`);
    await live(page);
    await plot.getByRole("button", { name: "Remove /motor/temp.value" }).click();
    await expect(plot).toHaveCount(0);
    await expect(page).toHaveURL(/[?&]plots=/);
    await reload(page);
    await expect(page.getByRole("slider", { name: "Playhead" })).toBeVisible();
    await expect(plot).toHaveCount(0);
  });

  onlookers("has its plots as tables that leave no sample out, so that a spike is in them @full", async ({ page }) => {
    const uid = await longRun();
    await page.goto(`/recordings/${uid}?plots=/motor/temp.value`);
    await live(page);
    await page.getByRole("button", { name: "Show as table" }).click();
    const table = page.getByRole("region", { name: "Values of /motor/temp.value" }).getByRole("table");
    await expect(table.getByRole("row").nth(1)).toBeVisible();
    const rows = await table.locator("tbody tr").evaluateAll((lines) =>
      lines.map((line) => {
        const [, , , highest, samples] = [...line.querySelectorAll("td")].map((cell) => Number(cell.textContent));
        return { highest: highest ?? 0, samples: samples ?? 0 };
      }),
    );
    expect(rows.length).toBeLessThanOrEqual(200);
    expect(rows.reduce((sum, row) => sum + row.samples, 0)).toBe(700);
    expect(Math.max(...rows.map((row) => row.highest))).toBeGreaterThan(89.9);
    await checkAxe(page);
  });

  test("keeps pinned topics and hidden rules in its address @full", async ({ api, page, request }) => {
    for (const name of ["Warm", "Hot"]) {
      const condition = { type: "threshold", topic: "/motor/temp", field: "value", operator: "gt", value: -1_000 };
      await api.post("/fleet/rules/", { name, condition, actions: [{ type: "flag_for_review" }] });
    }
    const { uid } = await uploadRecording(api, request, {
      bytes: recordingBytes(100),
      device: "arm-04",
      name: "Pinned run",
    });
    await page.goto(`/recordings/${uid}`);
    await live(page);
    await page.getByRole("button", { name: "Hide the hits of Warm" }).click();
    await expect(page).toHaveURL(/[?&]hide=rul_/);
    await page.getByRole("button", { name: "Pin /motor/temp" }).click();
    await expect(page).toHaveURL(/[?&]pins=/);
    await reload(page);
    await expect(page.getByRole("button", { name: "Unpin /motor/temp" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Hide the hits of Hot" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Hide the hits of Warm" })).toHaveCount(0);
    await page.getByRole("button", { name: "Show 1 hidden" }).click();
    await expect(page.getByRole("button", { name: "Hide the hits of Warm" })).toBeVisible();
    await page.getByRole("switch", { name: "Rule hits of 2" }).click();
    await expect(page).toHaveURL(/[?&]hide=all/);
    await expect(page.getByRole("button", { name: /^Hide the hits/ })).toHaveCount(0);
  });

  onlookers("shows its tabs, and is accessible on desktop and phone", async ({ page }) => {
    const uid = await longRun();
    await page.goto(`/recordings/${uid}?tab=message`);
    await expect(page.getByRole("group", { name: "Message" })).toBeVisible();
    await page.getByRole("tab", { name: "Topics" }).click();
    await expect(page).toHaveURL(/tab=topics/);
    await expect(page.getByRole("textbox", { name: "Find a topic or schema" })).toBeVisible();
    await inNextLook(page, async () => {
      await page.goto(`/recordings/${uid}?tab=details`);
      await expect(page.getByText("run.mcap")).toBeVisible();
    });
  });

  onlookers("lists what is attached to it, which can be read there and downloaded @full", async ({ page }) => {
    const uid = await longRun();
    await page.goto(`/recordings/${uid}?tab=details`);
    const section = page.getByRole("region", { name: "Attachments and metadata" });
    await section.getByText("1 value").click();
    await expect(section.getByRole("definition")).toHaveText(attached);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      section.getByRole("link", { name: "calibration.yaml" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("calibration.yaml");
    expect(await readFile(await file.path(), "utf8")).toBe(attached);
    const [metadata] = await Promise.all([
      page.waitForEvent("download"),
      section.getByRole("link", { name: "setup" }).click(),
    ]);
    expect(JSON.parse(await readFile(await metadata.path(), "utf8"))).toEqual({
      name: "setup",
      metadata: { calibrated: attached },
    });
  });

  test("shows why there is no timeline, and offers a retry", async ({ api, page, request }) => {
    const { uid } = await uploadRecording(api, request, {
      bytes: Buffer.from("this is no recording"),
      device: "arm-04",
      name: "Broken",
    });
    await inNextLook(page, async () => {
      await page.goto(`/recordings/${uid}`);
      await expect(page.getByRole("heading", { name: "This recording could not be processed" })).toBeVisible();
      await expect(page.getByRole("button", { name: "Retry processing" })).toBeVisible();
    });
  });

  test("shows which files have not arrived yet @full", async ({ api, page }) => {
    const device = await registerDevice(api);
    const { uid } = await api.post<{ uid: string }>("/fleet/recordings/", { device_id: device.uid, name: "Later" });
    await page.goto(`/recordings/${uid}`);
    await expect(page.getByRole("heading", { name: "Waiting for its files" })).toBeVisible();
  });
});

test("a recording of another organization is not found", async ({ page, faults }) => {
  faults.expect(/404/);
  await page.goto("/recordings/rec_00000000-0000-7000-8000-000000000000");
  await expect(page.getByRole("heading", { name: "Recording not found" })).toBeVisible();
});
