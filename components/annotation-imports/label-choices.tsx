import { formatNumber } from "@/components/kit/format";
import { Select } from "@/components/kit/select";
import type { Findings } from "./query";

/** What a label of the file becomes: a label of the project by its name, a new one, or nothing. */
export type LabelChoice = { kind: "map"; label: string } | { kind: "make" } | { kind: "leave" };

export type LabelChoices = ReadonlyMap<string, LabelChoice>;

/** Values of the list; names of labels have a letter before them, so that none is taken for the others. */
const make = "make";
const leave = "leave";
const mapped = "=";

const toValue = (choice: LabelChoice | undefined): string | null =>
  choice === undefined ? null : choice.kind === "map" ? `${mapped}${choice.label}` : choice.kind;

const toChoice = (value: string): LabelChoice =>
  value === make || value === leave ? { kind: value } : { kind: "map", label: value.slice(mapped.length) };

/** The choices as the server takes them. */
export const toWire = (choices: LabelChoices): Record<string, string | null> =>
  Object.fromEntries(
    Array.from(choices, ([name, choice]) => [
      name,
      choice.kind === "leave" ? null : choice.kind === "make" ? name : choice.label,
    ]),
  );

interface LabelChoiceListProps {
  labels: Findings["labels"];
  /** Names of the labels that the project has. */
  present: readonly string[];
  choices: LabelChoices;
  onChange: (choices: LabelChoices) => void;
}

/** The labels of the file with what each becomes; those that the project does not have are chosen first. */
export function LabelChoiceList({ labels, present, choices, onChange }: LabelChoiceListProps) {
  const ordered = labels.toSorted((a, b) => Number(a.label !== null) - Number(b.label !== null));
  return (
    <div className="max-h-72 overflow-y-auto border-y border-border" tabIndex={0} role="group" aria-label="Labels">
      <table className="w-full text-table">
        <caption className="sr-only">Labels of the file, and what they become</caption>
        <thead className="text-left text-meta text-subtle">
          <tr>
            <th scope="col" className="py-1 pr-3 font-normal">
              In the file
            </th>
            <th scope="col" className="w-20 py-1 pr-3 text-right font-normal">
              Annotations
            </th>
            <th scope="col" className="w-1/2 py-1 font-normal">
              In the project
            </th>
          </tr>
        </thead>
        <tbody>
          {ordered.map(({ name, count, label }) => (
            <tr key={name} className="border-t border-border">
              <th scope="row" className="py-1 pr-3 text-left font-normal wrap-anywhere">
                {name}
              </th>
              <td className="py-1 pr-3 text-right tabular-nums">{formatNumber(count, 0)}</td>
              <td className="py-1">
                <Select
                  size="sm"
                  aria-label={`What ${name} becomes`}
                  placeholder="Choose"
                  options={[
                    ...(label === null ? [{ value: make, label: "New label" }] : []),
                    { value: leave, label: "Leave out" },
                    ...present.map((each) => ({ value: `${mapped}${each}`, label: each })),
                  ]}
                  value={toValue(choices.get(name)) ?? (label === null ? null : `${mapped}${label}`)}
                  onValueChange={(value) => onChange(new Map(choices).set(name, toChoice(value)))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
