"use client";

import { Button, type ButtonProps } from "./button";
import { cn } from "./cn";
import { Tooltip } from "./tooltip";

export interface IconButtonProps extends Omit<ButtonProps, "children" | "aria-label" | "disabledReason"> {
  /** What the button does; its accessible name and its tooltip. */
  label: string;
  /** Shortcut shown beside the label in the tooltip, such as `mod+k`. */
  keys?: string;
}

/** A square button that holds only an icon; `label` is required and shown as a tooltip. */
export function IconButton({ label, keys, size = "md", variant = "ghost", className, ...rest }: IconButtonProps) {
  const square = size === "sm" ? "w-7 px-0" : size === "lg" ? "w-9 px-0" : "w-8 px-0";
  return (
    <Tooltip content={label} keys={keys}>
      <Button {...rest} size={size} variant={variant} aria-label={label} className={cn(square, className)} />
    </Tooltip>
  );
}
