"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef, type ReactElement, type ReactNode } from "react";
import { Button } from "./button";
import { cn } from "./cn";
import { IconButton } from "./icon-button";

export interface DialogProps {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The button that opens it; leave out where `open` is held elsewhere. */
  trigger?: ReactElement<Record<string, unknown>>;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the foot, the main one last. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** Neither Esc, nor a press outside, nor a cross closes it: for what is shown only once. */
  locked?: boolean;
  /** Nothing in it can be focused: the text itself is, so that arrow keys scroll it. */
  reading?: boolean;
}

const fields = "[data-first], input:not([aria-hidden], [hidden]), textarea, [role=combobox]";

const widths = { sm: "sm:w-100", md: "sm:w-130", lg: "sm:w-180" };

/** A modal dialog (400, 520 or 720 px; a sheet from below on phones). Focus stays inside and returns on close. */
export function Dialog(props: DialogProps) {
  const {
    open,
    onOpenChange,
    trigger,
    title,
    description,
    children,
    footer,
    size = "md",
    locked = false,
    reading = false,
  } = props;
  const popup = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={locked}
      onOpenChange={(next, details) => {
        if (locked && !next && details.reason === "escape-key") return details.cancel();
        onOpenChange?.(next);
      }}
    >
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-40 flex items-end justify-center sm:items-center sm:p-6">
          <Base.Popup
            ref={popup}
            // What says that it is first, or the first field, else the dialog itself: never the cross, whose tooltip would open with it.
            initialFocus={() =>
              reading ? body.current : (body.current?.querySelector<HTMLElement>(fields) ?? popup.current)
            }
            className={cn(
              "flex max-h-[92dvh] w-full flex-col rounded-t-panel bg-raised shadow-float outline-none transition-[opacity,translate] sm:max-h-full sm:rounded-panel",
              "data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0",
              widths[size],
            )}
          >
            <div className="flex items-start gap-4 px-5 pt-4 pb-1">
              <div className="min-w-0 flex-1">
                <Base.Title className="text-section font-semibold">{title}</Base.Title>
                {description !== undefined && (
                  <Base.Description className="mt-1 text-table text-muted">{description}</Base.Description>
                )}
              </div>
              {!locked && (
                <Base.Close
                  render={<IconButton label="Close" size="sm" icon={<X aria-hidden />} className="-mr-2" />}
                />
              )}
            </div>
            <div
              ref={body}
              tabIndex={reading ? 0 : undefined}
              className="min-h-0 flex-1 overflow-y-auto px-5 pt-3 pb-5 -outline-offset-2!"
            >
              {children}
            </div>
            {footer !== undefined && footer !== false && (
              <div className="flex flex-wrap items-center justify-end gap-2 border-t px-5 py-3">{footer}</div>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** The two buttons that most dialogs have at their foot. */
export function DialogActions(props: {
  /** The verb of the main one: "Save tags". */
  action: ReactNode;
  onAction: () => void | Promise<unknown>;
  onCancel: () => void;
  busy?: boolean;
  disabled?: boolean;
  /** Disables the main one and shows why. */
  disabledReason?: string | undefined;
  danger?: boolean;
}) {
  const { action, onAction, onCancel, busy, disabled, disabledReason, danger = false } = props;
  return (
    <>
      <Button onClick={onCancel}>Cancel</Button>
      <Button
        variant={danger ? "danger" : "primary"}
        busy={busy}
        disabled={disabled}
        disabledReason={disabledReason}
        onClick={() => void onAction()}
      >
        {action}
      </Button>
    </>
  );
}
