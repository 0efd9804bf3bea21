"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { Field } from "@/components/kit/field";
import { formatNumber, plural } from "@/components/kit/format";
import { useTRPC } from "@/components/trpc/client";
import { sourcesInput } from "../query";
import { explainSource, type Source } from "./task-types";

/** The chosen datasets and slices, with what is known of them; undefined until it is. */
export function useChosenDatasets(chosen: readonly string[]): readonly Source[] | undefined {
  const trpc = useTRPC();
  return useQuery({
    ...trpc.projects.sources.queryOptions(sourcesInput(chosen)),
    placeholderData: keepPreviousData,
  }).data?.filter(({ uid }) => chosen.includes(uid));
}

/** The datasets and slices of a project, in the order in which its tasks are made. */
export function DatasetPicker(props: {
  chosen: readonly string[];
  sources: readonly Source[] | undefined;
  onAdd: (source: Source) => void;
  onRemove: (uid: string) => void;
  error: string | undefined;
}) {
  const { chosen, sources = [], onAdd, onRemove, error } = props;
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const { data: offered = [], isFetching } = useQuery({
    ...trpc.projects.sources.queryOptions(sourcesInput(chosen, search)),
    placeholderData: keepPreviousData,
  });
  const whole = new Set(sources.filter(({ kind }) => kind === "dataset").map(({ uid }) => uid));
  // What is annotated as a whole has its slices.
  const options = offered.filter(({ uid, dataset }) => !chosen.includes(uid) && !whole.has(dataset));
  return (
    <Field label="Datasets and slices" {...(error !== undefined && { error })}>
      {chosen.length > 0 && (
        <ul aria-label="Chosen data" className="flex flex-col gap-1">
          {chosen.map((uid) => {
            const source = sources.find((each) => each.uid === uid);
            const name = source?.name ?? uid;
            return (
              <li
                key={uid}
                className="flex min-h-8 min-w-0 items-center gap-2 rounded-control bg-selected pl-2 text-table"
              >
                <span className="min-w-0 flex-1 truncate" title={name}>
                  {name}
                  {source?.kind === "slice" && <span className="text-muted"> of {source.dataset_name}</span>}
                </span>
                {source && (
                  <span className="shrink-0 text-muted tabular-nums">{formatNumber(source.item_count, 0)}</span>
                )}
                <button
                  type="button"
                  aria-label={`Remove ${name}`}
                  className="flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:text-foreground"
                  onClick={() => onRemove(uid)}
                >
                  <X aria-hidden className="size-3.5" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <Combobox
        key={chosen.length}
        placeholder="Add by name"
        emptyText={search === "" ? "There is nothing else" : "None with that name"}
        loading={isFetching}
        options={options.map((source) => ({
          value: source.uid,
          label: source.name,
          hint:
            explainSource(source) ??
            `${source.kind === "slice" ? `slice of ${source.dataset_name}, ` : ""}${plural(source.item_count, "item")}`,
        }))}
        value={null}
        onSearch={setSearch}
        onValueChange={(uid) => {
          setSearch("");
          const source = options.find((each) => each.uid === uid);
          if (source) onAdd(source);
        }}
      />
    </Field>
  );
}
