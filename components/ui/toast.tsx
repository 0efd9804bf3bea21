"use client";

import { toast as sonner, Toaster as SonnerToaster } from "sonner";
import { CircleAlert, CircleCheck } from "lucide-react";
import { readFailure } from "./failure";
import { useTheme } from "./preferences-provider";

const undoMs = 8000;

/** Where toasts appear; once in the root layout. */
export function Toaster() {
  const [theme] = useTheme();
  return (
    <SonnerToaster
      theme={theme}
      className="font-sans!"
      position="bottom-right"
      expand
      gap={8}
      offset={16}
      mobileOffset={12}
      icons={{
        success: <CircleCheck aria-hidden className="size-4 text-online" />,
        error: <CircleAlert aria-hidden className="size-4 text-critical" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            "flex w-full items-start gap-2.5 rounded-panel bg-raised p-3 text-table text-foreground shadow-float sm:w-90",
          icon: "mt-0.5 shrink-0",
          content: "min-w-0 flex-1",
          title: "font-medium break-words",
          description: "mt-0.5 text-meta text-muted break-words",
          actionButton:
            "order-last shrink-0 rounded-control px-2 py-0.5 font-medium text-accent-text hover:bg-hover whitespace-nowrap",
        },
      }}
    />
  );
}

interface ToastOptions {
  description?: string;
  action?: { label: string; onClick: () => void };
}

/** Short messages at the lower right. */
export const toast = {
  /** Says that something was done: "Key revoked". */
  success(title: string, options?: ToastOptions) {
    sonner.success(title, options);
  },
  /** Says what was done and offers to take it back for 8 seconds. */
  undo(title: string, onUndo: () => void, description?: string) {
    sonner.success(title, { description, duration: undoMs, action: { label: "Undo", onClick: onUndo } });
  },
  /** Shows any thrown value: its detail, its request id and, where `onRetry` is given, a way to try again. */
  failure(error: unknown, options: { title?: string; onRetry?: () => void } = {}) {
    const { detail, requestId, retryAfter } = readFailure(error);
    const lines = [options.title ? detail : "", requestId ? `Request ${requestId}` : ""];
    if (retryAfter) lines.unshift(`Try again in ${retryAfter} s.`);
    sonner.error(options.title ?? detail, {
      description: lines.filter(Boolean).join(" · ") || undefined,
      duration: 10_000,
      action: options.onRetry ? { label: "Retry", onClick: options.onRetry } : undefined,
    });
  },
};
