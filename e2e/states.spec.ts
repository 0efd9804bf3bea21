import { readFile } from "node:fs/promises";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap } from "@/engine/testing/write-mcap";
import { expect, live, lookFirst, reload, unique, type Api } from "./fixtures";
import { once, onlookers as test } from "./onlookers";
import { uploadRecording } from "./recording-files";

const second = 1_000_000_000n;
const start = 1_770_000_000n * second;
const at = (seconds: number): string => isoFromNs(start + BigInt(seconds * 1000) * 1_000_000n);

/** A minute at 20 Hz: a mode that changes at 10 s and 35 s, a gate that opens at 20 s, and a count. */
async function openRun(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const bytes = await writeMcap(
    [{ topic: "/state", messageEncoding: "json", schemaName: "State", schemaEncoding: "jsonschema", schema: "{}" }],
    Array.from({ length: 1_201 }, (_, n) => {
      const seconds = n / 20;
      const mode = seconds < 10 ? "idle" : seconds < 35 ? "drive" : "charge";
      const value = { mode, gate_open: seconds >= 20, count: n, gripper: { closed: n % 2 === 0 } };
      return { topic: "/state", time: start + (BigInt(n) * second) / 20n, data: Buffer.from(JSON.stringify(value)) };
    }),
  );
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Modes" });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

const run = once(openRun);

test("states have their value and duration at the playhead and the pointer, and lead from change to change", async ({
  page,
}) => {
  const uid = await run();
  const mode = page.getByRole("region", { name: "/state.mode" });
  await lookFirst(page, async () => {
    await page.goto(`/recordings/${uid}?tab=states&t=${at(15)}`);
    await live(page);
    await expect(mode).toContainText("drive for 25 s");
  });
  await expect(page.getByRole("region", { name: "/state.gate_open" })).toContainText("false for 20 s");

  const lane = mode.getByRole("img", { name: "/state.mode over time: 3 states" });
  const box = (await lane.boundingBox())!;
  await lane.hover({ position: { x: box.width * 0.05, y: box.height / 2 } });
  await expect(mode).toContainText("idle for 10 s");
  await page.mouse.move(0, 0);
  await mode.getByRole("button", { name: "Next change of /state.mode" }).press("Enter");
  await expect(mode).toContainText("charge for 25 s");
  await expect(page).toHaveURL(/t=2026-02-02T02(:|%3A)40(:|%3A)35/);
  await mode.getByRole("button", { name: "Show /state.mode as a table" }).click();
  await expect(mode.getByRole("row")).toHaveText([/Time/, /idle10 s/, /drive25 s/, /charge25 s/]);

  await page.getByRole("textbox", { name: "Find a state" }).fill("gate");
  await expect(page.getByRole("list", { name: "States" }).getByRole("listitem")).toHaveCount(1);
});

test("a topic is a table: its latest message, and all of them to scroll, follow and save", async ({ page }) => {
  const uid = await run();
  await page.setViewportSize({ width: 1440, height: 900 });
  const latest = page.getByRole("table", { name: "Latest message of /state" });
  const table = page.getByRole("table", { name: "Messages of /state" });
  await lookFirst(page, async () => {
    await page.goto(`/recordings/${uid}?tab=table&topic=/state&t=${at(30)}`);
    await live(page);
    await expect(latest.getByRole("row")).toHaveText([
      "FieldValue",
      "modedrive",
      "gate_opentrue",
      "count600",
      "gripper.closedtrue",
    ]);
    await page.getByRole("radio", { name: "All messages" }).click();
    await expect(table).toContainText("drive");
  });
  await expect(table.getByRole("columnheader")).toHaveText(["Time", "mode", "gate_open", "count", "gripper.closed"]);
  const current = table.locator("tr[aria-current=true]");
  await expect(current).toContainText("600");
  await expect(page.getByText(/^200 messages loaded, 4 fields$/)).toBeVisible();

  // More are loaded at either end, and the rows on the screen stay where they are.
  const rows = page.getByRole("region", { name: "Messages of /state" });
  await rows.focus();
  await page.keyboard.press("End");
  await expect(page.getByText(/^(299|[3-9]\d\d) messages loaded/)).toBeVisible();
  await rows.evaluate((element) => element.scrollTo(0, 0));
  await expect(page.getByText(/^(39\d|[4-9]\d\d|1,\d\d\d) messages loaded/)).toBeVisible();

  // 500 was the first of them; a press on it moves the playhead.
  const row = table.getByRole("row").filter({ has: page.getByRole("cell", { name: "500", exact: true }) });
  await expect(row).toBeInViewport();
  await row.getByRole("button").press("Enter");
  await expect(current.getByRole("cell", { name: "500", exact: true })).toBeVisible();
  await expect(page).toHaveURL(/[?&]t=/);

  const loaded = Number((await page.getByText(/messages loaded/).textContent())!.replaceAll(",", "").split(" ")[0]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("state.csv");
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
  expect(lines[0]).toBe("log_time_ns,mode,gate_open,count,gripper.closed");
  expect(lines).toHaveLength(loaded + 1);
  const counts = lines.slice(1).map((line) => Number(line.split(",")[3]));
  expect(counts).toEqual(counts.map((_, index) => counts[0]! + index));
});

test("states and tables are panels of a layout, which keeps what was searched for and which messages are shown @full", async ({
  page,
}) => {
  const uid = await run();
  await page.goto(`/recordings/${uid}?t=${at(15)}`);
  await live(page);
  const panels = page.getByRole("region", { name: "Panels" });
  const add = async (section: string, name: string) => {
    await panels.getByRole("button", { name: "Add a panel" }).click();
    await page
      .getByRole("dialog", { name: "What to show" })
      .getByRole("region", { name: section })
      .getByRole("button", { name, exact: true })
      .click();
  };
  await add("States", "States");
  await add("Table", "/state");
  const states = panels.getByRole("group", { name: "Panel 1: States" });
  const table = panels.getByRole("group", { name: "Panel 2: Table /state" });
  await states.getByRole("textbox", { name: "Find a state" }).fill("mode");
  await expect(states.getByRole("list", { name: "States" }).getByRole("listitem")).toHaveCount(1);
  await table.getByRole("radio", { name: "All messages" }).click();
  await expect(table.getByRole("table", { name: "Messages of /state" })).toBeVisible();
  await expect.poll(() => page.url()).toMatch(/tree=.*mode.*all/);

  await reload(page);
  await expect(states.getByRole("region", { name: "/state.mode" })).toContainText("drive for 25 s");
  await expect(states.getByRole("textbox", { name: "Find a state" })).toHaveValue("mode");
  await expect(table.getByRole("table", { name: "Messages of /state" })).toBeVisible();
});
