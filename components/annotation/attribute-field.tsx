"use client";

import { Checkbox } from "@/components/kit/checkbox";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { isUnanswered, type LabelAttribute } from "@/domain/annotations/editor-label";

interface AttributeFieldProps {
  attribute: LabelAttribute;
  value: unknown;
  /** Undefined: not answered. */
  onChange: (value: unknown) => void;
  isDisabled: boolean;
}

const none = "";

/** One question about a shape. */
export function AttributeField({ attribute, value, onChange, isDisabled }: AttributeFieldProps) {
  const { name, kind, options, required } = attribute;
  const error = required && isUnanswered(value) ? "Required" : undefined;
  if (kind === "boolean")
    return (
      <Checkbox
        label={name}
        checked={value === true}
        disabled={isDisabled}
        onCheckedChange={(checked) => onChange(checked)}
      />
    );
  if (kind === "multi") {
    const chosen = Array.isArray(value) ? value.map(String) : [];
    return (
      <Field label={name} group error={error}>
        {options.map((option) => (
          <Checkbox
            key={option}
            label={option}
            checked={chosen.includes(option)}
            disabled={isDisabled}
            onCheckedChange={(checked) =>
              onChange(checked ? [...chosen, option] : chosen.filter((each) => each !== option))
            }
          />
        ))}
      </Field>
    );
  }
  if (kind === "select")
    return (
      <Field label={name} error={error}>
        <Select
          options={[
            { value: none, label: "Not answered" },
            ...options.map((option) => ({ value: option, label: option })),
          ]}
          value={typeof value === "string" ? value : none}
          disabled={isDisabled}
          onValueChange={(next) => onChange(next === none ? undefined : next)}
        />
      </Field>
    );
  const isNumber = kind === "number";
  return (
    <Field label={name} error={error}>
      <Input
        type={isNumber ? "number" : "text"}
        step="any"
        maxLength={isNumber ? undefined : 1_000}
        value={typeof value === "number" || typeof value === "string" ? String(value) : ""}
        disabled={isDisabled}
        onChange={({ currentTarget: { value: text } }) => {
          if (text === "") onChange(undefined);
          else if (!isNumber) onChange(text);
          else if (Number.isFinite(Number(text))) onChange(Number(text));
        }}
      />
    </Field>
  );
}
