import { choiceLabel, fixedFields, listChoices, parseFilter, type Filter } from "@/domain/items/filter";
import { completeFilter } from "@/domain/items/filter-completion";
import { FilterError, scanFilter } from "@/domain/items/filter-tokens";

/** What is wrong with a filter, where; `incomplete` is one that what is typed next can make right. */
interface FilterFault {
  message: string;
  from: number;
  to: number;
  incomplete: boolean;
}

type ReadFilter = { filter: Filter | null; fault: null } | { filter: null; fault: FilterFault };

const begins = (words: readonly string[], text: string): boolean =>
  words.some((word) => word.startsWith(text) || word.startsWith(text.toUpperCase()));

/** Whether the last word is the beginning of one that may stand there. */
function isBeginning(source: string): boolean {
  const found = completeFilter(source, source.length);
  if (!found || found.text === "") return false;
  switch (found.expected) {
    case "term":
      return begins([...fixedFields, "metadata.", "NOT"], found.text) || found.text.startsWith("metadata.");
    case "operator":
    case "not in":
      return begins(["IN", "NOT"], found.text);
    case "joiner":
      return begins(["AND", "OR"], found.text);
    case "value":
    case "list value": {
      const { field } = found;
      const choices = field === null ? null : listChoices(field);
      if (field === null || choices === null) return field === "created_at";
      return begins([...choices, ...choices.flatMap((choice) => choiceLabel(field, choice) ?? [])], found.text);
    }
    case "list":
    case "comma":
      return false;
  }
}

/** Reads a filter as the server does. A fault at the end of the text is placed under the last word before it. */
export function readFilter(source: string): ReadFilter {
  try {
    return { filter: parseFilter(source), fault: null };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { reason: message, from, to } = error;
    if (from < source.length)
      return { filter: null, fault: { message, from, to, incomplete: to === source.length && isBeginning(source) } };
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
