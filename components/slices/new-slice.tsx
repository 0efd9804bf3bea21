"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryStates } from "nuqs";
import { useId, useState } from "react";
import { FilterBox } from "@/components/items/filter/filter-box";
import { ItemCount } from "@/components/items/filter/item-count";
import { useItemCount } from "@/components/items/filter/use-item-count";
import { Button } from "@/components/kit/button";
import { Combobox } from "@/components/kit/combobox";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { leave } from "@/components/kit/leaving";
import { PageBody, PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { readFailure } from "@/components/product/failure";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { messageAt, type Issue } from "@/domain/issues";
import { maxNameLength } from "@/domain/limits";
import { sliceHref, sliceList } from "./query";

const parsers = {
  dataset: parseAsString.withDefault(""),
  filter_query_string: parseAsString.withDefault(""),
  name: parseAsString.withDefault(""),
  description: parseAsString.withDefault(""),
};

/** The datasets that a slice can be made of, those of a name first, and the chosen one in any case. */
function useDatasets(chosen: string, search: string) {
  const trpc = useTRPC();
  const offered = useQuery({
    ...trpc.exports.sources.queryOptions(search === "" ? {} : { search }),
    placeholderData: keepPreviousData,
  });
  const named = useQuery({
    ...trpc.exports.chosenSources.queryOptions({ uids: [chosen] }),
    enabled: chosen !== "",
  });
  const all = [...(offered.data ?? []), ...(named.data ?? [])].filter(({ kind }) => kind === "dataset");
  return {
    loading: offered.isFetching,
    datasets: all.filter(({ uid }, at) => all.findIndex((each) => each.uid === uid) === at),
  };
}

/** Makes a slice; what is typed stays in the address, so that it survives a reload. */
export function NewSlice() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const filterId = useId();
  const [draft, setDraft] = useQueryStates(parsers, {
    history: "replace",
    throttleMs: 200,
  });
  const [search, setSearch] = useState("");
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const { dataset, filter_query_string: filter, name, description } = draft;
  const { datasets, loading } = useDatasets(dataset, search);
  const chosen = dataset === "" ? [] : [dataset];
  const counted = useItemCount({ datasets: chosen, slices: [], projects: [], filter });
  const refused = usePermissions().refusal();
  const reason =
    refused ??
    (dataset === "" ? "Choose a dataset first." : name.trim() === "" ? "Name it first." : undefined) ??
    (counted.state === "invalid" ? "The filter cannot be read yet." : undefined);

  const change = (next: Partial<typeof draft>) => {
    setIssues([]);
    void setDraft(next);
  };
  const submit = async () => {
    if (reason !== undefined || busy) return;
    setBusy(true);
    try {
      const { uid } = await client.slices.create.mutate({ ...draft, name: name.trim() });
      await queryClient.invalidateQueries(trpc.slices.pathFilter());
      leave(() => router.push(sliceHref(uid)));
    } catch (error) {
      const failure = readFailure(error);
      setIssues(failure.issues);
      if (failure.issues.length === 0) toast.failure(error, { title: "The slice was not made" });
      setBusy(false);
    }
  };
  useShortcuts([
    { keys: "mod+enter", label: "Make the slice", group: "New slice", everywhere: true, run: () => void submit() },
  ]);
  const filterError = messageAt(issues, "filter_query_string");
  return (
    <>
      <PageHeader title="New slice" trail={[sliceList]} />
      <PageBody>
        <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-5">
            <Field label="Dataset" error={messageAt(issues, "dataset")}>
              <Combobox
                placeholder="Choose by name"
                emptyText={search === "" ? "There is no dataset yet" : "None with that name"}
                loading={loading}
                options={datasets.map(({ uid, name: label, count }) => ({
                  value: uid,
                  label,
                  hint: plural(count, "item"),
                }))}
                value={dataset === "" ? null : dataset}
                onSearch={setSearch}
                onValueChange={(uid) => {
                  setSearch("");
                  change({ dataset: uid ?? "" });
                }}
              />
            </Field>
            <div className="flex min-w-0 flex-col gap-1.5">
              <span className="text-table font-medium">
                Filter <span className="font-normal text-subtle">(optional)</span>
              </span>
              <FilterBox
                id={filterId}
                datasets={chosen}
                value={filter}
                onChange={(text) => change({ filter_query_string: text })}
                onRun={counted.again}
                label="Filter items"
              />
              {filterError !== undefined && (
                <p role="alert" className="text-meta text-critical-text">
                  {filterError}
                </p>
              )}
            </div>
            <Field label="Name" error={messageAt(issues, "name")}>
              <Input
                value={name}
                maxLength={maxNameLength}
                autoComplete="off"
                onValueChange={(text) => change({ name: text })}
              />
            </Field>
            <Field label="Description" optional error={messageAt(issues, "description")}>
              <Input value={description} autoComplete="off" onValueChange={(text) => change({ description: text })} />
            </Field>
            <div>
              <Button variant="primary" busy={busy} disabledReason={reason} onClick={() => void submit()}>
                Create slice
              </Button>
            </div>
          </div>
          <div className="min-w-0">
            {dataset === "" ? (
              <p className="text-table text-muted">Choose a dataset to see what the slice holds.</p>
            ) : (
              <ItemCount counted={counted} filter={filter} onChange={(text) => change({ filter_query_string: text })} />
            )}
          </div>
        </div>
      </PageBody>
    </>
  );
}
