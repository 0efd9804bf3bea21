"use client";

import { Button, type ButtonProps } from "./button";
import { cn } from "./cn";
import { Tooltip } from "./tooltip";

export interface IconButtonProps extends Omit<ButtonProps, "children" | "aria-label"> {
  /** What the button does; its accessible name and its tooltip. */
  label: string;
  /** Shortcut shown beside the label in the tooltip, such as `mod+k`. */
  keys?: string;
}

/** A square button that holds only an icon; `label` is required and shown as a tooltip, with `disabledReason`. */
export function IconButton(props: IconButtonProps) {
  const { label, keys, size = "md", variant = "ghost", className, disabledReason, disabled, ...rest } = props;
  const refused = disabledReason !== undefined;
  const square = size === "sm" ? "w-7 px-0" : size === "lg" ? "w-9 px-0" : "w-8 px-0";
  return (
    <Tooltip tap={refused} content={refused ? `${label}: ${disabledReason}` : label} keys={refused ? undefined : keys}>
      <Button
        {...rest}
        disabled={disabled || refused}
        focusableWhenDisabled={refused || rest.focusableWhenDisabled}
        size={size}
        variant={variant}
        aria-label={label}
        aria-description={disabledReason}
        className={cn(square, className)}
      />
    </Tooltip>
  );
}
