"use client";

import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { RelativeTime } from "@/components/kit/time";
import type { StoredResult } from "./query";

interface EarlierRoundsProps {
  /** With the round of each, the latest first. */
  rounds: readonly { result: StoredResult; round: number }[];
  /** The uid of the one on the stage; null: the one that is reviewed. */
  shown: string | null;
  onShow: (uid: string | null) => void;
}

const verbs = { submitted: "Submitted", accepted: "Accepted", rejected: "Rejected" } as const;

/** What became of the task before. */
export function EarlierRounds({ rounds, shown, onShow }: EarlierRoundsProps) {
  if (rounds.length === 0) return <p className="p-3 text-table text-muted">This is the first round.</p>;
  return (
    <ol aria-label="Earlier rounds" className="min-h-0 flex-1 overflow-y-auto">
      {rounds.map(({ result, round }) => (
        <li key={result.uid} className="flex flex-col gap-1 border-b px-3 py-2.5 text-table last:border-0">
          <div className="flex items-baseline justify-between gap-2">
            <span className="font-medium">Round {round}</span>
            <span className="text-meta text-muted">
              {result.submitted_by}, <RelativeTime value={result.created_at} rich={false} />
            </span>
          </div>
          <p className="text-muted">
            {verbs[result.status]}
            {result.decided_by !== null && ` by ${result.decided_by}`}, {plural(result.annotations.length, "shape")}
          </p>
          {result.reason !== "" && <p className="wrap-break-word">{result.reason}</p>}
          <Button
            size="sm"
            className="self-start"
            aria-pressed={shown === result.uid}
            onClick={() => onShow(shown === result.uid ? null : result.uid)}
          >
            {shown === result.uid ? "Back to the new one" : "Show its shapes"}
          </Button>
        </li>
      ))}
    </ol>
  );
}
