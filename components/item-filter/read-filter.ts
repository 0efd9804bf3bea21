import { parseFilter, type Filter } from "@/domain/slices/filter";
import { FilterError, scanFilter } from "@/domain/slices/filter-tokens";

/** What is wrong with a filter, where; `incomplete` is one that only lacks its end. */
export interface FilterFault {
  message: string;
  from: number;
  to: number;
  incomplete: boolean;
}

export type ReadFilter = { filter: Filter | null; fault: null } | { filter: null; fault: FilterFault };

/** Reads a filter as the server does. A fault at the end of the text is placed under the last word before it. */
export function readFilter(source: string): ReadFilter {
  try {
    return { filter: parseFilter(source), fault: null };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { reason: message, from, to } = error;
    if (from < source.length) return { filter: null, fault: { message, from, to, incomplete: false } };
    const last = scanFilter(source).tokens.at(-1);
    return {
      filter: null,
      fault: { message, from: last?.from ?? 0, to: last?.to ?? source.length, incomplete: true },
    };
  }
}

/** The filter without one of the conditions that all have to hold. */
export function withoutCondition(
  source: string,
  conditions: readonly { from: number; to: number }[],
  at: number,
): string {
  return conditions
    .filter((_, index) => index !== at)
    .map(({ from, to }) => source.slice(from, to))
    .join(" AND ");
}
