"use client";

import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { loadPart } from "@/components/kit/part-loading";

interface Unsent {
  changes: number;
  tasks: number;
}
const nothing: Unsent = { changes: 0, tasks: 0 };

/** What this browser holds of a person's drafts that the server does not have; what keeps drafts is loaded only if some are. */
async function countUnsentWork(user: string): Promise<Unsent> {
  try {
    const databases = await indexedDB.databases();
    if (!databases.some(({ name }) => name === "muster-drafts")) return nothing;
    const { countUnsent } = await loadPart(() => import("@/components/annotation/drafts/draft-store"));
    return await countUnsent(user);
  } catch {
    // A browser that stores nothing holds nothing.
    return nothing;
  }
}

/** Asks before a person signs out whose work on tasks is not on the server yet. */
export function useSignOutQuestion(user: string, signOut: () => void): { ask: () => void; question: ReactNode } {
  const [unsent, setUnsent] = useState(nothing);
  const ask = async () => {
    const found = await countUnsentWork(user);
    if (found.changes === 0) signOut();
    else setUnsent(found);
  };
  const question = (
    <ConfirmDialog
      open={unsent.changes > 0}
      onOpenChange={(open) => !open && setUnsent(nothing)}
      title="Sign out before your work is sent?"
      description={`${plural(unsent.changes, "change")} of ${plural(unsent.tasks, "task")} ${unsent.changes === 1 ? "is" : "are"} only in this browser. They stay here for 30 days, and are sent when you open the task again.`}
      action="Sign out"
      danger={false}
      onConfirm={signOut}
    />
  );
  return { ask: () => void ask(), question };
}
