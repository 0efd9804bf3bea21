"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useMemo, useState, type ReactNode } from "react";
import { itemHref, toGridPlace } from "@/components/items/item-links";
import type { ItemSelection, ItemSource } from "@/components/items/item-source";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { useSelected } from "@/components/kit/drawer";
import { plural } from "@/components/kit/format";
import { leave } from "@/components/kit/leaving";
import { useNarrow } from "@/components/kit/media-query";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Skeleton } from "@/components/kit/skeleton";
import { FreshPill } from "@/components/list/data-table-notices";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { bothFilters } from "./filter-parts";
import { FirstCells } from "./first-cells";
import { cellSizes, isOfRun, listColourings, useGridAddress } from "./grid-address";
import { GridEmpty } from "./grid-empty";
import { GridFilter } from "./grid-filter";
import { GridToolbar, type GridShow } from "./grid-toolbar";
import { ItemDrawer } from "./item-drawer";
import { ItemFacets } from "./item-facets";
import { ItemGridRows } from "./item-grid-rows";
import { SelectionBar } from "./selection-bar";
import { useItemSurvey } from "./use-item-survey";
import { useItemRuns } from "./use-predictions";

export interface ItemGridProps {
  source: ItemSource;
  /** What can be done with the chosen items, such as changing their metadata. */
  selectionActions?: (selection: ItemSelection, clear: () => void) => ReactNode;
  /** What fills a dataset that is empty. */
  emptyAction?: ReactNode;
}

/** The items of a dataset, however many: filtered, ordered, coloured, chosen. Its state is in the address. */
export function ItemGrid({ source, selectionActions, emptyAction }: ItemGridProps) {
  const { dataset, filter: base = "", locked = false } = source;
  const router = useRouter();
  const narrow = useNarrow();
  const address = useGridAddress();
  const [selected, select] = useSelected();
  const [facets, setFacets] = useState(true);
  const [sheet, setSheet] = useState(false);
  const [show, setShow] = useState<GridShow>({ shapes: true, names: true });
  const runs = useItemRuns(dataset);
  const { filter, setFilter, ordering, size, colouring, view } = address;
  const matching = bothFilters(base, filter);
  const query = useMemo(() => ({ dataset, filter: matching, ordering }), [dataset, matching, ordering]);
  const { survey, timedOut, error, fetching, fresh, renew } = useItemSurvey(query);
  // Only the server asks for them, when it renders the page.
  const first = useQuery({ ...useTRPC().items.first.queryOptions(query), enabled: false }).data?.rows;

  const colourings = listColourings(runs.length > 0);
  // A colour that is of a run, and no run: the newest.
  const run = address.run ?? (isOfRun(colouring) ? (runs[0]?.uid ?? null) : null);
  const toggleFacets = () => (narrow ? setSheet(!sheet) : setFacets(!facets));
  const group = "Items";
  useShortcuts([
    { keys: "f", label: "Show or hide facets", group, run: toggleFacets },
    { keys: "v", label: "Grid or table", group, run: () => address.setView(view === "grid" ? "table" : "grid") },
    {
      keys: "c",
      label: "Colour by the next",
      group,
      run: () => address.setColouring(colourings[(colourings.indexOf(colouring) + 1) % colourings.length] ?? "none"),
    },
    { keys: "+", label: "Larger pictures", group, run: () => address.setSize(size + cellSizes.step) },
    { keys: "-", label: "Smaller pictures", group, run: () => address.setSize(size - cellSizes.step) },
    // Where there is nothing to select, the text of the page is not marked either.
    { keys: "mod+a", label: "Select all that match", group, hidden: true, when: () => !survey?.count, run: () => {} },
  ]);

  const facetList = (
    <ItemFacets
      dataset={dataset}
      base={base}
      filter={filter}
      onChange={setFilter}
      count={survey?.count ?? 0}
      version={survey?.newest ?? null}
    />
  );
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      {facets && !narrow && (
        <aside aria-label="Facets" className="w-60 shrink-0 overflow-y-auto border-r px-4 py-3 max-sm:hidden">
          {facetList}
        </aside>
      )}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <div className="flex shrink-0 flex-col gap-2 border-b px-4 py-2 sm:px-6">
          {!locked && <GridFilter dataset={dataset} value={filter} onRun={setFilter} />}
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <GridToolbar
              address={address}
              facets={narrow ? sheet : facets}
              onFacetsChange={toggleFacets}
              show={show}
              onShowChange={setShow}
              runs={runs}
              run={run}
            />
            <span role="status" className="text-table text-muted tabular-nums">
              {survey ? plural(survey.count, "item") : fetching ? "Counting…" : ""}
            </span>
            {fresh > 0 && <FreshPill count={fresh} onShow={() => void renew()} />}
          </div>
        </div>
        {survey && survey.count > 0 ? (
          <ItemGridRows
            query={query}
            survey={survey}
            beginning={first}
            address={address}
            show={show}
            run={run}
            label="Items"
            onOpen={select}
            onOpenPage={(uid) => {
              const href = itemHref(source, uid, { ...toGridPlace(query), run: address.run });
              leave(() => router.push(href));
            }}
            selectionBar={({ selection, count, all, chooseAll, clear }) => (
              <SelectionBar count={count} all={all} total={survey.count} onAll={chooseAll} onClear={clear}>
                {selection && selectionActions?.(selection, clear)}
              </SelectionBar>
            )}
          />
        ) : survey ? (
          <GridEmpty dataset={dataset} base={base} filter={filter} onChange={setFilter} action={emptyAction} />
        ) : error ? (
          <div className="px-4 py-4 sm:px-6">
            <ErrorState error={error} title="The items could not be counted" onRetry={() => void renew()} />
          </div>
        ) : timedOut ? (
          <div className="flex flex-wrap items-center gap-3 px-4 py-10 text-table text-muted sm:px-6">
            Finding what this filter holds takes longer than 10 s and was stopped.
            <Button onClick={() => void renew()}>Try again</Button>
          </div>
        ) : first && view === "grid" ? (
          <FirstCells items={first} size={size} />
        ) : (
          <Skeleton className="m-4 h-64 sm:m-6" />
        )}
      </div>
      {narrow && (
        <Dialog open={sheet} onOpenChange={setSheet} title="Facets">
          {facetList}
        </Dialog>
      )}
      <ItemDrawer source={source} query={query} run={address.run} uid={selected} onClose={() => select(null)} />
    </div>
  );
}
