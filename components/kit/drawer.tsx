"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useQueryState, parseAsString } from "nuqs";
import { useRef, type ReactNode } from "react";
import { cn } from "./cn";
import { IconButton } from "./icon-button";

export interface DrawerProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** A line of meta below the title: status, uid chip. */
  subtitle?: ReactNode;
  /** Buttons beside the cross, such as a link to the full page. */
  actions?: ReactNode;
  footer?: ReactNode;
  children: ReactNode;
  className?: string;
}

/**
 * A panel of 480 px over the right edge (the whole width on phones). The page behind remains usable: j and k still move
 * through the list. Esc closes it and focus returns to the row.
 */
export function Drawer({ open, onClose, title, subtitle, actions, footer, children, className }: DrawerProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()} modal={false} disablePointerDismissal>
      <Base.Portal>
        <Base.Popup
          ref={popup}
          data-shortcuts="page"
          // The panel itself, not its first button, whose tooltip would cover the title.
          initialFocus={popup}
          // j and k may have moved on since it opened: focus goes to the list's current row where there is one.
          finalFocus={() => document.querySelector<HTMLElement>("tr[data-row][tabindex='0']") ?? true}
          className={cn(
            "fixed top-12 right-0 bottom-0 z-30 flex w-full flex-col bg-raised shadow-float outline-none sm:w-120",
            "transition-[opacity,translate] data-ending-style:opacity-0 data-starting-style:translate-x-2 data-starting-style:opacity-0",
            className,
          )}
        >
          <div className="flex items-start gap-2 border-b px-5 py-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="truncate text-section font-semibold">{title}</Base.Title>
              {subtitle !== undefined && (
                <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-muted">
                  {subtitle}
                </div>
              )}
            </div>
            <div className="-mr-2 flex items-center gap-1">
              {actions}
              <IconButton label="Close" keys="escape" size="sm" icon={<X aria-hidden />} onClick={onClose} />
            </div>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {footer !== undefined && <div className="flex flex-wrap gap-2 border-t px-5 py-3">{footer}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Which row's drawer is open, kept in the address as `?selected=uid`; opening adds a step to the history. */
export function useSelected(): [string | null, (uid: string | null) => void] {
  const [selected, setSelected] = useQueryState("selected", parseAsString);
  const set = (uid: string | null) => {
    // Moving from row to row replaces, so that Back leaves the drawer instead of walking through every row.
    void setSelected(uid, { history: selected === null ? "push" : "replace" });
  };
  return [selected, set];
}
