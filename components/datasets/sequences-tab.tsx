"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Tag } from "lucide-react";
import { useState } from "react";
import type { DatasetAddress } from "@/components/items/item-links";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { EmptyState } from "@/components/kit/empty-state";
import { plural } from "@/components/kit/format";
import { Menu } from "@/components/kit/menu";
import { Skeleton } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { SequenceStatus } from "@/domain/datasets/schema";
import { sequenceStatusLabels } from "@/domain/datasets/sequence-status";
import { SequenceCard, type Sequence } from "./sequence-card";
import { UploadToDataset, type UploadedDataset } from "./upload-to-dataset";

const statuses = Object.keys(sequenceStatusLabels) as SequenceStatus[];

/** Sets the states of sequences, one after another, with an undo; says which could not be changed. */
function useSetStatuses(at: DatasetAddress) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [busy, setBusy] = useState(false);
  const send = async (wanted: readonly Sequence[]) => {
    let done = 0;
    try {
      for (const { uid, status } of wanted) {
        await client.sequences.setStatus.mutate({ ...at, uid, status });
        done += 1;
      }
    } catch (error) {
      toast.failure(error, { title: `${done} of ${plural(wanted.length, "sequence")} changed` });
    }
    await queryClient.invalidateQueries(trpc.sequences.pathFilter());
    return done;
  };
  const setStatuses = async (wanted: readonly Sequence[], before: readonly Sequence[]) => {
    setBusy(true);
    const done = await send(wanted);
    setBusy(false);
    const label = wanted[0] && sequenceStatusLabels[wanted[0].status];
    if (done === wanted.length) toast.undo(`${plural(done, "sequence")} set to ${label}`, () => void send(before));
  };
  return { setStatuses, busy };
}

/** The sequences of a dataset; admins set their states. */
export function SequencesTab({ dataset }: { dataset: UploadedDataset }) {
  const trpc = useTRPC();
  const at = { owner: dataset.owner_name, slug: dataset.slug };
  const refused = usePermissions().refusal({ role: "admin" });
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const { setStatuses, busy } = useSetStatuses(at);
  const { query, rows, table } = useListQuery(trpc.sequences.list.infiniteQueryOptions({ ...at, limit: 50 }, nextPage));
  if (query.error && !rows)
    return <ErrorState error={query.error} title="Sequences could not be loaded" onRetry={table.onRetry} />;
  if (!rows) return <Skeleton className="m-4 h-24" />;
  if (rows.length === 0)
    return (
      <EmptyState
        kind="nothing-yet"
        title="No sequences"
        description="Upload folders of frames to a dataset that keeps folders as sequences."
        action={<UploadToDataset dataset={dataset} />}
      />
    );
  const chosen = rows.filter(({ uid }) => picked.has(uid));
  const choose = (uid: string, on: boolean) => {
    const next = new Set(picked);
    if (on) next.add(uid);
    else next.delete(uid);
    setPicked(next);
  };
  return (
    <div className="flex flex-col gap-3 overflow-y-auto p-4 sm:px-6">
      {refused === undefined && (
        <div
          role="toolbar"
          aria-label="Chosen sequences"
          className="flex min-h-8 flex-wrap items-center gap-3 text-table"
        >
          <Checkbox
            label={chosen.length === 0 ? "All" : `${plural(chosen.length, "sequence")} chosen`}
            checked={chosen.length === rows.length}
            indeterminate={chosen.length > 0 && chosen.length < rows.length}
            onCheckedChange={(on) => setPicked(new Set(on ? rows.map(({ uid }) => uid) : []))}
          />
          {chosen.length > 0 && (
            <Menu
              trigger={
                <Button busy={busy} icon={<Tag aria-hidden />}>
                  Set status
                </Button>
              }
              items={statuses.map((status) => ({
                label: sequenceStatusLabels[status],
                onSelect: () =>
                  void setStatuses(
                    chosen.map((each) => ({ ...each, status })),
                    chosen,
                  ),
              }))}
            />
          )}
        </div>
      )}
      <ul aria-label="Sequences" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {rows.map((sequence) => (
          <SequenceCard
            key={sequence.uid}
            dataset={at}
            sequence={sequence}
            chosen={picked.has(sequence.uid)}
            onChoose={refused === undefined ? (on) => choose(sequence.uid, on) : null}
          />
        ))}
      </ul>
      {table.hasMore && (
        <Button className="self-start" busy={table.loadingMore} onClick={table.onLoadMore}>
          Load more
        </Button>
      )}
    </div>
  );
}
