"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { useDialogWork } from "@/components/kit/dialog-work";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { useTRPC } from "@/components/trpc/client";

interface CopyDialogProps {
  count: number;
  /** The dataset that the items are in. */
  dataset: string;
  open: boolean;
  onClose: () => void;
  onCopy: (target: string) => Promise<void>;
}

/** Chooses the dataset that items are copied to. */
export function CopyDialog({ count, dataset, open, onClose, onCopy }: CopyDialogProps) {
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const [target, setTarget] = useState<string | null>(null);
  const { busy, run } = useDialogWork(onClose);
  const { data = [], isFetching } = useQuery({
    ...trpc.exports.sources.queryOptions(search === "" ? {} : { search }),
    placeholderData: keepPreviousData,
    enabled: open,
  });
  const copy = () => {
    if (target !== null) void run(() => onCopy(target));
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Copy ${plural(count, "item")} into a dataset`}
      description="Files and metadata are copied, results are not. A name that is there already is left out and listed."
      size="sm"
      footer={<DialogActions action="Copy" busy={busy} disabled={target === null} onAction={copy} onCancel={onClose} />}
    >
      <Field label="Into">
        <Combobox
          placeholder="Choose by name"
          emptyText={search === "" ? "There is no other dataset" : "None with that name"}
          loading={isFetching}
          options={data
            .filter(({ kind, uid }) => kind === "dataset" && uid !== dataset)
            .map(({ uid, name, count: has }) => ({ value: uid, label: name, hint: plural(has, "item") }))}
          value={target}
          onSearch={setSearch}
          onValueChange={setTarget}
        />
      </Field>
    </Dialog>
  );
}
