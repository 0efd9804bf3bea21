import { isoFromNs } from "@/domain/time/nanoseconds";
import { writeMcap } from "@/engine/testing/write-mcap";
import { expect, inEveryLook, live, unique, widths, type Api } from "./fixtures";
import { once, onlookers as test } from "./onlookers";
import { uploadRecording } from "./recording-files";

/** Nanoseconds since 1970. */
const start = 1_770_000_000_000_000_000n;

/** Twenty seconds of a motor that is hot after the tenth, and a radio that reports only once. */
async function openRun(api: Api, request: Parameters<typeof uploadRecording>[1]): Promise<string> {
  const schema = { schemaName: "diagnostic_msgs/msg/DiagnosticArray", schemaEncoding: "jsonschema", schema: "{}" };
  const bytes = await writeMcap(
    [
      { topic: "/diagnostics", messageEncoding: "json", ...schema },
      { ...schema, topic: "/rosout", messageEncoding: "json", schemaName: "rcl_interfaces/msg/Log" },
    ],
    Array.from({ length: 22 }, (_, n) => {
      if (n === 21) {
        const line = { level: 20, name: "base", msg: "Stopped" };
        return { topic: "/rosout", time: start + 20_000_000_000n, data: Buffer.from(JSON.stringify(line)) };
      }
      const values = [{ key: "temperature", value: String(70 + n) }];
      const motor = { level: n > 10 ? 2 : 0, name: "/base/motor", message: n > 10 ? "Too hot" : "Fine", values };
      const radio = { level: 1, name: "/base/radio", message: "Weak signal", values: [] };
      const time = start + BigInt(n) * 1_000_000_000n;
      return {
        topic: "/diagnostics",
        time,
        data: Buffer.from(JSON.stringify({ status: n === 0 ? [motor, radio] : [motor] })),
      };
    }),
  );
  const { uid } = await uploadRecording(api, request, { bytes, device: unique("robot"), name: "Hot motor" });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

const run = once(openRun);

test("diagnostics show the state of every part at the playhead, the worst first, in every look", async ({ page }) => {
  const uid = await run();
  await page.goto(`/recordings/${uid}?tab=diagnostics&t=${isoFromNs(start + 15_000_000_000n)}`);
  await live(page);
  // With all of its tabs in sight, on any screen.
  const tabs = page.getByRole("tablist", { name: "About this moment" }).getByRole("tab");
  await expect(tabs).toHaveText(["Events", "Log", "Diagnostics", "States", "Topics", "Message", "Table", "Details"]);
  for (const width of [widths.phone.width, 1_024, 1_280, 1_439, widths.desk.width]) {
    await page.setViewportSize({ width, height: widths.desk.height });
    await tabs.last().scrollIntoViewIfNeeded();
    for (const tab of await tabs.all()) await expect(tab, `at ${width} px`).toBeInViewport({ ratio: 1 });
  }
  const parts = page.getByRole("list", { name: "Diagnostics" }).getByRole("listitem");
  await expect(parts).toHaveText([/Error:.*\/base\/motor.*Too hot/, /Warning:.*\/base\/radio.*Weak signal.*15 s old/]);
  await parts.first().getByText("/base/motor").click();
  await expect(parts.first()).toContainText("temperature85");

  await page.goto(`/recordings/${uid}?tab=diagnostics&t=${isoFromNs(start + 2_000_000_000n)}`);
  await expect(parts).toHaveText([/\/base\/radio/]);
  await page.getByRole("switch", { name: "1 problem in 2 parts; show all" }).click();
  await expect(parts).toHaveText([/\/base\/radio/, /OK:.*\/base\/motor.*Fine/]);

  await inEveryLook(page, async () => {
    await page.goto(`/recordings/${uid}?tab=diagnostics&t=${isoFromNs(start + 15_000_000_000n)}`);
    await expect(page.getByRole("list", { name: "Diagnostics" })).toContainText("Too hot");
    await live(page);
  });
});
