"use client";

import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { ComparisonFields } from "./comparison-fields";
import { errorAt } from "./condition-errors";
import { FieldInput, TopicInput } from "./field-inputs";
import type { ConditionFormProps } from "./form";
import { seenField } from "./topic-choices";

export function RateForm(props: ConditionFormProps) {
  const { condition, path, onChange, topics, errors } = props;
  const known = seenField(topics, condition.topic ?? "", condition.field ?? "");
  return (
    <>
      <TopicInput {...props} />
      <FieldInput {...props} />
      <ComparisonFields
        comparison={condition}
        label="Change per second"
        unit={known?.unit ? `${known.unit}/s` : "per s"}
        error={errorAt(errors, path, "value")}
        onChange={({ operator, value }) => onChange({ ...condition, operator, value })}
      />
      <Field
        label="Measured over"
        optional
        error={errorAt(errors, path, "over")}
        hint="Compares with the newest sample at least this old, or with the previous one."
      >
        <Input
          mono
          value={condition.over ?? ""}
          placeholder="1s"
          onValueChange={(over) => onChange({ ...condition, over: over === "" ? undefined : over })}
        />
      </Field>
    </>
  );
}
