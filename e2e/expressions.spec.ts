import type { Page } from "@playwright/test";
import { writeMcap } from "@/engine/testing/write-mcap";
import { expect, live, lookFirst, reload, test, unique, type Api } from "./fixtures";
import { onlookers, once } from "./onlookers";
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
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

const run = once(openRun);

const plotted = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

onlookers("a derived value is written with completion, plotted, kept in the address and changed", async ({ page }) => {
  const uid = await run();
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

const panels = (page: Page) => page.getByRole("region", { name: "Panels" });

/** Opens the recording with one panel that plots. */
async function openPlot(page: Page, uid: string, config: object, query = ""): Promise<void> {
  const tree = { v: 1, root: { panel: "p1" }, panels: { p1: { type: "plot", config } } };
  await page.goto(`/recordings/${uid}?tree=${encodeURIComponent(JSON.stringify(tree))}${query}`);
  await live(page);
}

test("several fields share a plot with two axes, which the layout keeps @full", async ({ page, api, request }) => {
  const condition = { type: "threshold", topic: "/battery", field: "voltage", operator: "lt", value: 21 };
  await api.post("/fleet/rules/", { name: "Battery low", condition, actions: [{ type: "flag_for_review" }] });
  const uid = await openRun(api, request);
  // One plot fills its panel.
  await openPlot(page, uid, { series: ["/odom.speed"] });
  const single = panels(page).locator(".uplot");
  const area = (await panels(page)
    .getByRole("group", { name: /^Panel 1: Plot/ })
    .boundingBox())!;
  await expect.poll(() => single.evaluate((element) => element.clientHeight)).toBeGreaterThan(area.height * 0.6);
  const series = ["/odom.speed", "/battery.voltage", "=rate(/battery.voltage)"];
  await openPlot(page, uid, { series }, "&topic=/odom&tab=topics");
  await panels(page).getByRole("button", { name: "Fields and arrangement" }).click();
  await panels(page).getByRole("combobox", { name: "Arrangement of the plots" }).click();
  await page.getByRole("option", { name: "Together, over time" }).click();
  const chart = (fields: string) => panels(page).getByRole("img", { name: fields });
  await expect(chart("/odom.speed, /battery.voltage, =rate(/battery.voltage) over time")).toBeVisible();
  const rows = panels(page).getByRole("list", { name: "Plotted fields" }).getByRole("listitem");
  await expect(rows).toContainText(["/odom.speed0.5", "/battery.voltage25", "=rate(/battery.voltage)"]);
  await panels(page).getByRole("button", { name: "Move /battery.voltage to the right axis" }).click();
  await expect.poll(() => page.url()).toMatch(/right.*battery\.voltage/);

  await reload(page);
  await expect(rows.nth(1)).toContainText("right axis");

  // What a rule compared a field with is drawn, and a threshold of one's own becomes a rule.
  await expect(chart("compared with Battery low: 21")).toBeVisible();
  await panels(page).getByRole("button", { name: "Add a threshold line for /battery.voltage" }).click();
  const threshold = panels(page).getByRole("slider", { name: "Threshold of /battery.voltage" });
  await expect(threshold).toHaveAttribute("aria-valuenow", /^2[0-9.]+$/);
  const value = Number(await threshold.getAttribute("aria-valuenow"));
  await threshold.press("ArrowUp");
  await expect.poll(async () => Number(await threshold.getAttribute("aria-valuenow"))).toBeGreaterThan(value);
  await expect(panels(page).getByRole("link", { name: "Create rule from this" })).toHaveAttribute(
    "href",
    /voltage.*gt/,
  );
  await panels(page).getByRole("button", { name: "Remove the threshold line of /battery.voltage" }).click();
  await expect(threshold).toHaveCount(0);

  // A field is dragged into the plot from the list of topics.
  await page
    .getByRole("complementary", { name: "About this moment" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("button", { name: "Plot /odom.orientation.z" }) })
    .dragTo(chart("/odom.speed"));
  await expect(rows.nth(3)).toContainText("/odom.orientation.z");
  await panels(page).getByRole("button", { name: "Remove /odom.orientation.z" }).click();
  // And by its path, typed without waiting for the list.
  await panels(page).getByRole("button", { name: "Fields and arrangement" }).click();
  await panels(page).getByRole("combobox", { name: "Add a plot" }).fill("/odom.orientation.w");
  await page.getByRole("option", { name: "/odom.orientation.w" }).click();
  await panels(page).getByRole("button", { name: "Remove /odom.orientation.w" }).click();
  await panels(page).getByRole("button", { name: "Remove =rate(/battery.voltage)" }).click();
  await expect(chart("/odom.speed, /battery.voltage over time")).toBeVisible();
  await panels(page).getByRole("button", { name: "Show as table" }).click();
  for (const [field, first] of [
    ["/odom.speed", /^0\.5$/],
    // Rows of long tables stand for several samples.
    ["/battery.voltage", /^(25|24\.9\d?)$/],
  ] as const) {
    const table = panels(page).getByRole("region", { name: `Values of ${field}` });
    await expect(table.getByRole("row").nth(1).getByRole("cell").nth(1)).toHaveText(first);
  }
});

onlookers(
  "a field is plotted over another one or over the number of its samples, and a press leads to the moment",
  async ({ page }) => {
    const uid = await run();
    await openPlot(page, uid, { series: ["/odom.orientation.w", "/odom.orientation.z"], arrangement: "field" });
    await panels(page).getByRole("combobox", { name: "Field of the x axis" }).click();
    await page.getByRole("option", { name: "/odom.orientation.z" }).click();
    const chart = panels(page).getByRole("img", { name: "/odom.orientation.w over /odom.orientation.z" });
    await expect(chart).toBeVisible();
    await panels(page).getByRole("button", { name: "Show as table" }).click();
    const table = panels(page).getByRole("region", { name: "/odom.orientation.w over /odom.orientation.z" });
    // Half of a circle, sample by sample.
    await expect(async () => {
      const texts = await table.locator("tbody tr").allInnerTexts();
      expect(texts.length).toBeGreaterThan(100);
      for (const text of texts) {
        const [, x = NaN, y = NaN] = text.split("\t").map((cell) => Number(cell.replace("−", "-")));
        expect(x * x + y * y).toBeCloseTo(1, 1);
      }
    }).toPass({ timeout: 100_000 });
    await panels(page).getByRole("button", { name: "Show as plot" }).click();

    // The outermost point, in the middle of the half circle, was recorded after 30 seconds.
    await panels(page).getByRole("switch", { name: "Equal scales" }).click();
    await expect.poll(() => page.url()).toMatch(/equal_scales.*false/);
    const { width, height } = (await chart.boundingBox())!;
    const box = { left: 56, top: 8, width: width - 68, height: height - 30 };
    await chart.click({
      position: { x: box.left + (box.width * 1.06) / 1.12, y: box.top + box.height / 2 },
    });
    await expect(page).toHaveURL(/t=2026-02-02T02(:|%3A)40(:|%3A)(29\.[5-9]|30)/);

    await panels(page).getByRole("button", { name: "Fields and arrangement" }).click();
    await panels(page).getByRole("combobox", { name: "Arrangement of the plots" }).click();
    await page.getByRole("option", { name: "Together, over the sample" }).click();
    await panels(page).getByRole("button", { name: "Show as table" }).click();
    const numbers = panels(page).getByRole("region", {
      name: "/odom.orientation.z over the number of the sample",
    });
    await expect(numbers.getByRole("row").nth(1).getByRole("cell")).toHaveText([/^02:40:00/, "0", "0"]);
  },
);

onlookers(
  "says where an expression is wrong, here and in an address for another recording, in every look @full",
  async ({ page }) => {
    const uid = await run();
    const plots = ["=mean(/battery.voltage, 5s) - 20", "=1 +"]
      // Commas part plots, so that those inside one are escaped.
      .map((each) => encodeURIComponent(each.replaceAll(",", "%2C")))
      .join(",");
    await lookFirst(page, async () => {
      await page.goto(`/recordings/${uid}?plots=${plots}`);
      await live(page);
      await expect(plotted(page, "=mean(/battery.voltage, 5s) - 20").locator(".uplot canvas")).toBeVisible();
      await page.getByRole("button", { name: "Add expression" }).click();
      await page.getByRole("combobox", { name: "Expression" }).fill("yaw(/odom");
      await expect(page.getByRole("listbox", { name: "Fields and functions" })).toBeVisible();
    });

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
  },
);
