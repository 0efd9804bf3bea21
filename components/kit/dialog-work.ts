"use client";

import { useState } from "react";

/** Runs what a dialog is for: it is busy meanwhile and closes afterwards, and stays when the work fails. */
export function useDialogWork(onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const run = async (work: () => void | Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await work();
      onDone();
    } catch {
      // The caller reports what failed; the dialog stays so that the person can try again.
    } finally {
      setBusy(false);
    }
  };
  return { busy, run };
}
