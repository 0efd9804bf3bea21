"use client";

import { PackageOpen, Plus, Trash2 } from "lucide-react";
import { parseAsString, useQueryState } from "nuqs";
import { Suspense } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrigin } from "@/components/product/origin";
import { refuseShortcut } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { dataTypes, datasetStatuses } from "@/domain/datasets/schema";
import { guideHref } from "@/domain/docs/guides";
import { datasetColumns } from "./dataset-columns";
import { datasetLooks, dataTypeLabels } from "./labels";
import { datasetHref, exportHref, listInput } from "./query";
import { useDatasetActions } from "./use-dataset-actions";

// Loaded when a dataset is made, because it brings the form library.
const NewDataset = lazyDialog(async () => (await import("./new-dataset")).NewDataset);

const definitions: readonly FilterDefinition[] = [
  {
    key: "data_type",
    label: "Type",
    multiple: true,
    options: dataTypes.map((value) => ({ value, label: dataTypeLabels[value].label })),
  },
  {
    key: "status",
    label: "Status",
    multiple: true,
    options: datasetStatuses.map((value) => ({ value, label: datasetLooks[value].label })),
  },
];
const newestFirst = "-created_at";

const createCommand = (origin: string): string => `curl ${origin}/api/v1/datasets/ \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Yard crossings", "data_type": "image"}'`;

/** Every dataset of the organization that the person sees, newest first. */
export function DatasetList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const [ordering, setOrdering] = useQueryState("ordering", parseAsString.withOptions({ history: "push" }));
  const [making, setMaking] = useQueryState("new", parseAsString.withOptions({ history: "push" }));
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) => trpc.datasets.overview.infiniteQueryOptions(listInput({ ...values, ordering }), nextPage),
    probe: (values) => trpc.datasets.overview.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const actions = useDatasetActions(list.deselect);
  const openNew = () => void setMaking("1");
  useShortcuts([refuseShortcut({ keys: "n", label: "New dataset", group: "Datasets", run: openNew }, actions.reason)]);
  const newButton = (
    <Button variant="primary" icon={<Plus aria-hidden />} disabledReason={actions.reason} onClick={openNew}>
      New dataset
    </Button>
  );
  return (
    <>
      <PageHeader title="Datasets" actions={list.isEmpty ? undefined : newButton} />
      <ListTable
        {...list.table}
        onSelect={undefined}
        list={list}
        id="datasets"
        label="Datasets"
        noun={["dataset", "datasets"]}
        columns={datasetColumns}
        rowLabel={(of) => of.name}
        href={datasetHref}
        ordering={ordering ?? newestFirst}
        onOrderingChange={(next) => void setOrdering(next === newestFirst ? null : next)}
        rowMenu={(of) => actions.menu(of, { open: true })}
        bulkActions={(uids) => (
          <>
            <ButtonLink
              href={exportHref(uids)}
              icon={<PackageOpen aria-hidden />}
              disabledReason={actions.exportReason}
            >
              Export
            </ButtonLink>
            <Button
              variant="danger-quiet"
              icon={<Trash2 aria-hidden />}
              disabledReason={actions.reason}
              onClick={() => actions.confirmDelete(list.findRows(uids))}
            >
              Delete
            </Button>
          </>
        )}
        filterBar={{ label: "Filter datasets", placeholder: "Filter by name, type or status" }}
        tools={
          <>
            <SavedViews screen="datasets" />
          </>
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No datasets yet"
            description="A dataset is what models learn from: pictures, videos, clouds or recordings, and what people say of them."
            action={newButton}
            curl={{ command: createCommand(origin), guide: guideHref("data-loop") }}
          />
        }
      />
      {making !== null && (
        <Suspense>
          <NewDataset onClose={() => void setMaking(null)} />
        </Suspense>
      )}
      {actions.dialogs}
    </>
  );
}
