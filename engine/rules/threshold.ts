import { durationOrZero } from "@/domain/time/duration";
import type { LeafEvaluator } from "@/engine/rules/evaluator";
import { enumNames } from "@/engine/rules/facts";
import { HeldSignal } from "@/engine/rules/held";
import { showValue } from "@/engine/rules/samples";
import { listTests } from "@/engine/rules/truth";

export const threshold: LeafEvaluator<"threshold"> = {
  watchesSilence: false,
  watch(condition, { topic, tracker }) {
    const tests = listTests(condition, enumNames(topic, condition));
    return { samples: new HeldSignal({ ...tests, window: durationOrZero(condition.window) }, tracker) };
  },
  show: showValue,
};
