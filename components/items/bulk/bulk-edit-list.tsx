"use client";

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Disclosure } from "@/components/kit/disclosure";
import { formatNumber, plural } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { TruncateMiddle } from "@/components/kit/truncate";
import { nextPage } from "@/components/list/list-input";
import { useStaleSince } from "@/components/live/liveness";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";

type BulkEdit = Outputs["items"]["edit"];

/** How often progress is fetched (milliseconds) while no change is received. */
const pollMs = 5_000;

const labels = {
  metadata: ["Setting metadata", "Metadata set"],
  undo: ["Undoing metadata", "Metadata put back"],
  delete: ["Deleting", "Deleted"],
  copy: ["Copying", "Copied"],
} as const satisfies Record<BulkEdit["kind"], readonly [string, string]>;

const number = (value: number): string => formatNumber(value, 0);

/** "Copied 41 of 44 items into Yard, 3 failed": what a change did so far. */
function describeEdit({
  kind,
  status,
  total_count: total,
  done_count: done,
  failed_count: failed,
  target_name,
}: BulkEdit) {
  const [now, then] = labels[kind];
  const parts = [
    `${status === "running" ? now : then}: ${number(done)} of ${plural(total, "item")}`,
    ...(kind === "copy" && target_name !== null ? [` into ${target_name}`] : []),
    ...(failed > 0 ? [`, ${number(failed)} failed`] : []),
    ...(status === "stopped" ? [", stopped"] : status === "failed" ? [", ended by a failure"] : []),
  ];
  return parts.join("");
}

/** The changes to many items of a dataset that are under way or just ended. Nothing without one. */
export function BulkEditList({ dataset }: { dataset: string }) {
  const trpc = useTRPC();
  const stale = useStaleSince() !== null;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const { data = [] } = useQuery({
    ...trpc.items.edits.queryOptions({ dataset }),
    refetchInterval: ({ state }) =>
      stale && state.data?.some(({ status }) => status === "running") === true ? pollMs : false,
  });
  const shown = data.filter(({ uid }) => !hidden.has(uid));
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Changes to many items" className="flex flex-col gap-2">
      {shown.map((edit) => (
        <EditLine key={edit.uid} edit={edit} onHide={() => setHidden(new Set([...hidden, edit.uid]))} />
      ))}
    </ul>
  );
}

function EditLine({ edit, onHide }: { edit: BulkEdit; onHide: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const own = usePermissions().refusal({ author: edit.created_by_uid });
  const running = edit.status === "running";
  const text = describeEdit(edit);
  const act = async (work: () => Promise<unknown>, title: string) => {
    try {
      await work();
    } catch (error) {
      toast.failure(error, { title });
    }
    await queryClient.invalidateQueries(trpc.items.edits.pathFilter());
  };
  return (
    <li className="flex flex-col gap-1.5 rounded-panel border bg-raised px-3 py-2 text-table">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span role="status" className="min-w-0 flex-1 tabular-nums">
          {text}
        </span>
        {running ? (
          <Button
            size="sm"
            disabledReason={own}
            onClick={() => void act(() => client.items.stopEdit.mutate({ uid: edit.uid }), "It was not stopped")}
          >
            Stop
          </Button>
        ) : (
          <>
            {edit.kind === "metadata" && !edit.is_undone && edit.done_count > 0 && (
              <Button
                size="sm"
                disabledReason={own}
                onClick={() => void act(() => client.items.undoEdit.mutate({ uid: edit.uid }), "It was not undone")}
              >
                Undo
              </Button>
            )}
            <Button size="sm" variant="ghost" onClick={onHide}>
              Hide
            </Button>
          </>
        )}
      </div>
      {running && (
        <Progress share={(edit.done_count + edit.failed_count) / Math.max(1, edit.total_count)} label={text} />
      )}
      {edit.error_message !== null && <p className="text-critical-text">{edit.error_message}</p>}
      {edit.failed_count > 0 && <Failures edit={edit} />}
    </li>
  );
}

/** The items that were not changed, with the reasons. */
function Failures({ edit }: { edit: BulkEdit }) {
  const trpc = useTRPC();
  const [open, setOpen] = useState(false);
  const query = useInfiniteQuery({
    ...trpc.items.editFailures.infiniteQueryOptions({ uid: edit.uid, limit: 50 }, nextPage),
    enabled: open,
  });
  const failures = query.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <Disclosure label={`${plural(edit.failed_count, "item")} not changed`} open={open} onOpenChange={setOpen}>
      <ul aria-label="Items that were not changed" className="mt-1 flex max-h-60 flex-col overflow-y-auto">
        {failures.map(({ item_id: item, key, error }) => (
          <li key={item} className="flex min-w-0 gap-3 border-t border-border py-1">
            <span className="w-60 shrink-0 font-mono max-sm:w-32">
              <TruncateMiddle text={key || item} />
            </span>
            <span className="min-w-0 text-muted">{error}</span>
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button size="sm" variant="ghost" busy={query.isFetching} onClick={() => void query.fetchNextPage()}>
          More
        </Button>
      )}
    </Disclosure>
  );
}
