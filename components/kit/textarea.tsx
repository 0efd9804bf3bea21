"use client";

import { Input as BaseInput } from "@base-ui/react/input";
import type { ComponentProps } from "react";
import { cn } from "./cn";
import { controlStyles } from "./control-styles";

export interface TextareaProps extends Omit<ComponentProps<"textarea">, "defaultValue" | "value"> {
  value?: string;
  defaultValue?: string;
  mono?: boolean;
}

/** A text box of several lines (`rows`, default 3), resizable downwards; works inside a `Field`. */
export function Textarea({ className, mono = false, rows = 3, value, defaultValue, ...rest }: TextareaProps) {
  return (
    <BaseInput
      value={value}
      defaultValue={defaultValue}
      render={<textarea {...rest} rows={rows} />}
      className={cn(
        controlStyles,
        "block w-full min-w-0 resize-y px-2.5 py-1.5 text-table",
        mono && "font-mono",
        className,
      )}
    />
  );
}
