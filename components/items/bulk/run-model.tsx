"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { useDialogWork } from "@/components/kit/dialog-work";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Select } from "@/components/kit/select";
import { readFailure } from "@/components/product/failure";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { countSelected, toInput, type BulkSelection } from "./selection";

interface RunModelProps {
  dataset: string;
  /** The items; none for all of the dataset. */
  selection: BulkSelection | null;
  open: boolean;
  onClose: () => void;
  /** Called when the items of a filter are other ones by now. */
  onMoved?: (() => void) | undefined;
}

/** Chooses the model that runs over a dataset, or over some of its items, in the background. */
export function RunModel({ dataset, selection, open, onClose, onMoved }: RunModelProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const { busy, run } = useDialogWork(onClose);
  const { data } = useQuery({ ...trpc.models.pipelines.queryOptions(), enabled: open });
  const model = chosen ?? data?.[0]?.uid ?? null;
  const start = () =>
    void run(async () => {
      if (model === null) return;
      try {
        await client.models.run.mutate({
          integration: model,
          over: selection ? toInput(dataset, selection) : { dataset },
        });
      } catch (error) {
        toast.failure(error, { title: "The run was not started" });
        if (readFailure(error).status === 409) onMoved?.();
        throw error;
      }
      toast.success("The model is running over the items");
      await queryClient.invalidateQueries(trpc.datasets.runs.pathFilter());
    });
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={
        selection ? `Run a model over ${plural(countSelected(selection), "item")}` : "Run a model over the dataset"
      }
      description="Items and results stay as they are: predictions are kept beside them."
      size="sm"
      footer={<DialogActions action="Run" busy={busy} disabled={model === null} onAction={start} onCancel={onClose} />}
    >
      <Field label="Model">
        <Select
          options={(data ?? []).map(({ uid, name, model_name: of }) => ({ value: uid, label: `${of}, ${name}` }))}
          value={model}
          onValueChange={setChosen}
          placeholder={data?.length === 0 ? "There is no model" : "Choose"}
        />
      </Field>
    </Dialog>
  );
}
