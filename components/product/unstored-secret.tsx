"use client";

import { useEffect, useRef, useState } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { useLeaveGuard } from "@/components/kit/leaving";

/** Asks before a page is left whose secret was not stored yet. */
export function UnstoredSecret({ stored }: { stored: boolean }) {
  const [leaving, setLeaving] = useState<(() => void) | null>(null);
  const hasEntry = useRef(false);
  useLeaveGuard(!stored, (go) => setLeaving(() => go));
  useEffect(() => {
    // Back leaves only an entry of the history that is this same page, so that it can be asked about.
    const addEntry = () => window.history.pushState(null, "", window.location.href);
    if (stored) {
      if (hasEntry.current) window.history.back();
      hasEntry.current = false;
      return;
    }
    if (!hasEntry.current) addEntry();
    hasEntry.current = true;
    const onBack = () => {
      addEntry();
      setLeaving(() => () => {
        window.removeEventListener("popstate", onBack);
        window.history.go(-2);
      });
    };
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("popstate", onBack);
    window.addEventListener("beforeunload", onLeave);
    return () => {
      window.removeEventListener("popstate", onBack);
      window.removeEventListener("beforeunload", onLeave);
    };
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
