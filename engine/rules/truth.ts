import { toBound, compareWithBound, isNanText, toNumber, type Bound } from "@/domain/conditions/number";
import { isOrdering, type Comparand, type FieldMode, type Operator } from "@/domain/conditions/operators";
import { isList, type List } from "@/engine/rules/list";

/** The result of a condition on one sample. */
export type Truth = 0 | 1 | 2 | 3;
export const no = 0;
export const yes = 1;
/** No measurement: neither starts nor ends an episode. */
export const unknown = 2;
/** NaN, or a value of a kind that cannot be compared: false, and it ends an episode even without its `recover`. */
export const broken = 3;

/** A condition on one sample. */
export interface ValueTest {
  judge(value: unknown): Truth;
  /** How far a value goes in the direction of the condition; the greatest is an episode's peak. NaN: no direction. */
  extent(value: unknown): number;
}

/** Numbers by the names that a schema gives them. */
export type EnumNames = ReadonlyMap<string, number>;

export interface Comparison {
  operator: Operator;
  value: Comparand | readonly (number | string)[];
}

const toTruth = (holds: boolean): Truth => (holds ? yes : no);

const sameBool = (value: number | bigint, bool: boolean): boolean => value == (bool ? 1 : 0);

/** Whether a sample equals the rule's value: as numbers where both are, else as case-sensitive text. */
function equality(value: Comparand, names: EnumNames | undefined): (sample: unknown) => Truth {
  const named = typeof value === "string" ? names?.get(value) : undefined;
  const bound = typeof value === "boolean" ? null : toBound(named ?? value);
  const text = String(value);
  return (sample) => {
    switch (typeof sample) {
      case "number":
        if (Number.isNaN(sample)) return broken;
        if (typeof value === "boolean") return toTruth(sameBool(sample, value));
        return toTruth(bound !== null && compareWithBound(sample, bound) === 0);
      case "bigint":
        if (typeof value === "boolean") return toTruth(sameBool(sample, value));
        return toTruth(bound !== null && compareWithBound(sample, bound) === 0);
      case "boolean":
        if (typeof value === "boolean") return toTruth(sample === value);
        return toTruth(bound !== null ? compareWithBound(sample ? 1 : 0, bound) === 0 : String(sample) === text);
      case "string": {
        if (sample === text) return yes;
        if (typeof value === "boolean") {
          const number = toNumber(sample);
          return toTruth(number === (value ? 1 : 0));
        }
        if (bound === null) return no;
        if (isNanText(sample)) return broken;
        return toTruth(compareWithBound(names?.get(sample) ?? sample, bound) === 0);
      }
      case "object": {
        if (sample === null) return unknown;
        const order = bound === null ? NaN : compareWithBound(sample, bound);
        return Number.isNaN(order) ? broken : toTruth(order === 0);
      }
      default:
        return unknown;
    }
  };
}

class EqualityTest implements ValueTest {
  private readonly equals: (sample: unknown) => Truth;

  constructor(
    value: Comparand,
    private readonly negated: boolean,
    names: EnumNames | undefined,
  ) {
    this.equals = equality(value, names);
  }

  judge(value: unknown): Truth {
    const truth = this.equals(value);
    return this.negated && truth <= yes ? ((1 - truth) as Truth) : truth;
  }

  extent(): number {
    return NaN;
  }
}

class OrderTest implements ValueTest {
  constructor(
    private readonly operator: Operator,
    private readonly low: Bound,
    private readonly high: Bound,
    private readonly names: EnumNames | undefined,
  ) {}

  judge(sample: unknown): Truth {
    if (typeof sample === "number" && this.low.plain && this.high.plain) return this.judgeNumber(sample);
    if (sample === undefined || sample === null) return unknown;
    const value = typeof sample === "string" ? (this.names?.get(sample) ?? sample) : sample;
    const order = compareWithBound(value, this.low);
    if (order !== order) return broken;
    switch (this.operator) {
      case "gt":
        return toTruth(order > 0);
      case "gte":
        return toTruth(order >= 0);
      case "lt":
        return toTruth(order < 0);
      case "lte":
        return toTruth(order <= 0);
      case "between":
        return toTruth(order >= 0 && compareWithBound(value, this.high) <= 0);
      default:
        return toTruth(order < 0 || compareWithBound(value, this.high) > 0);
    }
  }

  // A fast path for float64 samples, nearly all there are, with the same results as below.
  private judgeNumber(sample: number): Truth {
    const low = this.low.number;
    if (sample !== sample) return broken;
    switch (this.operator) {
      case "gt":
        return toTruth(sample > low);
      case "gte":
        return toTruth(sample >= low);
      case "lt":
        return toTruth(sample < low);
      case "lte":
        return toTruth(sample <= low);
      case "between":
        return toTruth(sample >= low && sample <= this.high.number);
      default:
        return toTruth(sample < low || sample > this.high.number);
    }
  }

  extent(value: unknown): number {
    const number = typeof value === "number" ? value : toNumber(value);
    switch (this.operator) {
      case "gt":
      case "gte":
        return number;
      case "lt":
      case "lte":
        return -number;
      case "outside":
        return Math.max(this.low.number - number, number - this.high.number);
      default:
        return NaN;
    }
  }
}

/** The test of one value. Throws a RangeError when an ordering operator has no number to compare with. */
export function valueTest({ operator, value }: Comparison, names?: EnumNames): ValueTest {
  if (!isOrdering(operator)) {
    if (typeof value === "object") throw new RangeError(`${operator} needs one value.`);
    return new EqualityTest(value, operator === "neq", names);
  }
  const [low, high = low] = (typeof value === "object" ? value : [value]).map((end) =>
    typeof end === "boolean" ? null : toBound(end),
  );
  if (!low || !high) throw new RangeError(`${operator} needs a number.`);
  return new OrderTest(operator, low, high, names);
}

/** Extends a test to lists: `any` of the values or `all` of them; absent ones do not count. */
export class ListTest implements ValueTest {
  constructor(
    private readonly inner: ValueTest,
    private readonly mode: "any" | "all",
  ) {}

  judge(value: unknown): Truth {
    return typeof value === "object" && isList(value) ? this.judgeList(value) : this.inner.judge(value);
  }

  private judgeList(values: List): Truth {
    let seen: Truth = unknown;
    let worst: Truth = unknown;
    for (let at = 0; at < values.length; at++) {
      const truth = this.inner.judge(values[at]);
      if (truth === unknown) continue;
      if (truth === yes) seen = yes;
      else worst = worst === no ? no : truth;
    }
    if (this.mode === "any") return seen === yes ? yes : worst;
    return worst === unknown ? seen : worst;
  }

  extent(value: unknown): number {
    if (typeof value !== "object" || !isList(value)) return this.inner.extent(value);
    const witness = this.witness(value);
    return witness === undefined ? NaN : this.inner.extent(witness);
  }

  /** The element that represents the list: the most extreme that holds, else the first. */
  witness(value: unknown): unknown {
    if (!isList(value)) return value;
    let best: unknown;
    let bestExtent = -Infinity;
    let first: unknown;
    for (let at = 0; at < value.length; at++) {
      const element = value[at];
      if (element === undefined || element === null) continue;
      first ??= element;
      if (this.inner.judge(element) !== yes) continue;
      const extent = this.inner.extent(element);
      if (best === undefined || extent > bestExtent) [best, bestExtent] = [element, extent];
    }
    return best ?? first;
  }
}

/** The test of a condition on values that may come in lists, and of what ends it. */
export function listTests(
  condition: Comparison & { field_mode?: FieldMode | undefined; recover?: Comparison | undefined },
  names?: EnumNames,
): { test: ListTest; recover: ListTest | null } {
  const { field_mode: mode, recover } = condition;
  const all = mode === "all";
  return {
    test: new ListTest(valueTest(condition, names), all ? "all" : "any"),
    // Where any value is enough to begin, all have to recover; where all are needed, any is enough.
    recover: recover ? new ListTest(valueTest(recover, names), all ? "any" : "all") : null,
  };
}
