"use client";

import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Select } from "@/components/kit/select";
import { Status } from "@/components/product/status";
import { ComparisonFields } from "./comparison-fields";
import { errorAt, type ConditionErrors } from "./condition-errors";
import type { ConditionDraft } from "./draft";
import { PathInput } from "./path-input";
import type { TopicChoice } from "./query";
import { fieldChoices, fieldOf, matchingTopics, topicChoices } from "./topic-choices";

const modes = [
  { value: "any", label: "any value" },
  { value: "all", label: "all values" },
  { value: "min", label: "the least" },
  { value: "max", label: "the greatest" },
  { value: "mean", label: "the mean" },
  { value: "count", label: "how many" },
] as const;

const countOperators = [
  { value: "gt", label: "more than" },
  { value: "gte", label: "at least" },
  { value: "lt", label: "fewer than" },
  { value: "lte", label: "at most" },
  { value: "eq", label: "exactly" },
  { value: "neq", label: "not exactly" },
] as const;

export interface LeafFieldsProps {
  condition: ConditionDraft;
  /** Where it stands in the whole: `""`, `conditions.0`. */
  path: string;
  onChange: (condition: ConditionDraft) => void;
  topics: readonly TopicChoice[] | undefined;
  errors: ConditionErrors;
}

function Topic({ condition, path, onChange, topics, errors }: LeafFieldsProps) {
  const { topic = "" } = condition;
  const seen = matchingTopics(topics, topic);
  const unknown = topics !== undefined && topic.trim() !== "" && seen.length === 0;
  return (
    <Field
      label="Topic"
      error={errorAt(errors, path, "topic")}
      hint={
        unknown ? (
          <Status tone="warning" className="text-meta whitespace-normal!">
            No device in scope has recorded it yet
          </Status>
        ) : seen.length === 1 ? (
          `Seen on ${seen[0]?.device_count} of ${seen[0]?.devices_total} devices`
        ) : seen.length > 1 ? (
          `Means ${seen.length} topics`
        ) : undefined
      }
    >
      <PathInput
        label="Topics"
        value={topic}
        choices={topicChoices(topics)}
        placeholder="/motor/state"
        onValueChange={(next) => onChange({ ...condition, topic: next })}
      />
    </Field>
  );
}

function FieldPath({ condition, path, onChange, topics, errors }: LeafFieldsProps) {
  const { topic = "", field = "", field_mode: mode } = condition;
  const many = /\[[^\]]*:[^\]]*\]|\{/.test(field);
  return (
    <div className={many || mode ? "grid grid-cols-[minmax(0,1fr)_9rem] gap-3" : undefined}>
      <Field label="Field" error={errorAt(errors, path, "field")}>
        <PathInput
          label="Fields"
          value={field}
          choices={fieldChoices(topics, topic)}
          placeholder="data.temperature"
          onValueChange={(next) => onChange({ ...condition, field: next })}
        />
      </Field>
      {(many || mode) && (
        <Field label="Of many values" error={errorAt(errors, path, "field_mode")}>
          <Select
            options={modes}
            value={modes.find((each) => each.value === (mode ?? "any"))?.value ?? null}
            onValueChange={(next) => onChange({ ...condition, field_mode: next === "any" ? undefined : next })}
          />
        </Field>
      )}
    </div>
  );
}

function Threshold(props: LeafFieldsProps) {
  const { condition, path, onChange, topics, errors } = props;
  const known = fieldOf(topics, condition.topic ?? "", condition.field ?? "");
  return (
    <>
      <Topic {...props} />
      <FieldPath {...props} />
      <ComparisonFields
        comparison={condition}
        unit={known?.unit}
        error={errorAt(errors, path, "value")}
        onChange={({ operator, value }) => onChange({ ...condition, operator, value })}
      />
    </>
  );
}

function Pattern(props: LeafFieldsProps) {
  const { condition, path, onChange, errors } = props;
  return (
    <>
      <Topic {...props} />
      <FieldPath {...props} />
      <Field
        label="Matches"
        error={errorAt(errors, path, "regex")}
        hint="A regular expression, found anywhere in the text. (?i) ignores case."
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

function Frequency(props: LeafFieldsProps) {
  const { condition, path, onChange, errors } = props;
  const filtered = condition.field !== undefined || condition.operator !== undefined || condition.value !== undefined;
  return (
    <>
      <Topic {...props} />
      <div className="grid grid-cols-[9rem_minmax(0,1fr)_minmax(0,1fr)] gap-3">
        <Field label="Messages" error={errorAt(errors, path, "count_operator")}>
          <Select
            options={countOperators}
            value={countOperators.find((each) => each.value === condition.count_operator)?.value ?? null}
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
          className="size-4 accent-(--accent)"
          onChange={(event) =>
            onChange(
              event.target.checked
                ? { ...condition, field: condition.field ?? "", operator: condition.operator ?? "gt" }
                : { ...condition, field: undefined, operator: undefined, value: undefined },
            )
          }
        />
        Count only messages whose field meets a comparison
      </label>
      {filtered && (
        <>
          <FieldPath {...props} />
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

function Absence(props: LeafFieldsProps) {
  const { condition, path, onChange, errors } = props;
  return (
    <>
      <Topic {...props} />
      <Field label="Silent for" error={errorAt(errors, path, "timeout")} hint="Such as 500ms, 15s or 1m30s.">
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

const forms = { threshold: Threshold, pattern: Pattern, frequency: Frequency, absence: Absence } as const;

/** The fields of a single condition of any kind. */
export function LeafFields(props: LeafFieldsProps) {
  const { type } = props.condition;
  if (type === "composite") return null;
  const Form = forms[type];
  return <Form {...props} />;
}
