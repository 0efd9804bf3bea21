"use client";

import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { errorAt } from "./condition-errors";
import { TopicInput } from "./field-inputs";
import type { ConditionFormProps } from "./form";

export function AbsenceForm(props: ConditionFormProps) {
  const { condition, path, onChange, errors } = props;
  return (
    <>
      <TopicInput {...props} />
      <Field label="Silent for" error={errorAt(errors, path, "timeout")} hint="For example 500ms, 15s or 1m30s.">
        <Input
          mono
          value={condition.timeout ?? ""}
          placeholder="15s"
          onValueChange={(timeout) => onChange({ ...condition, timeout })}
        />
      </Field>
    </>
  );
}
