import { toShortName } from "@/engine/messages/reading";

/** One dimension of a list of numbers. */
interface Dimension {
  label: string;
  size: number;
  /** Numbers from one index of this dimension to the next. */
  step: number;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const toWhole = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);

export const isMultiArraySchema = (schemaName: string): boolean =>
  /^std_msgs\/\w+MultiArray$/.test(toShortName(schemaName));

/**
 * What each number of a `std_msgs/Float64MultiArray` is by its layout: "rows 1, joints 2" for the position of the number in
 * `data`. Null without a layout, or with one that does not add up.
 */
export function readArrayLabels(value: unknown): ((position: number) => string | null) | null {
  const layout = isRecord(value) && isRecord(value.layout) ? value.layout : null;
  if (!layout || !Array.isArray(layout.dim) || layout.dim.length === 0) return null;
  const list: readonly unknown[] = layout.dim;
  const dimensions: Dimension[] = [];
  for (const [at, dimension] of list.entries()) {
    const next = list[at + 1];
    const size = isRecord(dimension) ? toWhole(dimension.size) : null;
    const step = next === undefined ? 1 : isRecord(next) ? toWhole(next.stride) : null;
    if (!isRecord(dimension) || !size || !step || size < 1 || step < 1) return null;
    dimensions.push({ label: typeof dimension.label === "string" ? dimension.label : "", size, step });
  }
  const offset = toWhole(layout.data_offset) ?? 0;
  const count = dimensions[0]!.size * dimensions[0]!.step;
  return (position) => {
    const at = position - offset;
    if (at < 0 || at >= count) return null;
    return dimensions
      .map(({ label, size, step }, index) => `${label || `dimension ${index + 1}`} ${Math.floor(at / step) % size}`)
      .join(", ");
  };
}
