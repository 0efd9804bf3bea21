"use client";

import { RadioGroup } from "@/components/kit/radio-group";

interface SharingChoiceProps {
  /** What is asked. */
  label: string;
  value: boolean | undefined;
  onChange: (shared: boolean) => void;
  /** Why it cannot be shared; undefined where it can. */
  reason: string | undefined;
}

/** Whether what is saved is for oneself, or for everyone in the organization. */
export function SharingChoice({ label, value, onChange, reason }: SharingChoiceProps) {
  return (
    <RadioGroup
      aria-label={label}
      value={value ? "shared" : "private"}
      onValueChange={(next) => onChange(next === "shared")}
      options={[
        { value: "private", label: "Only me" },
        { value: "shared", label: "Everyone in the organization", disabled: reason !== undefined, hint: reason },
      ]}
    />
  );
}
