import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { Judgement } from "@/domain/rules/judgements";
import { durationOrZero } from "@/domain/time/duration";
import { ValueMap } from "./value-map";

const condition: ConditionDraft = {
  ...{ type: "threshold", topic: "/motor", field: "temperature", operator: "gt", value: 65 },
};
/** The peak of each recording, and for how many seconds it was that hot. */
const recorded: Record<string, { peak: number; seconds: number }> = {
  a: { peak: 91, seconds: 60 },
  b: { peak: 77, seconds: 30 },
  c: { peak: 95, seconds: 1 },
};
const span = { started_at: "", triggered_at: "", ended_at: "", triggered_ns: "0", evidence: {} };
const recordings = Object.entries(recorded).map(([uid, { peak }]) => ({
  ...{ recording_id: uid, status: "evaluated" as const, hit_count: 1 },
  hits: [{ ...span, peak }],
}));
const countHits = ({ value, window }: ConditionDraft) =>
  Promise.resolve(
    Object.entries(recorded).map(([uid, { peak, seconds }]) => ({
      ...{ recording_id: uid, status: "evaluated" as const },
      hit_count: peak > Number(value) && BigInt(seconds) * 1_000_000_000n >= durationOrZero(window) ? 1 : 0,
    })),
  );
const judged = new Map<string, Judgement>([
  ["a", "fixed"],
  ["b", "false_alarm"],
  ["c", "false_alarm"],
]);

test("a map of values and times says what each finds, and offers the pair that agrees with what was decided", async () => {
  let chosen: ConditionDraft | null = null;
  const shown = {
    recordings,
    condition,
    countHits,
    unit: "°C",
    onChange: (next: ConditionDraft) => void (chosen = next),
  };
  const screen = await show(<ValueMap {...shown} judged={judged} />, "/rules/rul_1/edit");
  const now = screen.getByRole("gridcell", {
    name: "65 °C: 3 hits, keeps 1 of 1 fixed, drops 0 of 2 false alarms, as it is",
  });
  await expect.element(now).toBeVisible();
  await expect.element(screen.getByText("It keeps 1 of 1 fixed, drops 2 of 2 false alarms.")).toBeVisible();
  await expectGoodLooks();
  await screen.getByRole("button", { name: "Use 80 °C for 2s" }).click();
  expect(chosen).toEqual({ ...condition, value: 80, window: "2s" });
  // By keys: one row down and one column to the right of the present condition.
  now.element().focus();
  await userEvent.keyboard("{ArrowDown}{ArrowRight}{Enter}");
  expect(chosen).toEqual({ ...condition, value: 70, window: "1s" });
});

test("where nobody decided anything the map is closed until it is wanted, and suggests nothing", async () => {
  const shown = { recordings, condition, countHits, unit: undefined, onChange: () => {} };
  const screen = await show(<ValueMap {...shown} judged={new Map()} />, "/rules/rul_1/edit");
  await expect.element(screen.getByRole("grid")).not.toBeInTheDocument();
  expect(document.querySelectorAll("[aria-busy=true]")).toHaveLength(0);
  await screen.getByText("Values and times compared").click();
  await expect.element(screen.getByRole("gridcell", { name: "90 for 1s: 2 hits" })).toBeVisible();
  await expect.element(screen.getByRole("button", { name: /^Use/ })).not.toBeInTheDocument();
});
