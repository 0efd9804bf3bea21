"use client";

import { Button as BaseButton } from "@base-ui/react/button";
import { cva, type VariantProps } from "class-variance-authority";
import { LoaderCircle } from "lucide-react";
import Link from "next/link";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./cn";
import { Tooltip } from "./tooltip";

export const buttonStyles = cva(
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-panel border font-medium whitespace-nowrap " +
    "select-none transition-colors aria-disabled:cursor-not-allowed aria-disabled:opacity-50 data-disabled:opacity-50 " +
    "[&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "border-transparent bg-accent text-accent-foreground hover:not-aria-disabled:bg-accent-hover",
        secondary:
          "border-border-strong bg-raised text-foreground hover:not-aria-disabled:bg-hover data-popup-open:bg-hover",
        ghost:
          "border-transparent text-muted hover:not-aria-disabled:bg-hover hover:not-aria-disabled:text-foreground " +
          "data-popup-open:bg-hover data-popup-open:text-foreground",
        danger:
          "border-transparent bg-critical-hover text-accent-foreground hover:not-aria-disabled:bg-critical " +
          "dark:bg-critical dark:hover:not-aria-disabled:bg-critical-hover",
        "danger-quiet": "border-border-strong bg-raised text-critical-text hover:not-aria-disabled:bg-hover",
        link: "h-auto! border-transparent px-0! text-accent-text hover:underline",
      },
      size: { md: "h-8 px-3 text-table", sm: "h-7 px-2 text-table", lg: "h-9 px-4 text-body" },
    },
    defaultVariants: { variant: "secondary", size: "md" },
  },
);

type Looks = VariantProps<typeof buttonStyles>;

export interface ButtonProps extends Omit<ComponentProps<typeof BaseButton>, "className">, Looks {
  className?: string;
  icon?: ReactNode;
  /** Shows a spinner and ignores presses while something it started is under way. */
  busy?: boolean;
  /** Disables the button and shows why in a tooltip; it stays focusable so that keyboard users can read it. */
  disabledReason?: string | undefined;
}

/** Base UI takes every key but Tab from a disabled button that has the focus, also the page's and the browser's own. */
const withOnlyItsKeys = ({ onKeyDown, ...props }: ComponentProps<"button">) => (
  <button
    type="button"
    {...props}
    onKeyDown={(event) => {
      if (event.key === "Enter" || event.key === " ") onKeyDown?.(event);
    }}
  />
);

/** A button: `variant` primary | secondary | ghost | danger | danger-quiet | link, `size` sm | md | lg. */
export function Button(props: ButtonProps) {
  const { variant, size, className, icon, busy = false, disabledReason, disabled, children, ...rest } = props;
  const isDisabled = disabled || busy || disabledReason !== undefined;
  const isFocusable = busy || disabledReason !== undefined || rest.focusableWhenDisabled;
  const button = (
    <BaseButton
      type="button"
      aria-description={disabledReason}
      {...rest}
      {...(isDisabled && isFocusable && { render: withOnlyItsKeys })}
      disabled={isDisabled}
      focusableWhenDisabled={isFocusable}
      aria-busy={busy || undefined}
      className={cn(buttonStyles({ variant, size }), className)}
    >
      {busy ? <LoaderCircle aria-hidden className="animate-spin" /> : icon}
      {children}
    </BaseButton>
  );
  return disabledReason === undefined ? (
    button
  ) : (
    <Tooltip tap content={disabledReason}>
      {button}
    </Tooltip>
  );
}

export interface ButtonLinkProps extends ComponentProps<typeof Link>, Looks {
  icon?: ReactNode;
  /** Makes it a button that is disabled and shows why. */
  disabledReason?: string | undefined;
}

/** A link that looks like a button; same `variant`, `size`, `icon` and `disabledReason`. */
export function ButtonLink({ variant, size, className, icon, disabledReason, children, ...rest }: ButtonLinkProps) {
  if (disabledReason !== undefined) return <Button {...{ variant, size, className, icon, disabledReason, children }} />;
  return (
    <Link {...rest} className={cn(buttonStyles({ variant, size }), className)}>
      {icon}
      {children}
    </Link>
  );
}
