import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { rateOverLast } from "./hit-summary";
import { PreviewPane } from "./preview-pane";
import type { Found, LivePreview } from "./query";
import { SaveBar } from "./save-bar";

const condition: ConditionDraft = {
  ...{ type: "threshold", topic: "@heartbeat", field: "battery", operator: "lt" },
  ...{ value: 20, window: "5m" },
};
const text = "Battery 13 % (below 20 % for 5 min)";
const hit = (hour: number, ended: number | null): LivePreview["devices"][number]["hits"][number] => ({
  started_at: `2026-11-20T${hour}:00:00.000Z`,
  triggered_at: `2026-11-20T${hour}:05:00.000Z`,
  ended_at: ended === null ? null : `2026-11-20T${hour}:${ended}:00.000Z`,
  text,
});
const made = (given: Partial<LivePreview> = {}): LivePreview => ({
  ...{ since: "2026-11-18T00:00:00.000Z", until: "2026-11-21T00:00:00.000Z", days: 3 },
  ...{ devices_total: 12, devices_evaluated: 12, devices_reporting: 10, device_count: 2, point_count: 86_400 },
  ...{ limit: null, hit_count: 5, hits_per_day: 1.7, longest_seconds: 2_700 },
  ...{ condition_text: "Battery below 20 % for 5 min", example_message: text },
  devices: [
    {
      device_id: "dev_1",
      device_name: "AMR 7",
      hit_count: 4,
      evaluated_until: null,
      hits: [hit(14, null), hit(12, 50)],
    },
    { device_id: "dev_2", device_name: "AMR 9", hit_count: 1, evaluated_until: null, hits: [hit(10, 30)] },
  ],
  ...given,
});
const nothing = {
  device_count: 0,
  hit_count: 0,
  hits_per_day: 0,
  longest_seconds: null,
  devices: [],
  example_message: null,
};
const pane = (more: object = {}) => <PreviewPane condition={condition} scope={null} {...more} />;
const at = "/rules/new";

test("a preview over heartbeats shows when a rule would have triggered, on which devices and by what", async () => {
  answer("rules.previewLive", made());
  const found: (Found | null)[] = [];
  const screen = await show(pane({ onPreview: (preview: Found | null) => found.push(preview) }), at);
  await expect
    .element(screen.getByText("Triggers 5 times on 2 of 12 devices, 1.7 a day over the last 3 days; longest 45m 00s"))
    .toBeVisible();
  await expect.element(screen.getByText("Over the heartbeats of the last 3 days: 86,400 of 10 devices.")).toBeVisible();
  const hits = screen.getByRole("list", { name: "Hits on AMR 7" });
  await expect.element(hits.getByRole("listitem").first()).toHaveTextContent(`${text}goes on`);
  await expect.element(hits.getByRole("listitem").last()).toHaveTextContent(`${text}45m 00s`);
  await expect.element(screen.getByText("And 2 earlier hits.")).toBeVisible();
  expect(found.at(-1)).toMatchObject({ hit_count: 5, among: "devices", example_message: text });
  expect(listInputs("rules.previewLive")).toEqual([{ condition, scope: null }]);
  await expectGoodLooks();
  await screen.getByRole("button", { name: /AMR 9/ }).click();
  await expect.element(screen.getByRole("list", { name: "Hits on AMR 9" })).toBeVisible();
  await expect.element(hits).not.toBeInTheDocument();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("list", { name: "Hits on AMR 9" })).not.toBeInTheDocument();
});

test("it says that nothing would have triggered, and that there is nothing to look at", async () => {
  answer("rules.previewLive", made(nothing));
  const none = await show(pane(), at);
  await expect.element(none.getByText("It would not have triggered on 12 devices.")).toBeVisible();
  await expectGoodLooks();
  answer("rules.previewLive", made({ ...nothing, devices_reporting: 0, point_count: 0 }));
  const empty = await show(pane({ scope: { tags: ["spare"] } }), at);
  const message = "No heartbeats of these 12 devices are kept from the last 3 days: there is nothing to look at.";
  await expect.element(empty.getByText(message)).toBeVisible();
  answer("rules.previewLive", made({ ...nothing, devices_total: 0, devices_evaluated: 0, devices_reporting: 0 }));
  const nobody = await show(pane({ scope: { tags: ["none"] } }), at);
  await expect.element(nobody.getByText("No device is in scope.")).toBeVisible();
});

test.each([
  [
    "devices",
    { devices_total: 10_000, devices_evaluated: 1_000 },
    "Looked at 1,000 of 10,000 devices in scope. They are those that were seen last.",
  ],
  ["points", { devices_total: 100 }, "Looked at 12 of 100 devices in scope. A preview reads no more heartbeats."],
  ["time", {}, "Not all heartbeats were looked at. Reading more heartbeats takes too long."],
] as const)("it says what was left out for too many %s", async (limit, given, message) => {
  answer("rules.previewLive", made({ limit, ...given }));
  const screen = await show(pane({ scope: { tags: [limit] } }), at);
  await expect.element(screen.getByText(message)).toBeVisible();
});

test("an incomplete condition asks for nothing, a refused one leads to its fields, and a failure can be tried again", async () => {
  const incomplete = await show(pane({ condition: { ...condition, value: undefined } }), at);
  await expect.element(incomplete.getByText(/Choose a metric and a value/)).toBeVisible();
  expect(listInputs("rules.previewLive")).toEqual([]);
  const issues = [{ path: ["condition", "window"], message: "Not a valid duration." }];
  refuse("rules.previewLive", { status: 400, detail: "Invalid.", issues });
  const reported: unknown[] = [];
  const onIssues = (each: unknown) => reported.push(each);
  const refused = await show(pane({ condition: { ...condition, window: "5 x" }, onIssues }), at);
  await expect.element(refused.getByText(/see the marked fields on the left/)).toBeVisible();
  expect(reported.at(-1)).toEqual(issues);
  refuse("rules.previewLive", { status: 503, detail: "The database is away." });
  const failed = await show(pane({ scope: { tags: ["failed"] } }), at);
  await expect.element(failed.getByText("The preview could not be computed")).toBeVisible();
  answer("rules.previewLive", made());
  await failed.getByRole("button", { name: "Retry" }).click();
  await expect.element(failed.getByText(/^Triggers/)).toBeVisible();
});

test("a rule that nothing would have triggered is saved only once that is confirmed", async () => {
  const preview: Found = { ...made(nothing), among: "devices", rate: rateOverLast(0, 3) };
  const draft = { name: "Battery low", description: "", runbook: "", owner: null, condition, actions: [], scope: null };
  const screen = await show(
    <SaveBar saved={undefined} {...{ draft, preview }} changed onIssues={() => {}} onSaved={() => {}} />,
    at,
  );
  await screen.getByRole("button", { name: "Create rule" }).click();
  await expect.element(screen.getByText("It would not have triggered on any of these devices.")).toBeVisible();
});
