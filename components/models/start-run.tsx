"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { useDialogWork } from "@/components/kit/dialog-work";
import { Field } from "@/components/kit/field";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { DatasetChoice } from "./dataset-choice";
import { runHref } from "./query";

interface StartRunProps {
  integration: string;
  name: string;
  onClose: () => void;
}

/** Chooses the dataset that a model runs over, in the background. */
export function StartRun({ integration, name, onClose }: StartRunProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [dataset, setDataset] = useState<string | null>(null);
  const { busy, run } = useDialogWork(onClose);
  const start = () =>
    void run(async () => {
      if (dataset === null) return;
      try {
        const [made] = await client.models.run.mutate({ integration, over: { dataset } });
        if (made) router.push(runHref(made.uid));
      } catch (error) {
        toast.failure(error, { title: "The run was not started" });
        throw error;
      }
      await queryClient.invalidateQueries(trpc.runs.pathFilter());
    });
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Run ${name}`}
      description="Over all items of a dataset. For some of them, narrow or select them there, or open a slice, and choose Run a model. Results of people stay as they are."
      size="sm"
      footer={
        <DialogActions action="Run" busy={busy} disabled={dataset === null} onAction={start} onCancel={onClose} />
      }
    >
      <Field label="Dataset">
        <DatasetChoice value={dataset} onValueChange={setDataset} />
      </Field>
    </Dialog>
  );
}
