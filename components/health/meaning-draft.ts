import { boundNames, findUnordered, noBounds, type MetricBounds, type SavedMeaning } from "@/domain/health/meanings";

/** What the form of a meaning holds; empty texts and null are left to the guess. */
export interface Draft {
  label: string;
  unit: string;
  kind: SavedMeaning["kind"];
  rank: string;
  bounds: Readonly<Record<keyof MetricBounds, string>> | null;
}

export const boundTexts = (bounds: MetricBounds): NonNullable<Draft["bounds"]> => {
  const toText = (bound: number | null) => (bound === null ? "" : String(bound));
  return {
    warning_min: toText(bounds.warning_min),
    warning_max: toText(bounds.warning_max),
    critical_min: toText(bounds.critical_min),
    critical_max: toText(bounds.critical_max),
  };
};

export const toDraft = (saved: SavedMeaning | undefined): Draft => ({
  label: saved?.label ?? "",
  unit: saved?.unit ?? "",
  kind: saved?.kind ?? null,
  rank: saved?.rank ? String(saved.rank) : "",
  bounds: saved?.bounds ? boundTexts(saved.bounds) : null,
});

interface ReadDraft {
  /** Null while something is wrong. */
  said: Omit<SavedMeaning, "device_type"> | null;
  /** By field; those of bounds by their names. */
  problems: Readonly<Record<string, string>>;
}

/** What the form says, or what is wrong with it. */
export function readDraft({ label, unit, kind, rank, bounds }: Draft): ReadDraft {
  const problems: Record<string, string> = {};
  const position = rank.trim() === "" ? null : Number(rank);
  if (position !== null && !(Number.isInteger(position) && position >= 1 && position <= 1_000))
    problems.rank = "Enter a whole number from 1 to 1,000.";
  const numbers: MetricBounds = { ...noBounds };
  for (const name of boundNames) {
    const text = bounds?.[name].trim().replace(",", ".") ?? "";
    if (text === "") continue;
    numbers[name] = Number(text);
    if (!Number.isFinite(numbers[name])) problems[name] = "Enter a number.";
  }
  const unordered = Object.keys(problems).length > 0 ? null : findUnordered(numbers);
  if (unordered) problems[unordered[1]] = "This bound is below one that it must be above.";
  if (Object.keys(problems).length > 0) return { said: null, problems };
  return {
    said: {
      label: label.trim() === "" ? null : label.trim(),
      unit: unit.trim() === "" ? null : unit.trim(),
      kind,
      rank: position,
      bounds: bounds === null || kind === "state" ? null : numbers,
    },
    problems,
  };
}
