import type { RE2JS } from "re2js";
import { compilePattern } from "@/domain/conditions/expressions";
import type { LeafEvaluator } from "@/engine/rules/evaluator";
import { HeldSignal } from "@/engine/rules/held";
import { showValue } from "@/engine/rules/samples";
import { ListTest, no, unknown, yes, type Truth, type ValueTest } from "@/engine/rules/truth";

/** Characters of a value that are searched. */
const maxSearchedLength = 4096;

/** The text that a pattern is searched in: strings as they are, numbers and booleans as in JSON; null for the rest. */
function toText(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return value.length > maxSearchedLength ? value.slice(0, maxSearchedLength) : value;
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : null;
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return null;
  }
}

/** Searches for a pattern anywhere in a value. */
export class PatternTest implements ValueTest {
  private readonly pattern: RE2JS;
  // Status texts repeat for minutes, so the last result is cached.
  private lastText: string | null = null;
  private lastTruth: Truth = no;

  constructor(regex: string) {
    this.pattern = compilePattern(regex);
  }

  judge(value: unknown): Truth {
    if (value === undefined || value === null) return unknown;
    const text = toText(value);
    if (text === null) return no;
    if (text === this.lastText) return this.lastTruth;
    this.lastText = text;
    this.lastTruth = this.pattern.test(text) ? yes : no;
    return this.lastTruth;
  }

  extent(): number {
    return NaN;
  }
}

export const pattern: LeafEvaluator<"pattern"> = {
  watchesSilence: false,
  watch({ regex, field_mode: mode }, { tracker }) {
    const test = new ListTest(new PatternTest(regex), mode === "all" ? "all" : "any");
    return { samples: new HeldSignal({ test }, tracker) };
  },
  show: showValue,
};
