import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Textarea } from "@/components/kit/textarea";
import type { LabelInput } from "@/domain/projects/label-schema";
import { LabelAttributes } from "./label-attributes";
import { LabelSkeleton } from "./label-skeleton";

/** What a label has beside its line: "2 attributes, 4 points"; empty without. */
export const describeDetails = ({ attributes, points, description }: LabelInput): string =>
  [
    attributes.length > 0 ? plural(attributes.length, "attribute") : "",
    points.length > 0 ? plural(points.length, "point") : "",
    description !== "" && attributes.length + points.length === 0 ? "Described" : "",
  ]
    .filter((part) => part !== "")
    .join(", ");

/** The attributes, skeleton and description of a label. */
export function LabelDetails(props: { label: LabelInput; onChange: (change: Partial<LabelInput>) => void }) {
  const { label, onChange } = props;
  return (
    <div className="grid min-w-0 gap-x-10 gap-y-5 py-3 sm:pl-27 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <LabelAttributes attributes={label.attributes} onChange={(attributes) => onChange({ attributes })} />
      <div className="flex min-w-0 flex-col gap-5">
        <LabelSkeleton label={label} onChange={onChange} />
        <Field label="Description" optional hint="Who labels reads it beside the name.">
          <Textarea
            rows={2}
            maxLength={1_000}
            value={label.description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        </Field>
      </div>
    </div>
  );
}
