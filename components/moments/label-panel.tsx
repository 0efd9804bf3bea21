"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ErrorState } from "@/components/product/error-state";
import { newProjectHref } from "@/components/product/new-project-address";
import { toast } from "@/components/product/toast";
import { useTRPCClient } from "@/components/trpc/client";
import { DatasetChoice, useDatasetChoice } from "./dataset-choice";
import { PanelFoot } from "./panel-foot";
import { ProjectChoice, useProjectChoice } from "./project-choice";
import { describeMany, toRateInput, type ManySource, type MomentTarget } from "./source";
import { useAddMoment } from "./use-add-moment";

/** Chooses where the pictures of moments are labelled: in a project that exists, or in one that is made of their dataset. */
export default function LabelPanel(props: {
  source: ManySource;
  /** What a dataset for them is called. */
  name: string;
  /** They are in a project; `added` is the addition, where there was something to add. */
  onDone: (project: string, added: string | null) => void;
}) {
  const { source, name, onDone } = props;
  const client = useTRPCClient();
  const router = useRouter();
  const offer = useProjectChoice();
  const { choice } = offer;
  const [search, setSearch] = useState(name);
  const [picked, setPicked] = useState<MomentTarget | "new" | null>(null);
  const datasets = useDatasetChoice(search, picked);
  const { busy, add } = useAddMoment();
  const [isCreating, setCreating] = useState(false);
  const isNew = choice === "new";
  const to = isNew ? datasets.choice : choice && { target: choice };
  const input = { ...source.of, ...toRateInput("first") };
  const dataset = to !== null && "target" in to ? to.target.uid : undefined;
  const query = useQuery({
    queryKey: ["moments.previewMany", input, dataset],
    queryFn: () => client.moments.previewMany.mutate({ ...input, dataset }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const preview = query.data;
  const hasAll = preview !== undefined && preview.moments > 0 && preview.present === preview.moments;
  const isReady = preview !== undefined && preview.refused === null && preview.frames > 0 && to !== null;

  const submit = async () => {
    if (!isReady || busy || isCreating) return;
    setCreating(true);
    try {
      const target =
        "target" in to ? to.target : await client.moments.createTarget.mutate({ name: to.name, data_type: "image" });
      const added = hasAll && !query.isPlaceholderData ? null : await add(target, { kind: "many", input });
      if (added === undefined) return;
      if (isNew) router.push(newProjectHref({ dataset: target.uid }));
      else if (choice) onDone(choice.project, added);
    } catch (error) {
      toast.failure(error, { title: "The dataset was not created" });
    } finally {
      setCreating(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <ProjectChoice offer={offer} />
      {isNew && (
        <DatasetChoice
          search={search}
          setSearch={(next) => {
            setSearch(next);
            setPicked(null);
          }}
          pick={setPicked}
          offer={datasets}
        />
      )}
      <p className="text-meta text-subtle">
        The first picture of each camera at {source.label}. “Add to dataset” takes others.
      </p>
      {query.error && !preview && (
        <ErrorState
          error={query.error}
          title="This could not be counted"
          onRetry={() => void query.refetch()}
          className="py-2"
        />
      )}
      <PanelFoot
        line={preview ? describeMany(preview) : query.error ? "" : "Counting…"}
        busy={busy || isCreating}
        ready={isReady}
      >
        {isNew ? "New project" : "Label"}
      </PanelFoot>
    </form>
  );
}
