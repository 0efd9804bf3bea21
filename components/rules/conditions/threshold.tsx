"use client";

import { ComparisonFields } from "./comparison-fields";
import { errorAt } from "./condition-errors";
import { FieldInput, TopicInput } from "./field-inputs";
import type { ConditionFormProps } from "./form";
import { seenField } from "./topic-choices";

export function ThresholdForm(props: ConditionFormProps) {
  const { condition, path, onChange, topics, errors } = props;
  const known = seenField(topics, condition.topic ?? "", condition.field ?? "");
  return (
    <>
      <TopicInput {...props} />
      <FieldInput {...props} />
      <ComparisonFields
        comparison={condition}
        unit={known?.unit}
        error={errorAt(errors, path, "value")}
        onChange={({ operator, value }) => onChange({ ...condition, operator, value })}
      />
    </>
  );
}
