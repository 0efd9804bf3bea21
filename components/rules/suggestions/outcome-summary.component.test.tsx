import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import type { Judgement } from "@/domain/rules/judgements";
import { OutcomeSummary } from "./outcome-summary";

const condition = { type: "threshold" as const, topic: "/motor", field: "temperature", operator: "gt", value: 65 };
const recording = (uid: string, peak: number | null) => ({
  ...{ recording_id: uid, status: "evaluated" as const, hit_count: peak === null ? 0 : 1 },
  hits:
    peak === null ? [] : [{ started_at: "", triggered_at: "", ended_at: "", triggered_ns: "0", peak, evidence: {} }],
});

test("a preview says what people had decided about the hits it keeps and drops, and offers a better value", async () => {
  const recordings = [recording("a", 91), recording("b", 77.4), recording("c", null)];
  const judged = new Map<string, Judgement>([
    ["a", "fixed"],
    ["b", "false_alarm"],
    ["c", "false_alarm"],
  ]);
  let value = 0;
  const shown = { recordings, judged, condition, onValueChange: (next: number) => void (value = next) };
  const screen = await show(<OutcomeSummary {...shown} />, "/rules/rul_1/edit");
  const sentence = "Of what was resolved, it keeps 1 of 1 fixed, drops 1 of 2 false alarms.";
  await expect.element(screen.getByText(sentence)).toBeVisible();
  await screen.getByRole("button", { name: "Try 78" }).click();
  expect(value).toBe(78);
  await expectGoodLooks();
});
