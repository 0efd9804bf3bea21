"use client";

import { Field as Base } from "@base-ui/react/field";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";

export interface FieldProps {
  label: ReactNode;
  /** A control of this folder; label, hint and error are passed to it by context. */
  children: ReactNode;
  hint?: ReactNode;
  error?: string;
  optional?: boolean;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
  name?: string;
  disabled?: boolean;
  /** For groups of controls (checkboxes, radios, rows): names the group instead of one control. */
  group?: boolean;
  className?: string;
}

/** A control with its label, a hint below and, while it is wrong, the error in the hint's place. */
export function Field(props: FieldProps) {
  const { label, children, hint, optional = false, hideLabel = false, group = false, className } = props;
  // A text of no words explains nothing, and red without an explanation teaches to ignore red.
  const error = props.error === "" ? undefined : props.error;
  const labelClass = cn("text-table font-medium", hideLabel && "sr-only");
  const text = (
    <>
      {label}
      {optional && <span className="font-normal text-subtle"> (optional)</span>}
    </>
  );
  return (
    <Base.Root
      name={props.name}
      disabled={props.disabled}
      invalid={error !== undefined}
      render={group ? <fieldset /> : undefined}
      className={cn("flex min-w-0 flex-col gap-1.5", className)}
    >
      {group ? (
        <legend className={cn(labelClass, "mb-1.5")}>{text}</legend>
      ) : (
        <Base.Label className={labelClass}>{text}</Base.Label>
      )}
      {children}
      {error !== undefined ? (
        <Base.Error match className="flex items-start gap-1 text-meta text-critical-text">
          <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
          {error}
        </Base.Error>
      ) : (
        hint !== undefined && <Base.Description className="text-meta text-subtle">{hint}</Base.Description>
      )}
    </Base.Root>
  );
}
