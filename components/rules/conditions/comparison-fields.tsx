"use client";

import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import { isRange, operatorLabel, operators, type Comparand } from "@/domain/conditions/operators";
import { ScalarInput } from "./scalar-input";

const operatorOptions = operators.map((value) => ({ value, label: operatorLabel(value) }));

interface Comparison {
  operator?: string;
  value?: Comparand | (number | string)[];
}

export interface ComparisonFieldsProps {
  comparison: Comparison;
  onChange: (comparison: Comparison) => void;
  unit?: string;
  error?: string | undefined;
  label?: string;
}

/** An end of a range; what was typed as true or false stays as text, for the server to refuse. */
const computeEnd = (value: Comparand | undefined): number | string =>
  typeof value === "boolean" ? String(value) : (value ?? 0);

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
    onChange({ operator: next, value: isRange(next) ? [computeEnd(low), computeEnd(high ?? low)] : low });
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
              onValueChange={(next) => onChange({ operator, value: [computeEnd(next), computeEnd(high)] })}
            />
            <ScalarInput
              aria-label="High end"
              value={high}
              unit={unit}
              onValueChange={(next) => onChange({ operator, value: [computeEnd(low), computeEnd(next)] })}
            />
          </span>
        ) : (
          <ScalarInput value={low} unit={unit} onValueChange={(next) => onChange({ operator, value: next })} />
        )}
      </Field>
    </div>
  );
}
