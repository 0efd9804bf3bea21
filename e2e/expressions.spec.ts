import type { Page } from "@playwright/test";
import { writeMcap } from "@/engine/testing/write-mcap";
import { expect, inEveryLook, live, reload, test, unique, type Api } from "./fixtures";
import { uploadRecording } from "./recording-files";

const second = 1_000_000_000n;
const start = 1_770_000_000n * second;

/** A minute of a robot that turns once, and of a battery whose voltage falls by a volt each ten seconds. */
async function openRun(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const json = { messageEncoding: "json", schemaEncoding: "jsonschema", schema: "{}" };
  const bytes = await writeMcap(
    [
      { topic: "/odom", schemaName: "Odometry", ...json },
      { topic: "/battery", schemaName: "Battery", ...json },
    ],
    Array.from({ length: 601 }, (_, n) => {
      const time = start + (BigInt(n) * second) / 10n;
      const turn = (Math.PI * n) / 600;
      const orientation = { x: 0, y: 0, z: Math.sin(turn), w: Math.cos(turn) };
      return [
        { topic: "/odom", time, data: Buffer.from(JSON.stringify({ orientation, speed: 0.5 })) },
        { topic: "/battery", time, data: Buffer.from(JSON.stringify({ voltage: 25 - n / 100 })) },
      ];
    }).flat(),
  );
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Turning" });
  await expect
    .poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status, { timeout: 30_000 })
    .toBe("ready");
  return uid;
}

const plotted = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("a derived value is written with completion, plotted, kept in the address and changed", async ({
  page,
  api,
  request,
}) => {
  const uid = await openRun(api, request);
  await page.goto(`/recordings/${uid}?plots=`);
  await live(page);
  await page.getByRole("button", { name: "Add expression" }).click();
  const input = page.getByRole("combobox", { name: "Expression" });
  await expect(input).toBeFocused();

  // The name is completed by keyboard, and Enter on a suggestion does not add the plot.
  await input.pressSequentially("rat");
  await expect(page.getByRole("listbox", { name: "Fields and functions" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(input).toHaveValue("rate(");
  await input.pressSequentially("/batt");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(input).toHaveValue("rate(/battery.voltage");
  await expect(page.getByRole("status").filter({ hasText: 'Expected ")"' })).toBeVisible();
  await input.pressSequentially(") * 60");
  await page.keyboard.press("Enter");

  const plot = plotted(page, "=rate(/battery.voltage) * 60");
  await expect(plot.locator(".uplot canvas")).toBeVisible();
  await expect(page).toHaveURL(/plots=%3Drate|plots==rate/);
  await plot.getByRole("button", { name: "Show as table" }).click();
  const values = plot.getByRole("region", { name: /Values of/ }).getByRole("row");
  await expect(values.nth(2).getByRole("cell").nth(1)).toHaveText("−6");

  await reload(page);
  await expect(plot.locator(".uplot canvas")).toBeVisible();
  await plot.getByRole("button", { name: "Edit the expression" }).click();
  await page.getByRole("combobox", { name: "Expression" }).fill("mean(deg(yaw(/odom.orientation)), 1s)");
  await expect(page.getByText("Can be computed, in °.")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(plot).toHaveCount(0);
  const heading = plotted(page, "=mean(deg(yaw(/odom.orientation)), 1s)");
  await reload(page);
  await expect(heading.locator(".uplot canvas")).toBeVisible();
  await heading.getByRole("button", { name: "Remove =mean(deg(yaw(/odom.orientation)), 1s)" }).click();
  await expect(heading).toHaveCount(0);
});

test("says where an expression is wrong, here and in an address for another recording", async ({
  page,
  api,
  request,
}) => {
  const uid = await openRun(api, request);
  await page.goto(`/recordings/${uid}?plots=${encodeURIComponent("=rate(/gone.x)")}`);
  await live(page);
  await expect(
    page.getByText('This recording has no topic "/gone.x"; expected /topic.field at position 5.'),
  ).toBeVisible();
  await page.getByRole("button", { name: "Add expression" }).click();
  const input = page.getByRole("combobox", { name: "Expression" });
  await input.fill("1 + foo(/battery.voltage)");
  await expect(input).toHaveAccessibleDescription(/"foo" is no function.* at position 4\.$/);
  await page.keyboard.press("Enter");
  await expect(input).toHaveAttribute("aria-invalid", "true");
  await expect(input).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(input).toHaveCount(0);
});

test("is accessible in both themes, on desktop and phone", async ({ page, api, request }) => {
  const uid = await openRun(api, request);
  const plots = ["=mean(/battery.voltage, 5s) - 20", "=1 +"]
    // Commas part plots, so that those inside one are escaped.
    .map((each) => encodeURIComponent(each.replaceAll(",", "%2C")))
    .join(",");
  await inEveryLook(page, async () => {
    await page.goto(`/recordings/${uid}?plots=${plots}`);
    await live(page);
    await expect(plotted(page, "=mean(/battery.voltage, 5s) - 20").locator(".uplot canvas")).toBeVisible();
    await page.getByRole("button", { name: "Add expression" }).click();
    await page.getByRole("combobox", { name: "Expression" }).fill("yaw(/odom");
    await expect(page.getByRole("listbox", { name: "Fields and functions" })).toBeVisible();
  });
});
