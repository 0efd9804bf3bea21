"use client";

import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { errorAt } from "./condition-errors";
import { FieldInput, TopicInput } from "./field-inputs";
import type { ConditionFormProps } from "./form";

export function PatternForm(props: ConditionFormProps) {
  const { condition, path, onChange, errors } = props;
  return (
    <>
      <TopicInput {...props} />
      <FieldInput {...props} />
      <Field
        label="Matches"
        error={errorAt(errors, path, "regex")}
        hint="A regular expression that may match anywhere in the text. (?i) ignores case."
      >
        <Input
          mono
          value={condition.regex ?? ""}
          placeholder="(?i)timeout|overheat"
          spellCheck={false}
          onValueChange={(regex) => onChange({ ...condition, regex })}
        />
      </Field>
    </>
  );
}
