"use client";

import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { countOperators, getCountPhrase } from "@/domain/conditions/operators";
import { ComparisonFields } from "./comparison-fields";
import { errorAt } from "./condition-errors";
import { FieldInput, TopicInput } from "./field-inputs";
import type { ConditionFormProps } from "./form";

const operatorOptions = countOperators.map((value) => ({ value, label: getCountPhrase(value) }));

export function FrequencyForm(props: ConditionFormProps) {
  const { condition, path, onChange, errors } = props;
  const filtered = condition.field !== undefined || condition.operator !== undefined || condition.value !== undefined;
  return (
    <>
      <TopicInput {...props} />
      <div className="grid grid-cols-[9rem_minmax(0,1fr)_minmax(0,1fr)] gap-3">
        <Field label="Messages" error={errorAt(errors, path, "count_operator")}>
          <Select
            options={operatorOptions}
            value={operatorOptions.find((each) => each.value === condition.count_operator)?.value ?? null}
            onValueChange={(next) => onChange({ ...condition, count_operator: next })}
          />
        </Field>
        <Field label="How many" error={errorAt(errors, path, "count")}>
          <Input
            value={condition.count === undefined ? "" : String(condition.count)}
            inputMode="numeric"
            onValueChange={(text) => onChange({ ...condition, count: text.trim() === "" ? undefined : Number(text) })}
          />
        </Field>
        <Field label="Within" error={errorAt(errors, path, "window")}>
          <Input
            mono
            value={condition.window ?? ""}
            placeholder="10s"
            onValueChange={(window) => onChange({ ...condition, window })}
          />
        </Field>
      </div>
      <label className="flex items-center gap-2 text-table">
        <input
          type="checkbox"
          checked={filtered}
          className="checkbox"
          onChange={(event) =>
            onChange(
              event.target.checked
                ? { ...condition, field: condition.field ?? "", operator: condition.operator ?? "gt" }
                : { ...condition, field: undefined, operator: undefined, value: undefined },
            )
          }
        />
        Count only messages whose field matches a comparison
      </label>
      {filtered && (
        <>
          <FieldInput {...props} />
          <ComparisonFields
            comparison={condition}
            error={errorAt(errors, path, "value")}
            onChange={(next) => onChange({ ...condition, ...next })}
          />
        </>
      )}
    </>
  );
}
