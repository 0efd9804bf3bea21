"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Select } from "@/components/kit/select";
import { Textarea } from "@/components/kit/textarea";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { parseLabelMap } from "@/domain/models/label-map";
import { LeastScore } from "./least-score";

interface PreLabelDialogProps {
  /** Either is chosen in the dialog where it is not given. */
  project?: { uid: string; name: string };
  run?: { uid: string; name: string; dataset: string };
  onClose: () => void;
}

interface Choice {
  value: string;
  label: string;
}

/** What may be chosen: a run over the data of the project, or a project of the run's dataset. */
function useChoices({ project, run }: PreLabelDialogProps): readonly Choice[] | undefined {
  const trpc = useTRPC();
  const runs = useQuery({
    ...trpc.runs.overview.queryOptions({ project: project?.uid ?? "", limit: 50 }),
    enabled: project !== undefined,
  }).data;
  const projects = useQuery({
    ...trpc.datasets.projects.queryOptions({ dataset: run?.dataset ?? "", limit: 50 }),
    enabled: run !== undefined && project === undefined,
  }).data;
  if (project)
    return runs?.results
      .filter(({ done_count: done }) => done > 0)
      .map(({ uid, model_name: name, created_at: at }) => ({
        value: uid,
        label: `${name}, ${at.slice(0, 16).replace("T", " ")}`,
      }));
  return projects?.results.map(({ uid, name }) => ({ value: uid, label: name }));
}

/** Offers what a run predicted in the tasks of a project that nobody has begun, or takes that back. */
export function PreLabelDialog(props: PreLabelDialogProps) {
  const { project, run, onClose } = props;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [least, setLeast] = useState(0.3);
  const [labels, setLabels] = useState("");
  const [busy, setBusy] = useState<"offer" | "undo" | null>(null);
  const choices = useChoices(props);
  const choice = chosen ?? choices?.[0]?.value ?? null;
  const parsed = parseLabelMap(labels);
  const send = async (kind: "offer" | "undo") => {
    if (choice === null || !("map" in parsed)) return;
    setBusy(kind);
    try {
      const { changed } = await client.projects.preLabel.mutate({
        uid: project?.uid ?? choice,
        run: project ? choice : (run?.uid ?? ""),
        min_score: least,
        label_map: parsed.map,
        undo: kind === "undo",
      });
      const tasks = plural(changed, "task");
      toast.success(kind === "offer" ? `Predictions are offered in up to ${tasks}` : `They are taken back in ${tasks}`);
      await queryClient.invalidateQueries(trpc.tasks.pathFilter());
      onClose();
    } catch (error) {
      toast.failure(error, { title: kind === "offer" ? "Nothing was offered" : "Nothing was taken back" });
    } finally {
      setBusy(null);
    }
  };
  const none = project ? "No run over its data" : "No project labels this dataset";
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={project ? `Pre-label ${project.name}` : `Use ${run?.name ?? "the run"} as pre-labels`}
      description="What a model predicted is offered in tasks that nobody has begun. Who labels takes, changes or removes it; what nobody takes is not submitted."
      footer={
        <span className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={busy === "undo"} disabled={choice === null || busy !== null} onClick={() => void send("undo")}>
            Take back
          </Button>
          <Button
            variant="primary"
            busy={busy === "offer"}
            disabled={choice === null || "problem" in parsed || busy !== null}
            onClick={() => void send("offer")}
          >
            Offer
          </Button>
        </span>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={project ? "Run" : "Project"}>
          <Select
            options={choices ?? []}
            value={choice}
            onValueChange={setChosen}
            placeholder={choices?.length === 0 ? none : "Choose"}
          />
        </Field>
        <LeastScore value={least} onChange={setLeast} />
        <Field
          label="Labels"
          optional
          hint="Where the names differ, a line each: the run's label = the project's. Others that the project does not have are left out."
          {...("problem" in parsed && { error: parsed.problem })}
        >
          <Textarea
            mono
            rows={3}
            spellCheck={false}
            value={labels}
            onChange={(event) => setLabels(event.target.value)}
          />
        </Field>
      </div>
    </Dialog>
  );
}
