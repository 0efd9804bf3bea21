"use client";

import { parseAsString, useQueryState, useQueryStates } from "nuqs";
import { ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { plural } from "@/components/kit/format";
import { PageHeader } from "@/components/kit/page-header";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { BulkButtons } from "@/components/product/bulk-actions";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { eventColumns } from "./event-columns";
import { EventDrawer } from "./event-drawer";
import { useEventFilters } from "./event-filters";
import { EventHistogram } from "./event-histogram";
import { MetadataFilterButton } from "./metadata-filter-button";
import { listInput } from "./query";
import { eventHref, useEventActions } from "./use-event-actions";

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
  const [order, setOrder] = useQueryState("order_by", parseAsString.withOptions({ history: "push" }));
  const oldestFirst = order === "timestamp";
  const list = useListPage({
    definitions,
    query: (values) => trpc.events.overview.infiniteQueryOptions(listInput({ ...values, order_by: order }), nextPage),
    probe: (values) => trpc.events.overview.queryOptions({ ...listInput(values), limit: 1 }),
    holdsFresh: !oldestFirst,
  });
  const { filters } = list;
  const actions = useEventActions(list.deselect);
  const { refusal } = usePermissions();

  return (
    <>
      <PageHeader title="Events" />
      <EventHistogram values={list.values} onRange={(range) => void setRange(range ?? { since: null, until: null })} />
      <ListTable
        {...list.table}
        list={list}
        id="events"
        label="Events"
        noun={["event", "events"]}
        columns={eventColumns}
        rowLabel={(event) => event.label}
        href={eventHref}
        ordering={oldestFirst ? "timestamp" : "-timestamp"}
        onOrderingChange={() => void setOrder(oldestFirst ? null : "timestamp")}
        rowMenu={actions.menu}
        bulkActions={(uids) => (
          <BulkButtons
            tagReason={refusal()}
            deleteReason={refusal()}
            onTag={() => actions.editTags(list.findRows(uids))}
            onDelete={() => actions.confirmDelete(list.findRows(uids))}
          >
            <AddToDataset
              getSource={() => ({ kind: "many", of: { events: [...uids] }, label: plural(uids.length, "event") })}
            />
          </BulkButtons>
        )}
        filterBar={{ label: "Filter events", placeholder: "Filter by type, severity, device, tag or time" }}
        tools={
          <>
            <MetadataFilterButton
              value={filters.values.metadata_filter ?? null}
              onChange={(value) => filters.set("metadata_filter", value)}
            />
            <SavedViews screen="events" />
          </>
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No events yet"
            description="Events mark moments in recordings. Rules create them, and so can devices and the people who look at the data, with e on a timeline."
            action={
              <ButtonLink variant="primary" href="/recordings">
                Go to recordings
              </ButtonLink>
            }
            curl={{ command: createCommand(origin), guide: guideHref("events") }}
          />
        }
      />
      <EventDrawer
        uid={list.selected}
        row={list.selectedRow}
        menu={actions.menu}
        explain={actions.explain}
        onClose={() => list.select(null)}
      />
      {actions.dialogs}
    </>
  );
}
