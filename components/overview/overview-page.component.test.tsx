import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { severities } from "@/domain/severity";
import { DemoStatus } from "@/server/demo/resource";
import { OverviewPage } from "./overview-page";
import type { Fleet, RecordingInNeed, Robot } from "./query";

const path = "/overview";
const hour = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * hour - 1_000).toISOString();
const none = { info: 0, warning: 0, error: 0, critical: 0 };

const robot = (uid: string, name: string, change: Partial<Robot> = {}): Robot => ({
  ...{
    uid,
    name,
    status: "online",
    demo: false,
    last_seen_at: ago(0),
    worst: null,
    open_alerts: 0,
    open_by_severity: none,
  },
  ...{ rules: [], more_rules: 0, reading: null, last_run: null, week: Array.from({ length: 14 }, () => 0), ...change },
});

const open = (name: string, severity: Robot["rules"][number]["severity"], hours: number, count = 1) => ({
  ...{ rule_id: `rul_${name}`, name, severity, count, alert_id: `alt_${name}`, triggered_at: ago(hours) },
});

const armC1 = robot("dev_c1", "Arm C1", {
  ...{ worst: "critical", open_alerts: 3, open_by_severity: { ...none, critical: 1, error: 2 }, more_rules: 1 },
  rules: [open("Motor overheating", "critical", 8), open("Straining", "error", 72, 2)],
  reading: { name: "battery", label: "Battery", text: "61 %", judgement: "good" },
  last_run: { recording_id: "rec_1", started_at: ago(8) },
  week: [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0],
});
const weak = robot("dev_a3", "AMR 03", {
  reading: { name: "battery", label: "Battery", text: "9 %", judgement: "critical" },
});
const lost = robot("dev_d1", "Drone 1", { status: "offline", last_seen_at: ago(3) });

const fleet = (change: Partial<Fleet> = {}) =>
  answer("overview.fleet", {
    ...{ size: 8, fine: 5, maintenance: 1, robots: [armC1, weak, lost], groups: [], more_groups: 0 },
    ...change,
  });

const recording = (uid: string, name: string, change: Partial<RecordingInNeed> = {}): RecordingInNeed => ({
  ...{ uid, name, device_id: "dev_c1", device_name: "Arm C1", status: "ready", error_message: null, worst: "error" },
  ...{ open_alerts: 2, demo: false, started_at: ago(8), created_at: ago(8), ...change },
});

const nothing = { results: [], next: null, previous: null };

beforeEach(() => {
  fleet();
  answer("demo.status", sample(DemoStatus, { state: "none", alert_id: null }));
  answer("demo.steps", {
    ...{ dismissed: true, alert_uid: null, noisy: null },
    done: { evidence: false, backtest: false, device: false, recording: false, channel: false, teammate: false },
  });
  answer("overview.tiles", {
    ...{ ceiling: 5_000, devices: { online: 7, offline: 1, maintenance: 0 } },
    ...{ alerts: { ...none, critical: 1, error: 2 }, firing: 2 },
    recordings: { count: 3, hours: 1.5, bytes: 2e9, failed: 0 },
  });
  answer("overview.activity", { bucket_ms: 6 * hour, buckets: [], rules: [], capped: false });
  answer("overview.attention", []);
  answer("overview.loop", null);
  answer("overview.map", []);
  answer("moments.targets", []);
});

const row = (screen: Awaited<ReturnType<typeof show>>, name: string) =>
  screen.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });

test("each robot says in a line what is open and since when, its worst metric, its last run and its alerts", async () => {
  const screen = await show(<OverviewPage />, path);
  const arm = row(screen, "Arm C1");
  await expect.element(arm).toHaveTextContent("Motor overheating 8 h, Straining 3 d, +1");
  await expect.element(arm).toHaveTextContent(/61 %\s*battery/);
  await expect.element(arm).toHaveTextContent("last run 8 h");
  await expect.element(arm.getByTitle("1 critical, 2 error alerts open")).toBeVisible();
  await expect.element(arm.getByRole("img", { name: "3 alerts in the last 7 days" })).toBeVisible();
  await expect
    .element(arm.getByRole("link", { name: "Motor overheating 8 h" }))
    .toHaveAttribute("href", "/alerts/alt_Motor overheating");
  await expect
    .element(arm.getByRole("link", { name: "Straining 3 d" }))
    .toHaveAttribute("href", "/alerts?device_id=dev_c1&rule_id=rul_Straining");
  await expect.element(row(screen, "AMR 03").getByTitle("Battery: 9 %, critical")).toHaveTextContent("9 %critical");
  await expect.element(row(screen, "Drone 1")).toHaveTextContent("Offline 3 h");
  await expect.element(row(screen, "AMR 03")).toHaveTextContent("Battery out of range");
  await expectGoodLooks();
});

test("robots that are fine are a number until they are wanted, then come page by page", async () => {
  answer("overview.robots", ({ cursor }) =>
    cursor
      ? { ...nothing, results: [robot("dev_f2", "Fine 2")] }
      : { ...nothing, results: [robot("dev_f1", "Fine 1")], next: "more" },
  );
  const screen = await show(<OverviewPage />, path);
  await expect.element(screen.getByText("5 fine, 1 of them in maintenance")).toBeVisible();
  expect(listInputs("overview.robots")).toEqual([]);
  await screen.getByText("5 fine, 1 of them in maintenance").click();
  await expect.element(screen.getByRole("link", { name: "Fine 1" })).toHaveAttribute("href", "/devices/dev_f1");
  await screen.getByRole("button", { name: "Load more" }).click();
  await expect.element(screen.getByRole("link", { name: "Fine 2" })).toBeVisible();
  expect(listInputs("overview.robots").map(({ fine, cursor }) => [fine, cursor])).toEqual([
    [true, undefined],
    [true, "more"],
  ]);
});

test("arrows move between robots, and Enter opens the one that has the focus", async () => {
  const screen = await show(<OverviewPage />, path);
  const link = (name: string) => screen.getByRole("link", { name, exact: true });
  await expect.element(link("Arm C1")).toBeVisible();
  (link("Arm C1").element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(link("AMR 03")).toHaveFocus();
  await userEvent.keyboard("{End}");
  await expect.element(link("Drone 1")).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}{ArrowUp}{Enter}");
  await expect.poll(() => location.pathname).toBe("/devices/dev_a3");
});

test("a large fleet is groups, the worst first, each of which opens to its robots", async () => {
  const groups: Fleet["groups"] = [
    {
      uid: "grp_1",
      name: "Hall 1",
      path: "Berlin",
      total: 40,
      fine: 37,
      counts: { critical: 1, unhealthy: 2, online: 37 },
    },
    { uid: null, name: "", path: "", total: 160, fine: 160, counts: { online: 160 } },
  ];
  fleet({ size: 200, fine: 197, robots: [], groups, more_groups: 3 });
  answer("overview.robots", { ...nothing, results: [armC1] });
  const screen = await show(<OverviewPage />, path);
  const bar = screen.getByRole("button", { name: /Hall 1/ });
  await expect.element(bar).toHaveTextContent("BerlinHall 1401 critical2 out of range37 online");
  await expect.element(screen.getByRole("button", { name: /In no group/ })).toHaveAttribute("aria-expanded", "false");
  await expect.element(screen.getByText("3 more groups, none of them worse.")).toBeVisible();
  await bar.click();
  await expect.element(screen.getByRole("link", { name: "Arm C1", exact: true })).toBeVisible();
  expect(listInputs("overview.robots")).toEqual([expect.objectContaining({ group: "grp_1", fine: false })]);
  await expect.element(screen.getByText("37 fine")).toBeVisible();
  await expectGoodLooks();
});

test("without anything to do the fleet says so, and what nobody uses is not there", async () => {
  fleet({ robots: [], size: 5 });
  const screen = await show(<OverviewPage />, path);
  await expect.element(screen.getByText(/^No alert is open, no metric is out of range/)).toBeVisible();
  await expect.element(screen.getByText("Nothing needs attention.")).toBeVisible();
  // Without a dataset or a project, and without a place, there is nothing of either.
  await expect.element(screen.getByRole("heading", { name: "Training data" })).not.toBeInTheDocument();
  await expect.element(screen.getByRole("heading", { name: "Where they are" })).not.toBeInTheDocument();
});

test("a fleet that could not be loaded is loaded by another try", async () => {
  refuse("overview.fleet", { status: 500, detail: "The database is away." });
  const screen = await show(<OverviewPage />, path);
  const retry = screen.getByRole("button", { name: "Retry" });
  await expect.element(screen.getByText("The fleet could not be loaded")).toBeVisible();
  fleet();
  await retry.click();
  await expect.element(screen.getByRole("link", { name: "Arm C1", exact: true })).toBeVisible();
});

test("figures, 12 robots, their map and the recordings that need attention fit a screen of 1440 × 900", async () => {
  await page.viewport(1440, 900);
  answer("demo.status", sample(DemoStatus, { state: "ready", alert_id: null, hidden: false }));
  fleet({
    ...{ size: 14, fine: 2, maintenance: 0 },
    robots: Array.from({ length: 12 }, (_, at) => ({ ...armC1, uid: `dev_${at}`, name: `Arm C${at}` })),
  });
  answer(
    "overview.map",
    Array.from({ length: 12 }, (_, at) => ({
      ...{ uid: `dev_${at}`, name: `Arm C${at}`, status: "online" as const, worst: severities[at % 4] ?? null },
      ...{ lat: 53.5 + at / 100, lon: 10 + at / 100 },
    })),
  );
  answer(
    "overview.attention",
    Array.from({ length: 6 }, (_, at) =>
      recording(`rec_${at}`, `Pick cycle Arm C${at}`, at === 1 ? { status: "error", error_message: "cut off" } : {}),
    ),
  );
  // What the rail and the top bar leave of that screen.
  const screen = await show(
    <div style={{ width: 1440 - 216, height: 900 - 48 }} className="flex flex-col">
      <OverviewPage />
    </div>,
    path,
  );
  await expect.element(row(screen, "Arm C11")).toBeVisible();
  await expect.element(screen.getByRole("group", { name: /Devices by their location/ })).toBeVisible();
  await expect.element(screen.getByRole("link", { name: /Pick cycle Arm C5/ })).toBeVisible();
  await expect.element(screen.getByRole("link", { name: /7\s*Online/ })).toBeVisible();
  for (const last of [
    screen.getByText("2 fine"),
    screen.getByRole("group", { name: /Devices by their location/ }),
    screen.getByRole("link", { name: "Pick cycle Arm C5" }),
  ])
    expect(last.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(900 - 48);
  // All of a robot's line is in one line.
  expect(row(screen, "Arm C11").element().getBoundingClientRect().height).toBeLessThan(40);
});
