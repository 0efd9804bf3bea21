import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { PreviewRecording } from "@/domain/rules/preview";
import { AlertResource } from "@/server/features/alerts/resource";
import { HitResource, RuleDetail } from "@/server/features/rules/resource";
import { RuleHitTable } from "./rule-hits";
import { RulePage } from "./rule-page";

const uid = "rul_battery";
const rule = sample(RuleDetail, {
  ...{ uid, name: "Battery low", warnings: [], scope: null, condition_text: "Battery below 20 % for 5 min" },
  ...{ enabled: true, builtin: false, demo: false, hit_count: 2, actions: [{ type: "flag_for_review" }] },
  condition: { type: "threshold", topic: "@heartbeat", field: "battery", operator: "lt", value: 20, window: "5m" },
});

test("the page of a rule about heartbeats has its alerts and state in place of hits and evaluations", async () => {
  answer("rules.get", rule);
  answer("rules.liveState", {
    ...{ devices_watched: 30, devices_met: 21, met: [{ uid: "dev_1", name: "AMR 7" }] },
    evaluated_at: new Date().toISOString(),
  });
  const alert = sample(AlertResource, {
    ...{ uid: "alr_1", device_name: "AMR 7", status: "open", message: "Battery 13 % (below 20 % for 5 min)" },
  });
  answer("alerts.ofRule", { results: [alert], next: null, previous: null });
  const screen = await show(<RulePage uid={uid} />, `/rules/${uid}`);
  await expect.element(screen.getByText("Battery 13 % (below 20 % for 5 min)").first()).toBeVisible();
  await expect.element(screen.getByText("30 devices")).toBeVisible();
  await expect.element(screen.getByText("AMR 7 and 20 more")).toBeVisible();
  const tabs = screen.getByRole("tab").elements();
  expect(tabs.map(({ textContent }) => textContent)).toEqual(["Alerts", "Preview", "Versions"]);
  expect([listInputs("rules.hits"), listInputs("rules.evaluations")]).toEqual([[], []]);
  await expectGoodLooks();
});

test("without alerts it says when one opens, also at the address of a tab that it does not have", async () => {
  answer("rules.get", { ...rule, enabled: false });
  answer("rules.liveState", { devices_watched: 2, devices_met: 0, met: [], evaluated_at: null });
  answer("alerts.ofRule", { results: [], next: null, previous: null });
  const screen = await show(<RulePage uid={uid} />, `/rules/${uid}?tab=evaluations`);
  await expect.element(screen.getByText("No alerts yet")).toBeVisible();
  await expect.element(screen.getByText("Nothing: it is off")).toBeVisible();
  await expect.element(screen.getByText("On no device")).toBeVisible();
});

test("the hits of a rule name their device, and say what people decided about the alerts of their recordings", async () => {
  const hit = (recording_id: string) =>
    sample(HitResource, { recording_id, device_name: "Arm C1", peak: 91, triggered_ns: "1769990400000000000" });
  answer("rules.hits", { results: [hit("rec_1"), hit("rec_2"), hit("rec_3")], next: null, previous: null });
  answer("rules.outcomes", [
    { recording_id: "rec_1", judgement: "fixed" },
    { recording_id: "rec_2", judgement: "false_alarm" },
  ]);
  const screen = await show(<RuleHitTable uid={uid} condition={rule.condition} />, `/rules/${uid}`);
  const decided = () =>
    screen
      .getByRole("row")
      .elements()
      .slice(1)
      .map((row) => row.children[2]?.textContent);
  await expect.poll(decided).toEqual(["Fixed", "False alarm", "–None"]);
  await expect.element(screen.getByRole("cell", { name: "Arm C1" }).first()).toBeVisible();
  await expectGoodLooks();
});

test("the preview of a saved rule says what people decided about the alerts of its recordings, and compares nothing", async () => {
  const condition = { type: "absence", topic: "/battery", timeout: "5s" };
  answer("rules.get", { ...rule, name: "Silent battery", condition });
  answer("rules.outcomes", [
    { recording_id: "rec_1", judgement: "fixed" },
    { recording_id: "rec_2", judgement: "false_alarm" },
  ]);
  const recording = (recording_id: string, hit_count: number) =>
    sample(PreviewRecording, {
      ...{ recording_id, recording_name: recording_id, status: "evaluated", hit_count, suppressed: 0, storm: false },
      ...{
        started_at: "2026-11-01T00:00:00.000Z",
        ended_at: "2026-11-01T01:00:00.000Z",
        notes: [],
        hits: [],
        lost: [],
      },
    });
  answer("rules.preview", {
    ...{ recordings: [recording("rec_1", 2), recording("rec_2", 0)], hit_count: 2, device_count: 1, devices_total: 2 },
    ...{ hits_per_day: 2, longest_seconds: 7, condition_text: "", warnings: [] },
  });
  answer("rules.previewColumns", null);
  const screen = await show(<RulePage uid={uid} />, `/rules/${uid}?tab=preview`);
  await expect
    .element(screen.getByText("Of what was resolved, it keeps 1 of 1 fixed, drops 1 of 1 false alarm."))
    .toBeVisible();
  await expect
    .element(screen.getByText("Triggers 2 times on 1 of 2 devices, within one day; longest 7.0 s"))
    .toBeVisible();
  expect(listInputs("rules.preview").map(({ rule_id }) => rule_id)).toEqual([undefined]);
  await expectGoodLooks();
});
