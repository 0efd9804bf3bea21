import { formatNumber } from "@/components/kit/format";
import { choiceLabel, fieldOperators, listChoices, type FilterField } from "@/domain/items/filter";
import type { Completion } from "@/domain/items/filter-completion";
import { filterValue } from "@/domain/items/filter-tokens";

/** What the items of the datasets have; the counts are those of the newest items unless `exact`. */
export interface Vocabulary {
  fields: readonly { path: string; kinds: readonly string[]; count: number }[];
  values: readonly { value: string; count: number; quoted: boolean }[];
  exact: boolean;
}

/** Fetches the fields, or the values of one field that contain a text. */
export type FetchVocabulary = (field?: FilterField, prefix?: string) => Promise<Vocabulary>;

export interface FilterSuggestion {
  label: string;
  /** What it means, or how many items have it. */
  detail: string;
  /** Replaces what is typed; the caret stands between the two. */
  before: string;
  after: string;
}

const fieldTexts: readonly (readonly [FilterField, string])[] = [
  ["status", "state of the work"],
  ["key", "name of the file"],
  ["label", "labels in results"],
  ["project", "projects that annotate it"],
  ["annotations_count", "number of annotations"],
  ["created_at", "when it was added"],
  ["device", "device that it came from"],
  ["recording", "recording that it came from"],
  ["rule", "rule that it was kept for"],
  ["media", "image, video, points, recording"],
  ["sequence", "sequence that it is a frame of"],
  ["result", "statuses of its results"],
  ["prediction", "labels that models predicted"],
  ["score", "how sure models are, 0 to 1"],
  ["uid", "one item"],
];

const operatorTexts: Readonly<Record<string, string>> = {
  "=": "equals; * matches anything",
  "!=": "differs from",
  ">": "more than",
  ">=": "at least",
  "<": "less than",
  "<=": "at most",
  "~": "contains",
  IN: "is one of",
  "NOT IN": "is none of",
};

const approximate = (count: number, exact: boolean): string => `${exact ? "" : "≈ "}${formatNumber(count, 0)}`;
const contains = (whole: string, part: string): boolean => whole.toLowerCase().includes(part.toLowerCase());

function beginningFirst(suggestions: readonly FilterSuggestion[], text: string): FilterSuggestion[] {
  const begins = ({ label }: FilterSuggestion) => label.toLowerCase().startsWith(text.toLowerCase());
  return [...suggestions.filter(begins), ...suggestions.filter((each) => !begins(each))];
}

/** Those that begin with what is typed come first. */
const matching = (suggestions: readonly FilterSuggestion[], text: string): FilterSuggestion[] =>
  beginningFirst(
    suggestions.filter(({ label }) => contains(label, text)),
    text,
  );

async function suggestTerms(text: string, vocabulary: FetchVocabulary): Promise<FilterSuggestion[]> {
  const { fields, exact } = await vocabulary();
  return matching(
    [
      ...fieldTexts.map(([label, detail]) => ({ label, detail, before: `${label} `, after: "" })),
      ...fields.map(({ path, kinds, count }) => ({
        label: path,
        detail: `${kinds.join(" or ")}, ${approximate(count, exact)}`,
        before: `${path} `,
        after: "",
      })),
      { label: "NOT", detail: "what does not hold", before: "NOT ", after: "" },
      { label: "(", detail: "group", before: "(", after: ")" },
    ],
    text,
  );
}

function suggestOperators(field: FilterField, text: string): FilterSuggestion[] {
  const operators = fieldOperators(field).flatMap((operator) => (operator === "IN" ? ["IN", "NOT IN"] : [operator]));
  return matching(
    operators.map((label) => ({
      label,
      detail: operatorTexts[label] ?? "",
      ...(label.endsWith("IN") ? { before: `${label} (`, after: ")" } : { before: `${label} `, after: "" }),
    })),
    text,
  );
}

async function suggestValues(field: FilterField, text: string, end: string, vocabulary: FetchVocabulary) {
  const { values, exact } = await vocabulary(field, text);
  const counts = new Map(values.map(({ value, count }) => [value, count]));
  const quoted = new Set(values.filter((each) => each.quoted).map(({ value }) => value));
  const isNamed = (choice: string) => contains(choice, text) || contains(choiceLabel(field, choice) ?? "", text);
  const named = listChoices(field)?.filter(isNamed) ?? [...counts.keys()].filter((value) => contains(value, text));
  const all = named.map((value) => {
    const count = counts.get(value);
    const meaning = choiceLabel(field, value);
    const parts = [
      ...(meaning === null ? [] : [meaning]),
      ...(count === undefined ? (exact ? ["0"] : []) : [approximate(count, exact)]),
    ];
    return {
      label: value,
      detail: parts.join(", "),
      before: `${filterValue(value, quoted.has(value))}${end}`,
      after: "",
    };
  });
  return beginningFirst(all, text);
}

/** Whether nothing is suggested there unasked: a list at the end of a condition would take the Tab that leaves the box. */
export const isOnlyAsked = ({ expected, text }: Completion): boolean =>
  expected === "comma" || (expected === "joiner" && text === "");

/** What can stand at the caret, best first. `explicit` is false while somebody only types. */
export async function suggest(
  completion: Completion,
  explicit: boolean,
  vocabulary: FetchVocabulary,
): Promise<FilterSuggestion[]> {
  const { expected, field, text, depth } = completion;
  if (!explicit && isOnlyAsked(completion)) return [];
  if (expected === "term") return suggestTerms(text, vocabulary);
  if (expected === "joiner") {
    const joiners = ["AND", "OR"].map((label) => ({ label, detail: "", before: `${label} `, after: "" }));
    return matching([...joiners, ...(depth > 0 ? [{ label: ")", detail: "", before: ") ", after: "" }] : [])], text);
  }
  if (!field) return [];
  switch (expected) {
    case "operator":
      return suggestOperators(field, text);
    case "not in":
      return matching([{ label: "IN", detail: operatorTexts["NOT IN"] ?? "", before: "IN (", after: ")" }], text);
    case "list":
      return [{ label: "(", detail: "values", before: "(", after: ")" }];
    case "value":
      return suggestValues(field, text, " ", vocabulary);
    case "list value":
      return suggestValues(field, text, "", vocabulary);
    case "comma":
      return [",", ")"].map((label) => ({ label, detail: "", before: `${label} `, after: "" }));
  }
}
