"use client";

import { useQuery } from "@tanstack/react-query";
import { PackageOpen, Plus, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { useMemo } from "react";
import { newSliceHref } from "@/components/items/filter/slice-address";
import { Button, ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { DocsTextLink } from "@/components/product/docs-link";
import { useOrigin } from "@/components/product/origin";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { exportHref, listInput, sliceHref } from "./query";
import { sliceColumns } from "./slice-columns";
import { useSliceActions } from "./use-slice-actions";

const newestFirst = "-created_at";

const createCommand = (origin: string): string => `curl ${origin}/api/v1/slices/ \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Night, wide", "dataset": "'"$DATASET"'",
       "filter_query_string": "metadata.width >= 1280 AND NOT result = accepted"}'`;

/** The datasets by name, as values of a filter. */
function useDatasetFilter(): FilterDefinition {
  const trpc = useTRPC();
  const { data = [] } = useQuery({ ...trpc.exports.sources.queryOptions({}), staleTime: 60_000 });
  return useMemo(
    () => ({
      key: "dataset",
      label: "Dataset",
      multiple: true,
      options: data.filter(({ kind }) => kind === "dataset").map(({ uid, name }) => ({ value: uid, label: name })),
    }),
    [data],
  );
}

/** Every slice of the organization, newest first, with what it holds now. */
export function SliceList() {
  const trpc = useTRPC();
  const router = useRouter();
  const origin = useOrigin();
  const [ordering, setOrdering] = useQueryState("ordering", parseAsString.withOptions({ history: "push" }));
  const ofDataset = useDatasetFilter();
  const list = useListPage({
    definitions: useMemo(() => [ofDataset], [ofDataset]),
    textKey: "search",
    query: (values) => trpc.slices.overview.infiniteQueryOptions(listInput({ ...values, ordering }), nextPage),
    probe: (values) => trpc.slices.overview.queryOptions({ ...listInput(values), limit: 1 }),
    holdsFresh: ordering === null,
  });
  const actions = useSliceActions(list.deselect);
  const { refusal } = usePermissions();
  const reason = refusal();
  const newHref = newSliceHref({ dataset: list.filters.values.dataset ?? "" });
  useShortcuts([
    refuseShortcut({ keys: "n", label: "New slice", group: "Slices", run: () => router.push(newHref) }, reason),
  ]);

  const createButton = (
    <ButtonLink href={newHref} variant="primary" icon={<Plus aria-hidden />} disabledReason={reason}>
      New slice
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Slices"
        meta={
          <>
            Questions put to datasets, always up to date.
            <DocsTextLink href={guideHref("filters")}>The filter language</DocsTextLink>
          </>
        }
        actions={list.isEmpty ? undefined : createButton}
      />
      <ListTable
        {...list.table}
        onSelect={undefined}
        list={list}
        id="slices"
        label="Slices"
        noun={["slice", "slices"]}
        columns={sliceColumns}
        rowLabel={(slice) => slice.name}
        href={(slice) => sliceHref(slice.uid)}
        ordering={ordering ?? newestFirst}
        onOrderingChange={(next) => void setOrdering(next === newestFirst ? null : next)}
        rowMenu={(slice) => actions.menu(slice, { open: true })}
        bulkActions={(uids) => {
          const rows = list.findRows(uids);
          const foreign = rows.map((row) => refusal({ author: row.created_by_uid })).find(Boolean);
          return (
            <>
              <ButtonLink href={exportHref(uids)} icon={<PackageOpen aria-hidden />} disabledReason={reason}>
                Export
              </ButtonLink>
              <Button
                variant="danger-quiet"
                icon={<Trash2 aria-hidden />}
                disabledReason={foreign}
                onClick={() => actions.confirmDelete(rows)}
              >
                Delete
              </Button>
            </>
          );
        }}
        filterBar={{ label: "Filter slices", placeholder: "Filter by name or dataset" }}
        tools={
          <>
            <SavedViews screen="slices" />
          </>
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No slices yet"
            description="A slice is a question put to a dataset. It copies nothing and stays true."
            action={createButton}
            curl={{ command: createCommand(origin), guide: guideHref("filters") }}
          />
        }
      />
      {actions.dialogs}
    </>
  );
}
