"use client";

import { Select, type SelectProps } from "@/components/kit/select";

interface SettingSelectProps<Value extends string> extends Omit<SelectProps<Value>, "aria-label" | "size"> {
  /** What is seen of its name. */
  label: string;
  /** Its name, which holds the label, where that does not say what it belongs to. */
  name?: string;
}

/** A choice among the settings of a panel, with its label before it. */
export function SettingSelect<Value extends string>({ label, name = label, ...select }: SettingSelectProps<Value>) {
  return (
    <div className="flex items-center gap-2 text-meta text-foreground">
      <span aria-hidden className="w-20 shrink-0">
        {label}
      </span>
      <Select {...select} size="sm" aria-label={name} />
    </div>
  );
}
