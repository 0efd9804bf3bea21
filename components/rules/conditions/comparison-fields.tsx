"use client";

import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import type { Scalar } from "./draft";
import { ScalarInput } from "./scalar-input";

export const operatorOptions = [
  { value: "gt", label: "is above (>)" },
  { value: "gte", label: "is at least (≥)" },
  { value: "lt", label: "is below (<)" },
  { value: "lte", label: "is at most (≤)" },
  { value: "eq", label: "equals (=)" },
  { value: "neq", label: "differs from (≠)" },
  { value: "between", label: "is between" },
  { value: "outside", label: "is outside" },
] as const;

const isRange = (operator: string | undefined) => operator === "between" || operator === "outside";

interface Comparison {
  operator?: string;
  value?: Scalar | Scalar[];
}

export interface ComparisonFieldsProps {
  comparison: Comparison;
  onChange: (comparison: Comparison) => void;
  unit?: string;
  error?: string | undefined;
  label?: string;
}

/** An operator and what it compares with: one value, or two for a range. */
export function ComparisonFields({
  comparison: { operator = "gt", value },
  onChange,
  unit,
  error,
  label = "Value",
}: ComparisonFieldsProps) {
  const [low, high] = Array.isArray(value) ? value : [value, undefined];
  const setOperator = (next: string) =>
    onChange({ operator: next, value: isRange(next) ? [low ?? 0, high ?? low ?? 0] : low });
  return (
    <div className="grid grid-cols-[10rem_minmax(0,1fr)] gap-3">
      <Field label="Comparison">
        <Select
          options={operatorOptions}
          value={operatorOptions.find((each) => each.value === operator)?.value ?? null}
          onValueChange={setOperator}
        />
      </Field>
      <Field label={label} error={error} group={isRange(operator)}>
        {isRange(operator) ? (
          <span className="grid grid-cols-2 gap-2">
            <ScalarInput
              aria-label="Low end"
              value={low}
              unit={unit}
              onValueChange={(next) => onChange({ operator, value: [next ?? 0, high ?? 0] })}
            />
            <ScalarInput
              aria-label="High end"
              value={high}
              unit={unit}
              onValueChange={(next) => onChange({ operator, value: [low ?? 0, next ?? 0] })}
            />
          </span>
        ) : (
          <ScalarInput value={low} unit={unit} onValueChange={(next) => onChange({ operator, value: next })} />
        )}
      </Field>
    </div>
  );
}
