"use client";

import { useEffect, useState } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { useLeaveGuard } from "@/components/kit/leaving";

/** Asks before a page is left whose secret was not stored yet. */
export function UnstoredSecret({ stored }: { stored: boolean }) {
  const [leaving, setLeaving] = useState<(() => void) | null>(null);
  useLeaveGuard(!stored, (go) => setLeaving(() => go));
  useEffect(() => {
    if (stored) return;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onLeave);
    return () => window.removeEventListener("beforeunload", onLeave);
  }, [stored]);
  return (
    <ConfirmDialog
      open={leaving !== null}
      onOpenChange={(open) => !open && setLeaving(null)}
      title="Leave without storing the secret?"
      description="It is not shown again."
      action="Leave"
      onConfirm={() => leaving?.()}
    />
  );
}
