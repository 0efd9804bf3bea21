import { describe, expect, test } from "vitest";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { Judgement } from "@/domain/rules/judgements";
import { suggestValue } from "./suggest-value";

const hot: ConditionDraft = { type: "threshold", topic: "/motor", field: "temperature", operator: "gt", value: 65 };
/** Four hits a day, of which a quarter goes beyond 95. */
const noisy = { peaks: Array.from({ length: 40 }, (_, n) => 66 + n), hitsPerDay: 4 };
const outcome = (recording_id: string, judgement: Judgement, ...peaks: number[]) => ({
  ...{ recording_id, judgement, hit_count: peaks.length },
  lowest_peak: peaks.length > 0 ? Math.min(...peaks) : null,
  highest_peak: peaks.length > 0 ? Math.max(...peaks) : null,
});

describe("the value that is suggested for a rule", () => {
  test("agrees with what people decided, where they did, however often the rule triggers", () => {
    const decided = [outcome("a", "fixed", 82, 90), outcome("b", "false_alarm", 76.2), outcome("c", "false_alarm", 70)];
    const tally = { fixed: 1, kept: 1, falseAlarms: 2, dropped: 2 };
    expect(suggestValue(hot, noisy, decided)).toEqual({ by: "outcomes", value: 77, tally });
    expect(suggestValue(hot, { peaks: [], hitsPerDay: 0 }, decided)).toMatchObject({ by: "outcomes", value: 77 });
    const low: ConditionDraft = { ...hot, operator: "lte", value: 20 };
    const battery = [outcome("a", "fixed", 8), outcome("b", "false_alarm", 14.2)];
    expect(suggestValue(low, { peaks: [], hitsPerDay: 0 }, battery)).toMatchObject({ by: "outcomes", value: 14 });
  });

  test("makes a rule quieter where nothing was decided, or that is no reason against it", () => {
    const quieter = suggestValue(hot, noisy, []);
    expect(quieter).toMatchObject({ by: "noise", of: 40 });
    expect(suggestValue(hot, noisy, [outcome("a", "false_alarm", 99)])).toEqual(quieter);
    expect(suggestValue(hot, noisy, [outcome("a", "fixed", 70, 104)])).toEqual(quieter);
  });

  test("never drops what had to be fixed, and not where nobody knows how far that went", () => {
    expect(suggestValue(hot, noisy, [outcome("a", "fixed", 80)])).toBe(null);
    expect(suggestValue(hot, noisy, [outcome("a", "fixed", 104), outcome("b", "fixed", 68)])).toBe(null);
    expect(suggestValue(hot, noisy, [outcome("a", "fixed")])).toBe(null);
  });

  test("takes the newest decision about a recording", () => {
    const decided = [outcome("a", "false_alarm", 80), outcome("a", "fixed", 80)];
    expect(suggestValue(hot, noisy, decided)).toMatchObject({ by: "noise" });
  });
});
