"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { formatNumber, plural } from "@/components/kit/format";
import { readFailure } from "@/components/product/failure";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { CopyDialog } from "./copy-dialog";
import { MetadataDialog } from "./metadata-dialog";
import { countSelected, toInput, type BulkSelection } from "./selection";

type BulkEdit = Outputs["items"]["edit"];

export interface BulkEditsOptions {
  /** The dataset of the items. */
  dataset: string;
  /** Called when a change was started, so that the selection can be cleared. */
  onStarted?: () => void;
  /** Called when the items of a filter are other ones by now. */
  onMoved?: () => void;
}

export interface BulkEdits {
  setMetadata: (selection: BulkSelection) => void;
  copy: (selection: BulkSelection) => void;
  confirmDelete: (selection: BulkSelection) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What can be done with many items at a time. Each change runs in the background; `BulkEditList` shows how far it is. */
export function useBulkEdits({ dataset, onStarted, onMoved }: BulkEditsOptions): BulkEdits {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [selection, setSelection] = useState<BulkSelection>({ uids: [] });
  const [kind, setKind] = useState<"metadata" | "copy" | "delete" | null>(null);
  const count = countSelected(selection);
  const close = () => setKind(null);
  const open = (next: "metadata" | "copy" | "delete") => (chosen: BulkSelection) => {
    setSelection(chosen);
    setKind(next);
  };
  const refresh = () => queryClient.invalidateQueries(trpc.items.edits.pathFilter());

  const undo = async (edit: BulkEdit) => {
    try {
      await client.items.undoEdit.mutate({ uid: edit.uid });
    } catch (error) {
      toast.failure(error, { title: "The change was not undone", onRetry: () => void undo(edit) });
    }
    await refresh();
  };
  /** Starts a change; a refusal is shown and rethrown, so that its dialog stays open. */
  const start = async (work: () => Promise<BulkEdit>): Promise<BulkEdit> => {
    try {
      const edit = await work();
      await refresh();
      onStarted?.();
      return edit;
    } catch (error) {
      toast.failure(error, { title: "Nothing was changed" });
      if (readFailure(error).status === 409) onMoved?.();
      throw error;
    }
  };
  const input = () => toInput(dataset, selection);
  const set = async (metadata: Record<string, unknown>) => {
    const edit = await start(() => client.items.updateMany.mutate({ ...input(), metadata }));
    toast.undo(`Metadata of ${plural(edit.total_count, "item")} is being set`, () => void undo(edit));
  };
  const copy = async (target: string) => {
    const edit = await start(() => client.items.copyTo.mutate({ ...input(), target }));
    const way = edit.total_count === 1 ? "on its way" : "on their way";
    toast.success(`${plural(edit.total_count, "item")} ${way} to ${edit.target_name ?? "the dataset"}`);
  };
  const remove = async () => {
    const edit = await start(() => client.items.deleteMany.mutate(input()));
    toast.success(`${plural(edit.total_count, "item")} are being deleted`);
  };

  const key = `${kind ?? ""} ${count}`;
  const dialogs = (
    <>
      {kind === "metadata" && <MetadataDialog key={key} open count={count} onClose={close} onSet={set} />}
      {kind === "copy" && <CopyDialog key={key} open count={count} dataset={dataset} onClose={close} onCopy={copy} />}
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(isOpen) => !isOpen && close()}
        title={`Delete ${plural(count, "item")}?`}
        description="Their files, results and predictions are deleted with them. This cannot be undone. Items with an open task stay and are listed."
        action={`Delete ${plural(count, "item")}`}
        typeToConfirm={formatNumber(count, 0)}
        onConfirm={remove}
      />
    </>
  );
  return { setMetadata: open("metadata"), copy: open("copy"), confirmDelete: open("delete"), dialogs };
}
