import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { RecordingDetail } from "@/server/features/recordings/resource";
import { CompareView } from "./compare-view";

const topic = { schema: "pkg/msg/A", message_count: 5, frequency_hz: 10, encoding: "cdr", error: null };
const log = { ...topic, name: "/rosout", schema: "rcl_interfaces/msg/Log", fields: [], long_lists: [] };
const motor = { ...topic, name: "/motor", fields: [{ path: "value", kind: "number" }], long_lists: [] };
const record = (start: string, end: string) =>
  sample(RecordingDetail, { start_ns: start, end_ns: end, gaps: [], topics: [log, motor] });
const [a, b] = [
  record("1760000000000000000", "1760000010000000000"),
  record("1760100000000000000", "1760100010000000000"),
];
const none = { rows: [], total: 0 };
const silence = { count: 0, seconds: 0 };

async function open(query: string) {
  answer("recordings.compare", {
    ...{ common_topics: 2, common_fields: 1, only_a: none, only_b: none, schemas: none, rates: none },
    ...{ gaps: { a: silence, b: silence }, silences: none, levels: { a: null, b: null }, alerts: [], fields: none },
  });
  answer("recordings.lanes", { alerts: [], rules: [] });
  answer("recordings.events", { total: 0, events: [], buckets: null });
  answer("recordings.densities", { from: "0", to: "1", topics: [] });
  answer("moments.targets", []);
  refuse("recordings.openPack", { status: 404, detail: "Not found." });
  refuse("recordings.series", { status: 404, detail: "Not found." });
  const anchors = { events: [], alerts: [] };
  return show(
    <div className="flex h-full flex-col">
      <button type="button">Outside</button>
      <CompareView a={a} b={b} anchors={anchors} />
    </div>,
    `/recordings/compare?a=${a.uid}&b=${b.uid}${query}`,
  );
}

test("alone, panels have most of the page, and nothing else of it can be reached", async () => {
  const screen = await open("&panels=log&plots=");
  const side = screen.getByRole("group", { name: "A: Log" });
  await expect.element(side).toBeVisible();
  const height = () => side.element().getBoundingClientRect().height / innerHeight;
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.poll(height).toBeGreaterThan(0.85);
  await expect.element(screen.getByRole("slider", { name: "Playhead" })).toBeVisible();
  expect(screen.getByRole("combobox", { name: "Add a panel of both" }).elements()).toHaveLength(0);
  expect(screen.getByRole("button", { name: "Outside" }).element().closest("[inert]")).not.toBeNull();
  screen.getByRole("slider", { name: "Playhead" }).element().focus();
  await userEvent.keyboard("{Escape}");
  await expect.element(screen.getByRole("combobox", { name: "Add a panel of both" })).toBeVisible();
  await expect.poll(height).toBeGreaterThan(0.65);
});

test("differences and topics open beside the panels by keys, at a width that is kept", async () => {
  const screen = await open("&panels=log&plots=");
  const differences = screen.getByRole("complementary", { name: "Differences" });
  await expect.element(screen.getByRole("region", { name: "Log" })).toBeVisible();
  await expect.poll(() => differences.elements()).toHaveLength(0);
  await userEvent.keyboard("]");
  await expect.element(differences).toHaveTextContent("2 topics and 1 number field are in both.");
  expect(document.cookie).toContain("ui.compare.side=open");
  const edge = screen.getByRole("separator", { name: "Width of the panel" });
  edge.element().focus();
  await userEvent.keyboard("{ArrowLeft}");
  await expect.element(edge).toHaveAttribute("aria-valuenow", "428");
  await userEvent.keyboard("t");
  await expect.element(screen.getByRole("group", { name: "Topics of A" })).toBeVisible();
  await expect.element(screen.getByRole("group", { name: "Topics of B" })).toBeVisible();
  await expectGoodLooks();
  await page.viewport(1440, 900);
  await userEvent.keyboard("]");
  await expect.poll(() => differences.elements()).toHaveLength(0);
});
