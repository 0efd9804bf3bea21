"use client";

import { CopyPlus, Plus, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { useMemo } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { useLatest } from "@/components/kit/latest";
import { PageHeader } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useStaleSince } from "@/components/live/liveness";
import { useOrigin } from "@/components/product/origin";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { exportStatuses } from "@/domain/exports/schema";
import { createCommand } from "./commands";
import { exportColumns } from "./export-columns";
import { ExportDrawer } from "./export-drawer";
import { pollMs } from "./export-watch";
import { exportLooks, isUnderWay } from "./labels";
import { exportHref, listInput } from "./query";
import { useExportActions } from "./use-export-actions";

const definitions: readonly FilterDefinition[] = [
  {
    key: "status",
    label: "Status",
    multiple: true,
    options: exportStatuses.map((value) => ({ value, label: exportLooks[value].label })),
  },
];
const newestFirst = "-created_at";

/** Every export of the organization, newest first, updated while it is open. */
export function ExportList() {
  const trpc = useTRPC();
  const router = useRouter();
  const origin = useOrigin();
  const stale = useStaleSince() !== null;
  const [ordering, setOrdering] = useQueryState("ordering", parseAsString.withOptions({ history: "push" }));
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) =>
      trpc.exports.overview.infiniteQueryOptions(listInput({ ...values, ordering }), {
        ...nextPage,
        refetchInterval: ({ state }) =>
          stale && state.data?.pages.some((page) => page.results.some(isUnderWay)) ? pollMs : false,
      }),
    probe: (values) => trpc.exports.overview.queryOptions({ ...listInput(values), limit: 1 }),
    holdsFresh: ordering === null,
  });
  const actions = useExportActions({ onDeleted: list.deselect, onMade: list.showOwn });
  const [abort, retry] = [useLatest(actions.abort), useLatest(actions.retry)];
  const columns = useMemo(() => exportColumns({ abort, retry }), [abort, retry]);
  const { refusal } = usePermissions();
  const reason = refusal();
  const group = "Exports";
  useShortcuts([
    refuseShortcut({ keys: "n", label: "New export", group, run: () => router.push("/exports/new") }, reason),
    {
      keys: "y",
      label: "Copy the curl command of the open export",
      group,
      run: () => list.selectedRow && actions.copyCommand(list.selectedRow),
    },
  ]);

  const createButton = (
    <ButtonLink href="/exports/new" variant="primary" icon={<Plus aria-hidden />} disabledReason={reason}>
      New export
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title="Exports" actions={list.isEmpty ? undefined : createButton} />
      <ListTable
        {...list.table}
        list={list}
        id="exports"
        label="Exports"
        noun={["export", "exports"]}
        columns={columns}
        rowLabel={(of) => of.name}
        href={(of) => exportHref(of.uid)}
        ordering={ordering ?? newestFirst}
        onOrderingChange={(next) => void setOrdering(next === newestFirst ? null : next)}
        rowMenu={(of) => actions.menu(of, { open: true })}
        bulkActions={(uids, clear) => (
          <>
            <Button
              icon={<CopyPlus aria-hidden />}
              disabledReason={reason}
              onClick={() => void actions.repeat(list.findRows(uids)).then(clear)}
            >
              Repeat
            </Button>
            <Button
              variant="danger-quiet"
              icon={<Trash2 aria-hidden />}
              disabledReason={reason}
              onClick={() => actions.confirmDelete(list.findRows(uids))}
            >
              Delete
            </Button>
          </>
        )}
        filterBar={{ label: "Filter exports", placeholder: "Filter by name or status" }}
        tools={
          <>
            <SavedViews screen="exports" />
          </>
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No exports yet"
            description="An export is a file that training reads."
            action={createButton}
            curl={{ command: createCommand(origin), guide: guideHref("data-loop") }}
          />
        }
      />
      <ExportDrawer uid={list.selected} row={list.selectedRow} actions={actions} onClose={() => list.select(null)} />
      {actions.dialogs}
    </>
  );
}
