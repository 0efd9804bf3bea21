"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Combobox } from "@/components/kit/combobox";
import { Field } from "@/components/kit/field";
import { formatNumber, plural } from "@/components/kit/format";
import { useTRPC } from "@/components/trpc/client";
import { listChosen, withoutSource, withSource, type Draft, type Source } from "./draft";

const describe = ({ kind, count, dataset }: Source): string =>
  kind === "project"
    ? `project, ${plural(count, "task")}`
    : kind === "slice"
      ? `slice of ${dataset ?? ""}, ${plural(count, "item")}`
      : `dataset, ${plural(count, "item")}`;

/** The sources that are named in the address, with their names. */
export function useChosenSources({ datasets, slices, projects }: Draft): readonly Source[] {
  const trpc = useTRPC();
  const uids = [...datasets, ...slices, ...projects];
  return (
    useQuery({
      ...trpc.exports.chosenSources.queryOptions({ uids }),
      enabled: uids.length > 0,
      placeholderData: keepPreviousData,
    }).data ?? []
  );
}

/** Datasets, slices and projects, mixed, by name and as chips. */
export function SourcePicker(props: {
  draft: Draft;
  chosen: readonly Source[];
  onChange: (change: Partial<Draft>) => void;
  error: string | undefined;
}) {
  const { draft, chosen, onChange, error } = props;
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const { data: offered = [], isFetching } = useQuery({
    ...trpc.exports.sources.queryOptions(search ? { search } : {}),
    placeholderData: keepPreviousData,
  });
  const list = listChosen(draft, [...chosen, ...offered]);
  const taken = new Set(list.map(({ uid }) => uid));
  return (
    <Field
      label="Datasets, slices and projects"
      hint="An item that is in several of them is exported once."
      error={error}
    >
      {list.length > 0 && (
        <ul aria-label="Sources" className="flex flex-col gap-1">
          {list.map(({ kind, uid, source }) => (
            <li
              key={uid}
              className="flex min-h-8 min-w-0 items-center gap-2 rounded-control bg-selected pl-2 text-table"
            >
              <Badge className="shrink-0">{kind}</Badge>
              <span className="min-w-0 flex-1 truncate" title={source?.name ?? uid}>
                {source?.name ?? uid}
              </span>
              {source && <span className="shrink-0 text-muted tabular-nums">{formatNumber(source.count)}</span>}
              <button
                type="button"
                aria-label={`Remove ${source?.name ?? uid}`}
                className="flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:text-foreground"
                onClick={() => onChange(withoutSource(draft, { kind, uid }))}
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        key={list.length}
        placeholder="Add by name"
        emptyText={search ? "None with that name" : "There is no dataset yet"}
        loading={isFetching}
        options={offered
          .filter(({ uid }) => !taken.has(uid))
          .map((source) => ({ value: source.uid, label: source.name, hint: describe(source) }))}
        value={null}
        onSearch={setSearch}
        onValueChange={(uid) => {
          const source = offered.find((each) => each.uid === uid);
          setSearch("");
          if (source) onChange(withSource(draft, source));
        }}
      />
    </Field>
  );
}
