"use client";

import { CircleAlert } from "lucide-react";
import Link from "next/link";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { plural, truncateMiddle } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";

export interface Failures {
  action: string;
  result: Outputs["alerts"]["bulk"];
  /** Names of the alerts by uid, where they are known. */
  names: ReadonlyMap<string, string>;
}

const participles: Record<string, string> = {
  acknowledge: "acknowledged",
  resolve: "resolved",
  reopen: "reopened",
  assign: "assigned",
  snooze: "snoozed",
};

/** The alerts that an action failed for, and why. */
export function FailureDialog({ failures, onClose }: { failures: Failures; onClose: () => void }) {
  const { action, result, names } = failures;
  const failed = result.results.filter((each) => !each.ok);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${plural(failed.length, "alert")} could not be ${participles[action] ?? "changed"}`}
      description={result.succeeded > 0 ? `The other ${result.succeeded} of ${result.results.length} were.` : undefined}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ul className="flex flex-col gap-2">
        {failed.map(({ uid, error }) => (
          <li key={uid} className="flex items-start gap-2 text-table">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-critical" />
            <span className="min-w-0">
              <Link href={`/alerts/${uid}`} className="font-medium hover:underline">
                {names.get(uid) ?? truncateMiddle(uid, 16)}
              </Link>
              <span className="block text-muted">{error}</span>
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
