import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { HitResource, RuleDetail } from "@/server/features/rules/resource";
import { RuleNoise } from "./rule-noise";

const condition = { type: "threshold", topic: "/motor", field: "temperature", operator: "gt", value: 65 };
const rule = sample(RuleDetail, { uid: "rul_1", name: "Motor warm", condition });
const daily = Array.from({ length: 30 }, (_, day) => ({
  date: `2026-11-${String(day + 1).padStart(2, "0")}`,
  hits: day < 25 ? 0 : 8,
}));

async function open(outcomes: Parameters<typeof answer<"rules.outcomes">>[1]) {
  answer("rules.get", rule);
  answer("rules.noise", {
    ...{ days: 30, hit_count: 40, hits_per_day: 1.33, alert_count: 9, resolved_count: 4, false_alarm_count: 1 },
    ...{ false_alarm_share: 0.25, daily },
  });
  const hits = Array.from({ length: 40 }, (_, at) => sample(HitResource, { peak: 66 + at, triggered_ns: String(at) }));
  answer("rules.hits", { results: hits, next: null, previous: null });
  answer("rules.outcomes", outcomes);
  return show(<RuleNoise rule={rule} reason={undefined} />, "/rules/rul_1");
}

test("the noise of a rule names the days of each figure, and a suggestion uses the same", async () => {
  const screen = await open([]);
  await expect.element(screen.getByText("40 hits, 1.3 a day over the last 30 days")).toBeVisible();
  // Eight a day since the first hit are too many; the figures are those of the same 30 days.
  const share = /^5 of its latest 40 hits went further than that: about 5 hits in the last 30 days instead of 40\.$/;
  await expect.element(screen.getByText(share)).toBeVisible();
  await expectGoodLooks();
});

test("where people decided about its alerts, it suggests the value that agrees with them", async () => {
  const peaks = (highest_peak: number) => ({ hit_count: 1, lowest_peak: highest_peak, highest_peak });
  const screen = await open([
    { recording_id: "rec_1", judgement: "fixed", ...peaks(82) },
    { recording_id: "rec_2", judgement: "false_alarm", ...peaks(76.2) },
  ]);
  await expect.element(screen.getByRole("heading", { name: "Try 77" })).toBeVisible();
  await expect
    .element(screen.getByText("By the peaks of its hits, it keeps 1 of 1 fixed, drops 1 of 1 false alarm."))
    .toBeVisible();
  await expect
    .element(screen.getByRole("link", { name: "Try it in the builder" }))
    .toHaveAttribute("href", "/rules/rul_1/edit?value=77");
});
