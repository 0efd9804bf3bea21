"use client";

import { Suspense, useSyncExternalStore, type MouseEvent } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { loadPart } from "@/components/kit/part-loading";
import { readFailure } from "@/components/product/failure";

const undoMs = 8000;

const ToastPlace = lazyPart(async () => (await import("@/components/kit/toaster")).default, {
  className: "fixed bottom-4 left-4 z-50 bg-raised",
});

let wanted = false;
let mounted: () => void = () => {};
const place = new Promise<void>((resolve) => (mounted = resolve));
const waiting = new Set<() => void>();

const subscribe = (notify: () => void) => {
  waiting.add(notify);
  return () => void waiting.delete(notify);
};

/** Where toasts appear; once in the root layout. What draws them is fetched with the first toast. */
export function Toaster() {
  const show = useSyncExternalStore(
    subscribe,
    () => wanted,
    () => false,
  );
  return <Suspense>{show && <ToastPlace onMounted={mounted} />}</Suspense>;
}

async function open() {
  wanted = true;
  for (const notify of waiting) notify();
  await place;
  return (await loadPart(() => import("sonner"))).toast;
}

interface ToastOptions {
  description?: string;
  action?: { label: string; onClick: () => void };
}

/**
 * An action that gives the focus back as soon as it is used. Sonner does so when the focus leaves the toast, even for
 * a control that the user has moved on to meanwhile, which then loses it again.
 */
const buildAction = ({ label, onClick }: { label: string; onClick: () => void }) => ({
  label,
  onClick: (event: MouseEvent<HTMLButtonElement>) => {
    event.currentTarget.blur();
    onClick();
  },
});

/** Short messages at the lower left, on phones at the top. */
export const toast = {
  /** Reports that something was done: "Key revoked". */
  success(title: string, { description, action }: ToastOptions = {}) {
    void open().then((sonner) => sonner.success(title, { description, action: action && buildAction(action) }));
  },
  /**
   * Reports what was done and offers Undo for 8 seconds, beside another action if there is one. Call what it returns once it
   * was undone in another way.
   */
  undo(title: string, onUndo: () => void, description?: string, other?: ToastOptions["action"]): () => void {
    const shown = open().then((sonner) => {
      const id = sonner.success(title, {
        description,
        duration: undoMs,
        action: buildAction({ label: "Undo", onClick: onUndo }),
        cancel: other && buildAction(other),
      });
      return () => void sonner.dismiss(id);
    });
    return () => void shown.then((dismiss) => dismiss());
  },
  /** Shows any thrown value: its detail, its request id and, where `onRetry` is given, a way to try again. */
  failure(error: unknown, options: { title?: string; onRetry?: () => void } = {}) {
    const { detail, requestId, retryAfter } = readFailure(error);
    const lines = [options.title ? detail : "", requestId ? `Request ${requestId}` : ""];
    if (retryAfter) lines.unshift(`Try again in ${retryAfter} s.`);
    void open().then((sonner) =>
      sonner.error(options.title ?? detail, {
        description: lines.filter(Boolean).join(" · ") || undefined,
        duration: 10_000,
        action: options.onRetry ? buildAction({ label: "Retry", onClick: options.onRetry }) : undefined,
      }),
    );
  },
};
