"use client";

import { runLooks } from "@/components/datasets/labels";
import { ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { toOptions } from "@/components/kit/options";
import { PageHeader } from "@/components/kit/page-header";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useTRPC } from "@/components/trpc/client";
import { runHref, runListInput } from "./query";
import { runColumns } from "./run-columns";
import { useRunActions } from "./use-run-actions";

const { pending, running, completed, failed } = runLooks;
const definitions: readonly FilterDefinition[] = [
  {
    key: "status",
    label: "Status",
    options: toOptions({
      pending: pending.label,
      running: running.label,
      completed: completed.label,
      failed: failed.label,
    }),
    multiple: true,
  },
];

/** The table of runs, of all models or of one. */
export function RunTable({ model }: { model?: string }) {
  const trpc = useTRPC();
  const list = useListPage({
    definitions,
    query: (values) => trpc.runs.overview.infiniteQueryOptions(runListInput(values, model), nextPage),
    probe: (values) => trpc.runs.overview.queryOptions({ ...runListInput(values, model), limit: 1 }),
  });
  const actions = useRunActions((uid) => list.deselect([uid]));
  return (
    <>
      <ListTable
        {...list.table}
        list={list}
        id="runs"
        label="Runs"
        noun={["run", "runs"]}
        columns={runColumns}
        rowLabel={(run) => `${run.model_name} over ${run.dataset_name ?? "a deleted dataset"}`}
        href={(run) => runHref(run.uid)}
        rowMenu={(run) => actions.menu(run, { open: true })}
        filterBar={{ label: "Filter runs", placeholder: "Filter by status" }}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No runs yet"
            description="A model marks what it finds in items. Choose a model and a dataset."
            action={model === undefined ? <ButtonLink href="/models">Choose a model</ButtonLink> : undefined}
          />
        }
      />
      {actions.dialogs}
    </>
  );
}

/** Every run of a model over data that the person sees. */
export function RunList() {
  return (
    <>
      <PageHeader title="Runs" trail={[{ label: "Models", href: "/models" }]} meta="Uses of models on datasets." />
      <RunTable />
    </>
  );
}
