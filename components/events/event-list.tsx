"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Tag, Trash2 } from "lucide-react";
import { parseAsString, useQueryState, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { useSelected } from "@/components/kit/drawer";
import { EmptyState } from "@/components/kit/empty-state";
import { FilterBar } from "@/components/kit/filter-bar";
import { useFilters } from "@/components/kit/filters";
import { PageHeader } from "@/components/kit/page-header";
import { DataTable } from "@/components/list/data-table";
import { useFreshRows } from "@/components/list/fresh-rows";
import { NoMatches } from "@/components/list/no-matches";
import { useOrigin } from "@/components/product/origin";
import { useTRPC } from "@/components/trpc/client";
import { SavedViews } from "@/components/views/saved-views";
import { eventColumns } from "./event-columns";
import { EventDrawer } from "./event-drawer";
import { useEventFilters } from "./event-filters";
import { EventHistogram } from "./event-histogram";
import { MetadataFilterButton } from "./metadata-filter-button";
import { listInput, nextPage } from "./query";
import { eventHref, useEventActions } from "./use-event-actions";

const noOwn: ReadonlySet<string> = new Set();

const createCommand = (origin: string): string => `curl -X POST ${origin}/api/v1/fleet/events/ \\
  -H "X-Service-Api-Key: $MUSTER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"recording_id": "rec_…", "type": "anomaly", "label": "slip", "timestamp": "2026-01-02T03:04:05.678Z"}'`;

/** Every event of the organization by the time it happened, with its spread over time above. */
export function EventList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const [chosen, setRange] = useQueryStates(
    { device_id: parseAsString, recording_id: parseAsString, since: parseAsString, until: parseAsString },
    { history: "push" },
  );
  const definitions = useEventFilters({ deviceId: chosen.device_id, recordingId: chosen.recording_id });
  const filters = useFilters(definitions);
  const [order, setOrder] = useQueryState("order_by", parseAsString.withOptions({ history: "push" }));
  const [selected, setSelected] = useSelected();
  const oldestFirst = order === "timestamp";

  const input = listInput({ ...filters.values, order_by: order });
  const query = useInfiniteQuery({
    ...trpc.events.overview.infiniteQueryOptions(input, { getNextPageParam: nextPage }),
    placeholderData: keepPreviousData,
  });
  const all = useMemo(() => query.data?.pages.flatMap((page) => page.results), [query.data]);
  const { rows, fresh } = useFreshRows(query.isPlaceholderData ? null : JSON.stringify(input), all, noOwn);
  const actions = useEventActions((uids) => selected !== null && uids.includes(selected) && setSelected(null));
  const rowsOf = (uids: readonly string[]) => (all ?? []).filter(({ uid }) => uids.includes(uid));

  return (
    <>
      <PageHeader title="Events" />
      <EventHistogram
        values={filters.values}
        onRange={(range) => void setRange(range ?? { since: null, until: null })}
      />
      <DataTable
        id="events"
        label="Events"
        noun={["event", "events"]}
        columns={eventColumns}
        rows={oldestFirst ? all : rows}
        rowKey={(event) => event.uid}
        rowLabel={(event) => event.label}
        href={eventHref}
        selected={selected}
        onSelect={setSelected}
        ordering={oldestFirst ? "timestamp" : "-timestamp"}
        onOrderingChange={() => void setOrder(oldestFirst ? null : "timestamp")}
        rowMenu={actions.menu}
        bulkActions={(uids) => (
          <>
            <Button icon={<Tag aria-hidden />} onClick={() => actions.askForTags(rowsOf(uids))}>
              Tag
            </Button>
            <Button
              variant="danger-quiet"
              icon={<Trash2 aria-hidden />}
              onClick={() => actions.askToDelete(rowsOf(uids))}
            >
              Delete
            </Button>
          </>
        )}
        toolbar={
          <>
            <FilterBar
              definitions={definitions}
              filters={filters}
              label="Filter events"
              placeholder="Filter by type, severity, device, tag or time"
            />
            <MetadataFilterButton
              value={filters.values.metadata_filter ?? null}
              onChange={(value) => filters.set("metadata_filter", value)}
            />
            <SavedViews screen="events" />
          </>
        }
        empty={
          filters.count > 0 ? (
            <NoMatches
              noun="events"
              definitions={definitions}
              filters={filters}
              probe={(values) => trpc.events.overview.queryOptions({ ...listInput(values), limit: 1 })}
            />
          ) : (
            <EmptyState
              kind="nothing-yet"
              title="No events yet"
              description="Events mark moments in recordings. Rules create them, and so can devices and the people who look at the data, with e on a timeline."
              action={
                <ButtonLink variant="primary" href="/recordings">
                  Go to recordings
                </ButtonLink>
              }
              curl={createCommand(origin)}
            />
          )
        }
        error={query.error}
        onRetry={() => void query.refetch()}
        fetching={query.isPlaceholderData}
        hasMore={query.hasNextPage}
        loadingMore={query.isFetchingNextPage}
        onLoadMore={() => void query.fetchNextPage()}
        fresh={oldestFirst ? undefined : fresh}
      />
      <EventDrawer
        uid={selected}
        row={all?.find(({ uid }) => uid === selected)}
        menu={actions.menu}
        onClose={() => setSelected(null)}
      />
      {actions.dialogs}
    </>
  );
}
