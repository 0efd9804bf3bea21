import { Plus, Trash2 } from "lucide-react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { Field } from "@/components/kit/field";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { TagInput } from "@/components/kit/tag-input";
import { attributeKinds, type LabelAttribute } from "@/domain/projects/label-schema";

type Kind = LabelAttribute["kind"];
type Default = LabelAttribute["default"];

const kindLabels: Readonly<Record<Kind, string>> = {
  select: "One of",
  multi: "Several of",
  boolean: "Yes or no",
  number: "Number",
  text: "Text",
};
const kindOptions = attributeKinds.map((value) => ({ value, label: kindLabels[value] }));
const hasOptions = (kind: Kind): boolean => kind === "select" || kind === "multi";

/** The questions that are asked about each shape of a label. */
export function LabelAttributes(props: {
  attributes: readonly LabelAttribute[];
  onChange: (attributes: LabelAttribute[]) => void;
}) {
  const { attributes, onChange } = props;
  const add = () =>
    onChange([...attributes, { key: "", name: "", kind: "select", options: [], required: false, per_frame: false }]);
  return (
    <div role="group" aria-label="Attributes" className="flex min-w-0 flex-col gap-3">
      <h4 className="text-table font-medium">Attributes</h4>
      {attributes.length === 0 && <p className="text-table text-muted">Nothing is asked about its shapes.</p>}
      {attributes.map((attribute, at) => (
        <Attribute
          // Neither its key nor its place in the list is edited by anything but its own boxes.
          key={at}
          attribute={attribute}
          onChange={(change) =>
            onChange(attributes.map((each, place) => (place === at ? { ...each, ...change } : each)))
          }
          onRemove={() => onChange(attributes.filter((_, place) => place !== at))}
        />
      ))}
      <Button size="sm" className="self-start" icon={<Plus aria-hidden />} onClick={add}>
        Add attribute
      </Button>
    </div>
  );
}

function Attribute(props: {
  attribute: LabelAttribute;
  onChange: (change: Partial<LabelAttribute>) => void;
  onRemove: () => void;
}) {
  const { attribute, onChange, onRemove } = props;
  const { key, kind, options, required, default: given } = attribute;
  const dropped = (next: readonly string[]): Default => {
    if (Array.isArray(given)) return given.filter((each) => next.includes(each));
    return typeof given === "string" && !next.includes(given) ? undefined : given;
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 border-l-2 border-border pl-3">
      <legend className="sr-only">{key === "" ? "New attribute" : `Attribute ${key}`}</legend>
      <div className="flex min-w-0 flex-wrap items-end gap-2">
        <Field label="Key" className="min-w-28 flex-1">
          <Input
            mono
            value={key}
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            placeholder="state"
            onChange={({ target }) => onChange({ key: target.value })}
          />
        </Field>
        <Field label="Answer" className="w-30">
          <Select
            options={kindOptions}
            value={kind}
            onValueChange={(next) =>
              onChange({ kind: next, default: undefined, ...(!hasOptions(next) && { options: [] }) })
            }
          />
        </Field>
        <Field label="Default" className="min-w-28 flex-1">
          <DefaultAnswer attribute={attribute} onChange={(next) => onChange({ default: next })} />
        </Field>
        <IconButton
          label={key === "" ? "Remove the new attribute" : `Remove attribute ${key}`}
          icon={<Trash2 aria-hidden />}
          onClick={onRemove}
        />
      </div>
      {hasOptions(kind) && (
        <Field label="Choices" hideLabel>
          <TagInput
            noun="choice"
            max={100}
            value={options}
            placeholder="Choices: Enter adds one"
            onValueChange={(next) => onChange({ options: next, default: dropped(next) })}
          />
        </Field>
      )}
      <Checkbox label="Required" checked={required} onCheckedChange={(checked) => onChange({ required: checked })} />
    </fieldset>
  );
}

const none = "";

/** The control for what an attribute is until somebody answers. */
function DefaultAnswer({ attribute, onChange }: { attribute: LabelAttribute; onChange: (next: Default) => void }) {
  const { kind, options, default: given } = attribute;
  if (kind === "multi")
    return (
      <TagInput
        noun="default"
        value={Array.isArray(given) ? given : []}
        suggestions={options}
        problem={(tag) => (options.includes(tag) ? undefined : "This is none of the choices.")}
        onValueChange={(next) => onChange(next.length === 0 ? undefined : next)}
      />
    );
  if (kind === "select" || kind === "boolean") {
    const choices = kind === "select" ? options.map((value) => ({ value, label: value })) : yesAndNo;
    return (
      <Select
        placeholder="None"
        options={[{ value: none, label: "None" }, ...choices]}
        value={given === undefined ? none : String(given)}
        onValueChange={(next) => onChange(next === none ? undefined : kind === "boolean" ? next === "true" : next)}
      />
    );
  }
  return (
    <Input
      type={kind === "number" ? "number" : "text"}
      step="any"
      placeholder="None"
      value={given === undefined ? "" : String(given)}
      onChange={({ target: { value } }) =>
        onChange(value === "" ? undefined : kind === "number" ? Number(value) : value)
      }
    />
  );
}

const yesAndNo = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];
