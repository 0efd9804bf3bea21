import { Disclosure } from "@/components/kit/disclosure";
import { Field } from "@/components/kit/field";
import { formatNumber, plural } from "@/components/kit/format";
import { RadioGroup } from "@/components/kit/radio-group";
import type { ImportMode, sizeChoices } from "@/domain/annotation-imports/choices";
import { LabelChoiceList, type LabelChoices } from "./label-choices";
import { type AnnotationImport, type Findings, formatLabels, modeOptions } from "./query";

export interface Choices {
  mode: ImportMode;
  sizes: (typeof sizeChoices)[number];
  labels: LabelChoices;
}

const count = (value: number): string => formatNumber(value, 0);

const sizeOptions = [
  { value: "refuse" as const, label: "Leave them out" },
  { value: "scale" as const, label: "Scale their annotations to the items" },
];

/** Labels of which nobody said what they become. */
export const listUndecided = ({ labels }: Findings, choices: LabelChoices): string[] =>
  labels.filter(({ name, label }) => label === null && !choices.has(name)).map(({ name }) => name);

interface ImportFindingsProps {
  found: AnnotationImport;
  findings: Findings;
  /** Names of the labels that the project has. */
  present: readonly string[];
  choices: Choices;
  onChange: (choices: Choices) => void;
}

/** What is in a file, before anything of it is imported, and what can be chosen. */
export function ImportFindings({ found, findings, present, choices, onChange }: ImportFindingsProps) {
  const { pictures, matched, by_name: byName, open, repeated, annotations, resized } = findings;
  const missing = pictures - matched;
  const begun = matched - open - repeated;
  const change = (part: Partial<Choices>) => onChange({ ...choices, ...part });
  return (
    <div className="flex flex-col gap-4">
      <div role="status" className="flex flex-col gap-1">
        <p className="text-body">
          <strong className="font-medium tabular-nums">
            {count(matched)} of {count(pictures)}
          </strong>{" "}
          {pictures === 1 ? "picture" : "pictures"} matched
        </p>
        <p className="text-table text-muted">
          {found.format === null ? "" : `${formatLabels[found.format]}, `}
          {plural(annotations, "annotation")}
          {byName > 0 && `, ${count(byName)} matched by the file name alone`}
          {begun > 0 && `, ${count(begun)} of tasks that somebody has begun: they stay as they are`}.
        </p>
        {repeated > 0 && (
          <p className="text-table text-muted">
            {repeated === 1
              ? "1 picture names an item that one before names: only the first is taken."
              : `${count(repeated)} pictures name items that others before name: only the first of each is taken.`}
          </p>
        )}
      </div>
      {missing > 0 && (
        <Disclosure label={`${plural(missing, "picture")} that no item of the project is called`}>
          <ul aria-label="Pictures without an item" className="mt-1 flex flex-col pl-5 font-mono text-meta">
            {findings.unmatched.map((name) => (
              <li key={name} className="wrap-anywhere">
                {name}
              </li>
            ))}
            {missing > findings.unmatched.length && (
              <li className="font-sans text-muted">And {count(missing - findings.unmatched.length)} more.</li>
            )}
          </ul>
        </Disclosure>
      )}
      {resized > 0 && (
        <Field
          label={`${plural(resized, "picture")} with another size than in the project`}
          hint={describeResized(findings)}
          group
        >
          <RadioGroup
            aria-label="Pictures of another size"
            options={sizeOptions}
            value={choices.sizes}
            onValueChange={(sizes) => change({ sizes })}
          />
        </Field>
      )}
      {findings.labels.length > 0 && (
        <LabelChoiceList
          labels={findings.labels}
          present={present}
          choices={choices.labels}
          onChange={(labels) => change({ labels })}
        />
      )}
      <Field label="What they become" group>
        <RadioGroup
          aria-label="What they become"
          options={modeOptions}
          value={choices.mode}
          onValueChange={(mode) => change({ mode })}
        />
      </Field>
    </div>
  );
}

function describeResized({ resized_pictures: pictures }: Findings): string {
  const [first] = pictures;
  if (!first) return "";
  const size = ([width, height]: readonly [number, number]) => `${width} × ${height}`;
  return `${first.name} has ${size(first.file)} in the file, and ${size(first.item)} here.`;
}
