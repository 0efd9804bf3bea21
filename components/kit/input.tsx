"use client";

import { Input as BaseInput } from "@base-ui/react/input";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./cn";
import { controlStyles } from "./control-styles";

export interface InputProps extends Omit<ComponentProps<typeof BaseInput>, "className" | "size" | "prefix"> {
  className?: string;
  /** For uids, topics, JSON: Geist Mono. */
  mono?: boolean;
  /** Something inside the box before or after the text: an icon, a unit. */
  before?: ReactNode;
  after?: ReactNode;
}

/** A one-line text box; inside a `Field` it takes that field's label, hint and error by itself. */
export function Input({ className, mono = false, before, after, ...rest }: InputProps) {
  const font = mono ? "font-mono text-table" : "text-table";
  if (before === undefined && after === undefined) {
    return <BaseInput {...rest} className={cn(controlStyles, "h-8 w-full min-w-0 px-2.5", font, className)} />;
  }
  return (
    <span className={cn("relative flex w-full min-w-0 items-center", className)}>
      {before !== undefined && (
        <span className="pointer-events-none absolute left-2.5 text-subtle [&_svg]:size-4">{before}</span>
      )}
      <BaseInput
        {...rest}
        className={cn(
          controlStyles,
          "h-8 w-full min-w-0 px-2.5",
          font,
          before !== undefined && "pl-8",
          after !== undefined && "pr-10",
        )}
      />
      {after !== undefined && <span className="absolute right-2.5 text-subtle [&_svg]:size-4">{after}</span>}
    </span>
  );
}
