"use client";

import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { RelativeTime } from "@/components/kit/time";
import type { useRuleDraft } from "./use-rule-draft";

type RuleDraftState = ReturnType<typeof useRuleDraft>;

/** Asks before the builder is left with unsaved work; whichever way, nothing is lost unless it is discarded. */
export function LeaveDialog({ leaving }: Pick<RuleDraftState, "leaving">) {
  return (
    <Dialog
      open={leaving !== null}
      onOpenChange={(open) => !open && leaving?.stay()}
      size="sm"
      title="Leave without saving this rule?"
      description="What you wrote is kept in this tab. Come back to this page and go on where you left it."
      footer={
        <>
          <Button className="mr-auto" variant="ghost" onClick={leaving?.discard}>
            Discard and leave
          </Button>
          <Button onClick={leaving?.stay}>Stay</Button>
          <Button variant="primary" onClick={leaving?.go}>
            Leave
          </Button>
        </>
      }
    />
  );
}

/** Shows that the form holds what was not saved on an earlier visit, and how to be rid of it. */
export function RestoredNote(props: Pick<RuleDraftState, "restored" | "discard"> & { version: number | undefined }) {
  const { restored, discard, version } = props;
  if (restored === null) return null;
  const outdated = version !== undefined && restored.version !== version;
  return (
    <div role="status" className="mt-4 flex items-center gap-3 border-l-2 border-accent pl-3 text-table">
      <p className="min-w-0 flex-1">
        Your unsaved changes from <RelativeTime value={restored.at} /> are back.
        {outdated && (
          <span className="block text-warning-text">
            They were made on version {restored.version}; the rule is at version {version} now.
          </span>
        )}
      </p>
      <Button size="sm" onClick={discard}>
        Discard
      </Button>
    </div>
  );
}
