"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLatest } from "@/components/kit/latest";
import { Skeleton } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { useTaskPicture } from "../task/task-picture";
import { ReviewDesk, type DeskProps } from "./review-desk";
import { ReviseEditor } from "./revise-editor";

interface ResultReviewProps extends Omit<DeskProps, "found" | "result" | "picture" | "onEdit"> {
  organization: string;
  /** The result was corrected, which decides it. */
  onRevised: () => void;
  /** Somebody else decided it meanwhile. */
  onDecidedElsewhere: (what: string) => void;
}

const verbs = { submitted: "", accepted: "Accepted", rejected: "Rejected" } as const;

/** A result on its picture, with what can be decided about it. */
export function ResultReview({ onDecidedElsewhere, ...desk }: ResultReviewProps) {
  const { row, decision } = desk;
  const trpc = useTRPC();
  const query = useQuery(trpc.tasks.editor.queryOptions({ uid: row.task }));
  const result = query.data?.earlier.find(({ uid }) => uid === row.uid);
  const onGone = useLatest(onDecidedElsewhere);
  const isSettled = useRef(false);
  const status = result?.status;
  const by = result?.decided_by;
  useEffect(() => {
    if (status === undefined || status === "submitted" || decision || row.became !== undefined || isSettled.current)
      return;
    isSettled.current = true;
    onGone(`${verbs[status]}${by == null ? "" : ` by ${by}`}`);
  }, [status, by, decision, row.became, onGone]);
  if (query.error && !query.data)
    return (
      <ErrorState error={query.error} title="The result could not be loaded" onRetry={() => void query.refetch()} />
    );
  if (!query.data) return <Skeleton className="m-3 flex-1" />;
  if (!result)
    return (
      <p className="m-auto p-6 text-table text-muted">
        {row.status === "submitted"
          ? "This result is gone: its item was deleted."
          : "Later results of its task are shown here."}
      </p>
    );
  return <WithPicture {...desk} found={query.data} result={result} />;
}

type WithPictureProps = Omit<DeskProps, "picture" | "onEdit"> & Pick<ResultReviewProps, "organization" | "onRevised">;

function WithPicture({ organization, onRevised, ...desk }: WithPictureProps) {
  const { picture, hasFailed } = useTaskPicture(desk.found);
  const [isEditing, setEditing] = useState(false);
  if (!picture)
    return (
      <p role="status" className="m-auto p-6 text-table text-muted">
        {hasFailed ? "The picture could not be loaded." : "The picture is loaded…"}
      </p>
    );
  if (isEditing)
    return (
      <ReviseEditor
        organization={organization}
        found={desk.found}
        result={desk.result}
        picture={picture}
        onRevised={onRevised}
        onCancel={() => setEditing(false)}
      />
    );
  return <ReviewDesk {...desk} picture={picture} onEdit={() => setEditing(true)} />;
}
