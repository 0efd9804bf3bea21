"use client";

import { useState } from "react";
import { Disclosure } from "@/components/kit/disclosure";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { ComparisonFields } from "./comparison-fields";
import { comparesOverTime } from "./condition-draft";
import { errorAt, type ConditionErrors } from "./condition-errors";

export interface NoiseFieldsProps {
  condition: ConditionDraft;
  onChange: (condition: ConditionDraft) => void;
  errors: ConditionErrors;
}

/** The fields that reduce noise: duration, cooldown and end of a condition. Collapsed until one is set. */
export function NoiseFields({ condition, onChange, errors }: NoiseFieldsProps) {
  const { window, cooldown, keep_for, recover } = condition;
  const lasts = comparesOverTime(condition);
  const [open, setOpen] = useState(
    [cooldown, keep_for, recover, lasts ? window : undefined].some((each) => each !== undefined),
  );
  const duration = (member: "window" | "cooldown" | "keep_for", label: string, hint: string, placeholder: string) => (
    <Field label={label} optional hint={hint} error={errorAt(errors, "", member)}>
      <Input
        mono
        value={condition[member] ?? ""}
        placeholder={placeholder}
        onValueChange={(text) => onChange({ ...condition, [member]: text === "" ? undefined : text })}
      />
    </Field>
  );
  return (
    <Disclosure open={open} onOpenChange={setOpen} label={<span className="font-medium">Reduce noise</span>}>
      <div className="mt-3 flex flex-col gap-4">
        {lasts && duration("window", "Held for", "The condition has to hold for this long without a break.", "10s")}
        {duration("cooldown", "Cooldown", "How long after a trigger further ones are suppressed.", "5m")}
        {duration("keep_for", "Keep for", "An episode that starts again within this time continues.", "2s")}
        {lasts && (
          <div className="flex flex-col gap-2">
            <label className="flex items-center gap-2 text-table">
              <input
                type="checkbox"
                className="checkbox"
                checked={recover !== undefined}
                onChange={(event) =>
                  onChange({
                    ...condition,
                    recover: event.target.checked ? { operator: "lt", value: condition.value } : undefined,
                  })
                }
              />
              End it only when
            </label>
            {recover && (
              <ComparisonFields
                comparison={recover}
                label="Recovered at"
                error={errorAt(errors, "", "recover")}
                onChange={(next) => onChange({ ...condition, recover: next })}
              />
            )}
          </div>
        )}
      </div>
    </Disclosure>
  );
}
