"use client";

import { Field } from "@/components/kit/field";
import { Select } from "@/components/kit/select";
import { Status } from "@/components/product/status";
import { heartbeatTopic } from "@/domain/conditions/heartbeat";
import { fieldModes, type FieldMode } from "@/domain/conditions/operators";
import { comparesOverTime } from "./condition-draft";
import { errorAt } from "./condition-errors";
import type { ConditionFormProps } from "./form";
import { PathInput } from "./path-input";
import { fieldChoices, matchingTopics, topicChoices } from "./topic-choices";

const modeLabels: Record<FieldMode, string> = {
  any: "any value",
  all: "all values",
  min: "minimum",
  max: "maximum",
  mean: "mean",
  count: "count",
};
const modes = fieldModes.map((value) => ({ value, label: modeLabels[value] }));

/** The topic of a condition, with those that devices in scope have recorded. */
export function TopicInput({ condition, path, onChange, topics, errors }: ConditionFormProps) {
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
          `${topic === heartbeatTopic ? "Sent by" : "Seen on"} ${seen[0]?.device_count} of ${seen[0]?.devices_total} devices`
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

/** The field of a condition, and how it is read where it leads to many values. */
export function FieldInput({ condition, path, onChange, topics, errors }: ConditionFormProps) {
  const { topic = "", field = "", field_mode: mode } = condition;
  const many = /\[[^\]]*:[^\]]*\]|\{/.test(field);
  return (
    <div className={many || mode ? "grid grid-cols-[minmax(0,1fr)_9rem] gap-3" : undefined}>
      <Field label="Field" error={errorAt(errors, path, "field")}>
        <PathInput
          label="Fields"
          value={field}
          choices={fieldChoices(topics, topic, comparesOverTime(condition) ? ["number", "boolean"] : ["string"])}
          placeholder="data.temperature"
          onValueChange={(next) => onChange({ ...condition, field: next })}
        />
      </Field>
      {(many || mode) && (
        <Field label="Match" error={errorAt(errors, path, "field_mode")}>
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
